"""Each rule of check_layers.py fires on a planted violation and stays silent on the allowed neighbour."""

import unittest

from support import SCRIPTS, FolderTest

import check_layers


class CheckLayers(FolderTest):
    def problems(self, file: str, *includes: str) -> list[str]:
        self.write(file, "#pragma once\n" + "".join(f"#include {name}\n" for name in includes))
        return check_layers.check(self.folder)

    def test_allowed_includes_pass(self) -> None:
        self.write("harness/core/bytes.hpp", "#pragma once\n#include <string>\n")
        self.assertEqual(self.problems("harness/record/a.cpp", '"harness/core/bytes.hpp"', "<vector>"), [])

    def test_upward_include_is_found_with_file_and_line(self) -> None:
        problem, = self.problems("harness/core/a.hpp", '"harness/report/table.hpp"')
        self.assertTrue(problem.startswith("harness/core/a.hpp:2: harness/core may not include"), problem)

    def test_single_header_permission_does_not_open_the_folder(self) -> None:
        self.assertEqual(self.problems("harness/compare/a.cpp", '"harness/run/outcome.hpp"'), [])
        self.assertEqual(len(self.problems("harness/compare/a.cpp", '"harness/run/cell_runner.hpp"')), 1)

    def test_spelling_does_not_hide_a_layer(self) -> None:
        self.write("harness/report/table.hpp", "")
        for name in ('"../report/table.hpp"', '"report/table.hpp"', "<harness/report/table.hpp>"):
            with self.subTest(name):
                self.assertEqual(len(self.problems("harness/core/a.hpp", name)), 1)

    def test_simulated_gpu_must_not_know_highwater(self) -> None:
        self.write("simgpu/device/pool.hpp", "")
        self.assertEqual(self.problems("simgpu/cudart/a.cpp", '"simgpu/device/pool.hpp"', "<cuda_runtime_api.h>"), [])
        self.assertEqual(len(self.problems("simgpu/cudart/a.cpp", '"harness/core/bytes.hpp"')), 1)
        self.assertEqual(len(self.problems("simgpu/cudart/a.cpp", "<c10/core/Device.h>")), 1)

    def test_torch_and_cuda_are_found_in_torch_free_layers_only(self) -> None:
        for header in ("<torch/torch.h>", "<ATen/ATen.h>", '"c10/core/Device.h"', "<cuda_runtime.h>", "<cublas_v2.h>"):
            with self.subTest(header):
                self.assertEqual(len(self.problems("harness/launch/a.cpp", header)), 1)
        self.write("harness/launch/a.cpp", "")
        self.assertEqual(self.problems("harness/run/a.cpp", "<torch/torch.h>", "<cuda_runtime.h>"), [])

    def test_torch_is_found_behind_an_allowed_header(self) -> None:
        self.write("harness/run/outcome.hpp", '#include "harness/run/inner.hpp"\n')
        self.write("harness/run/inner.hpp", "#include <torch/torch.h>\n")
        problem, = self.problems("harness/record/a.cpp", '"harness/run/outcome.hpp"')
        self.assertIn("through harness/run/inner.hpp", problem)

    def test_unknown_folder_is_an_error(self) -> None:
        self.assertEqual(len(self.problems("harness/utils/a.hpp")), 1)
        self.assertEqual(len(self.problems("extras/a.hpp")), 2)

    def test_build_folders_are_not_ours_and_tests_are_free(self) -> None:
        self.assertEqual(self.problems("build-asan/generated/a.cpp", '"harness/core/bytes.hpp"'), [])
        self.assertEqual(self.problems("tests/a.cpp", '"harness/core/bytes.hpp"', '"simgpu/device/pool.hpp"'), [])

    def test_an_empty_tree_does_not_pass(self) -> None:
        self.assertEqual(self.run_command("python3", SCRIPTS / "check_layers.py", self.folder).returncode, 2)

    def test_exit_code_tells(self) -> None:
        self.write("harness/core/a.hpp", '#include "models/mlp.hpp"\n')
        self.assertEqual(self.run_command("python3", SCRIPTS / "check_layers.py", self.folder).returncode, 1)


if __name__ == "__main__":
    unittest.main()
