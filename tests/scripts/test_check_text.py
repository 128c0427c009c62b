"""Each rule of check_text.py fires on a planted violation."""

import unittest
from pathlib import Path

from support import SCRIPTS, FolderTest

import check_text

SLASH = "/"  # the planted paths are put together here, so that this file passes its own lint


class CheckText(FolderTest):
    def problems(self, text: str, name: str = "a.cpp") -> list[tuple[int, str]]:
        path = self.folder / name
        path.write_bytes(text.encode())
        return list(check_text.check_file(path))

    def test_clean_file_passes(self) -> None:
        self.assertEqual(self.problems("int main() {}\n"), [])

    def test_blanks_tabs_and_line_ends(self) -> None:
        for text, word in (("a \n", "trailing"), ("\ta\n", "tab"), ("a\r\n", "CRLF"), ("a", "no line end")):
            with self.subTest(text):
                (line, problem), = self.problems(text)
                self.assertEqual(line, 1)
                self.assertIn(word, problem)

    def test_machine_paths(self) -> None:
        for path in ("home/ada/x", "root", "root/.cache", "tmp/out"):
            with self.subTest(path):
                self.assertEqual(len(self.problems(f"see {SLASH}{path} there\n", "a.md")), 1)
        for text in ("see https://example.org/home/x", "the $HOME/tmp/x", f"a{SLASH}root{SLASH}b", "/roots", "{folder}/tmp/x"):
            with self.subTest(text):
                self.assertEqual(self.problems(text + "\n", "a.md"), [])

    def test_fixed_integers_without_their_header(self) -> None:
        use = "std::int64_t count();\n"
        self.assertEqual(len(self.problems(use, "a.hpp")), 1)
        self.assertEqual(self.problems("#include <cstdint>\n" + use, "a.hpp"), [])
        self.assertEqual(self.problems(use, "a.cpp"), [])

    def test_tensors_that_outlive_main(self) -> None:
        for line in ("at::Tensor kept;", "const at::Tensor ones = at::ones(1);", "inline Tensors kept{};",
                     "static torch::Tensor kept;", "  static at::Tensor kept = make();",
                     "  static const at::Tensor kept{};"):
            with self.subTest(line):
                self.assertEqual(len(self.problems(line + "\n")), 1)
        for line in ("at::Tensor run(int x) {", "  at::Tensor member;", "  static at::Tensor run(", "static at::Tensor f();",
                     "Tensors Layer::carried() const {", "const at::Tensor& a, const at::Tensor& b) {"):
            with self.subTest(line):
                self.assertEqual(self.problems(line + "\n"), [])

    def test_long_cpp_file(self) -> None:
        self.assertEqual(self.problems("x\n" * 350), [])
        self.assertEqual(len(self.problems("x\n" * 351)), 1)
        self.assertEqual(self.problems("x\n" * 351, "a.md"), [])

    def test_folders_that_are_not_ours_are_left_out(self) -> None:
        for name in ("build/a.md", "build-asan/a.md", ".git/a.md", "results/runs/a.md", "tests/fuzz/corpus/x/a.md",
                     "docs/a.md"):
            self.write(name, " \n")
        found = [path.relative_to(self.folder) for path in check_text.text_files(self.folder)]
        self.assertEqual(found, [Path("docs/a.md")])

    def test_exit_codes(self) -> None:
        self.assertEqual(self.run_command("python3", SCRIPTS / "check_text.py", self.folder).returncode, 2)
        self.write("a.md", "a \n")
        done = self.run_command("python3", SCRIPTS / "check_text.py", self.folder)
        self.assertEqual((done.returncode, done.stdout), (1, "a.md:1: trailing blanks\n"))


if __name__ == "__main__":
    unittest.main()
