"""Reads an artifact that a stranger may have made, and keeps of it what a summary needs.

The archive is never unpacked: each entry is held against a limit and a form of names, records.jsonl and
pull_request.txt are read, and the records must be what Highwater itself writes. Everything else in it (a report, a
summary, a proposed baseline) is for people who download it, and is not even read here.
"""

from __future__ import annotations

import functools
import io
import json
import re
import stat
import zipfile
import zlib
from pathlib import Path
from typing import Any

from json_schema import Validator
from records import RecordsError, read_records

SCHEMAS = Path(__file__).resolve().parent.parent / "results" / "schema"
RECORDS, NUMBER = "records.jsonl", "pull_request.txt"

# Suite full, with what each peak is made of, stays well below each.
MAXIMUM_ARCHIVE_BYTES = 16 << 20
MAXIMUM_UNPACKED_BYTES = 128 << 20
MAXIMUM_FILES = 64
MAXIMUM_CELLS = 20_000
MAXIMUM_NAME = 300

FILE_NAME = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._+-]*/){0,4}[A-Za-z0-9][A-Za-z0-9._+-]*")
# What ids of models, presets, techniques, devices and cells are made of.
CELL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+:=/-]*")
PULL_REQUEST = re.compile(r"[1-9][0-9]{0,8}")


class HostileArtifact(Exception):
    """The artifact is not one of Highwater's; the text says what and quotes it safely."""


def check_entry(info: zipfile.ZipInfo) -> None:
    name = info.orig_filename  # filename is cut at a NUL
    if not FILE_NAME.fullmatch(name) or len(name) > MAXIMUM_NAME:
        raise HostileArtifact(f"an entry is called {name[:MAXIMUM_NAME]!a}; names are plain and stay in the folder")
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        raise HostileArtifact(f"{name} is a link or no plain file")
    if info.flag_bits & 1:
        raise HostileArtifact(f"{name} is encrypted")


def check_entries(entries: list[zipfile.ZipInfo]) -> None:
    if len(entries) > MAXIMUM_FILES:
        raise HostileArtifact(f"{len(entries)} entries; at most {MAXIMUM_FILES} are read")
    for info in entries:
        check_entry(info)
    if len({info.orig_filename.lower() for info in entries}) != len(entries):
        raise HostileArtifact("two entries have the same name")
    total = sum(info.file_size for info in entries)
    if total > MAXIMUM_UNPACKED_BYTES:
        raise HostileArtifact(f"unpacked it would be {total} bytes; at most {MAXIMUM_UNPACKED_BYTES} are read")


def read_entry(archive: zipfile.ZipFile, name: str) -> str:
    try:
        info = archive.getinfo(name)
        with archive.open(info) as file:
            data = file.read(info.file_size + 1)  # never more than was announced and checked
    except KeyError as error:
        raise HostileArtifact(f"it holds no {name}") from error
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError) as error:
        raise HostileArtifact(f"{name} cannot be unpacked: {error}") from error
    if len(data) != info.file_size:
        raise HostileArtifact(f"{name} is not of the size that the archive says")
    return decoded(data, name)


def decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise HostileArtifact(f"{name} is not UTF-8: {error}") from error


def pull_request_number(text: str) -> int:
    if not PULL_REQUEST.fullmatch(text.removesuffix("\n")):
        raise HostileArtifact(f"{text[:40]!a} is not the number of a pull request")
    return int(text)


# --- records -----------------------------------------------------------------------------------


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")  # readers differ in which one counts
    return dict(pairs)


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def whole_number(text: str) -> int:
    value = int(text)
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError("an integer has more than 64 bits")
    return value


def strict_json(line: str, place: str) -> Any:
    try:
        return json.loads(line, object_pairs_hook=unique_keys, parse_constant=refuse_constant, parse_int=whole_number)
    except (ValueError, RecursionError) as error:
        raise HostileArtifact(f"{place}: not what Highwater writes: {str(error)[:MAXIMUM_NAME]}") from error


@functools.cache
def validator(schema: str) -> Validator:
    return Validator(json.loads((SCHEMAS / f"{schema}.schema.json").read_text(encoding="utf-8")))


def check_against(schema: str, value: Any, place: str) -> None:
    for problem in validator(schema).problems(value):
        raise HostileArtifact(f"{place}: {problem[:MAXIMUM_NAME]}")


def check_names(cell: dict[str, Any], place: str) -> None:
    for key in ("cell", "model", "preset", "technique", "device"):
        if not CELL_NAME.fullmatch(cell[key]) or len(cell[key]) > MAXIMUM_NAME:
            raise HostileArtifact(f"{place}: {key} is {cell[key][:MAXIMUM_NAME]!a}, which names nothing of Highwater's")
    parts = "/".join(cell[key] for key in ("model", "preset", "technique", "device"))
    if not (cell["cell"] + "/").startswith(parts + "/"):
        raise HostileArtifact(f"{place}: the cell is {cell['cell']!a}, but its parts are {parts!a}")


def check_records(text: str) -> None:
    lines = text.split("\n")
    if lines.pop() != "" or len(lines) > MAXIMUM_CELLS + 1:
        raise HostileArtifact(f"{RECORDS} ends within a line, or has more than {MAXIMUM_CELLS} cells")
    for number, line in enumerate(lines, 1):
        place = f"{RECORDS}:{number}"
        value = strict_json(line, place)
        check_against("header" if number == 1 else "cell", value, place)
        if number > 1:
            check_names(value, place)


def receive(archive: bytes, folder: Path) -> int:
    """Writes the records into `folder`, which must be new or empty, and returns the pull request's number.

    That number is still only what the artifact says. Raises HostileArtifact, and then has written nothing of use.
    """
    if len(archive) > MAXIMUM_ARCHIVE_BYTES:
        raise HostileArtifact(f"it has {len(archive)} bytes; at most {MAXIMUM_ARCHIVE_BYTES} are read")
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty; an artifact is received into an empty folder")
    try:
        opened = zipfile.ZipFile(io.BytesIO(archive))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise HostileArtifact(f"it is no zip archive: {error}") from error
    with opened:
        check_entries(opened.infolist())
        number = pull_request_number(read_entry(opened, NUMBER))
        records = read_entry(opened, RECORDS)
    check_records(records)
    target = folder / RECORDS
    target.write_text(records, encoding="utf-8", newline="")
    try:
        read_records(target)
    except RecordsError as error:
        raise HostileArtifact(f"the records contradict themselves: {str(error)[-MAXIMUM_NAME:]!a}") from error
    return number
