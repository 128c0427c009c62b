#!/usr/bin/env python3
"""Check what no compiler checks: blanks, line ends, file length, paths of somebody's machine.

    check_text.py [REPOSITORY]

Prints file:line: rule for each violation and exits 1 if there was one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

CPP = {".hpp", ".h", ".cpp", ".cc"}
TEXT = CPP | {".css", ".inc", ".cmake", ".env", ".html", ".in", ".js", ".json", ".jsonl", ".md", ".py", ".sh", ".toml", ".txt", ".yaml", ".yml"}
NAMED = {".clang-format", ".clang-tidy", ".editorconfig", ".gitignore", "LICENSE", "run"}
MAXIMUM_CPP_LINES = 350

# Inputs of fuzzers are whatever bytes were found.
SKIPPED_FOLDER = re.compile(r"build(?:-|$)|\.git$|\.cache$|\.venv$|__pycache__$|runs$|corpus$")
# Not inside a longer path or an address, e.g. https://example.org/home/x.
MACHINE_PATH = re.compile(r"(?<![\w.})-])/(?:home|root|tmp|Users)(?:/|\b(?![-.\w]))")


# g++ 12 brings these in by accident, g++ 13 does not: a header that compiles alone under one may not under the other.
FIXED_INTEGER = re.compile(r"\bstd::u?int(?:8|16|32|64|ptr)_t\b")
# At exit it would be freed after CUDA's driver, and programs crashed there (pytorch issues 17658, 35736, 36408).
STATIC_TENSOR = re.compile(r"(?:^|^\s+static )(?:(?:static|inline|const) )*(?:(?:at|torch)::)?Tensors? \w+\s*(?:[;={]|$)")


def text_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink() and not SKIPPED_FOLDER.match(path.name):
            yield from text_files(path)
        elif path.is_file() and (path.suffix in TEXT or path.name in NAMED):
            yield path


def check_line(line: str) -> Iterator[str]:
    if "\t" in line:
        yield "tab; indent and align with spaces"
    if line.endswith("\r"):
        yield "CRLF line end; use LF"
    elif line != line.rstrip():
        yield "trailing blanks"
    if match := MACHINE_PATH.search(line):
        yield f"path of one machine ({match[0]}...); name it by a variable or relative to the repository"


def check_file(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        yield 1, f"not UTF-8: {error}"
        return
    lines = text.split("\n")
    if text and lines.pop() != "":
        yield len(lines) + 1, "no line end at the end of the file"
    for number, line in enumerate(lines, 1):
        yield from ((number, problem) for problem in check_line(line))
        if path.suffix in CPP and STATIC_TENSOR.search(line):
            yield number, "tensor that lives until exit, after CUDA; let a function or an object own it"
    if path.suffix == ".hpp" and FIXED_INTEGER.search(text) and "#include <cstdint>" not in text:
        yield 1, "std::int64_t and its like need #include <cstdint>"
    if path.suffix in CPP and len(lines) > MAXIMUM_CPP_LINES:
        yield len(lines), f"{len(lines)} lines; a C++ file has at most {MAXIMUM_CPP_LINES}, so split it by purpose"


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    files = list(text_files(root))
    if not files:
        print(f"{root}: no text file found, so nothing was checked", file=sys.stderr)
        return 2
    problems = [f"{path.relative_to(root)}:{number}: {problem}"
                for path in files for number, problem in check_file(path)]
    print("\n".join(problems) if problems else f"text: {len(files)} files, no violation")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
