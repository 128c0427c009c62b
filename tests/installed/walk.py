"""The steps of a document, done as a reader would: files it shows are written, its shell blocks are run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh( fails)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    commands: str
    fails: bool  # the document says so by ```sh fails


def section(document: Path, heading: str) -> str:
    return document.read_text(encoding="utf-8").split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def files(text: str) -> dict[str, str]:
    return dict(FILE.findall(text))


def steps(text: str) -> list[Step]:
    return [Step(commands, bool(fails)) for fails, commands in SHELL.findall(text)]
