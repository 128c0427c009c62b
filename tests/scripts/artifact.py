"""Artifacts as a run uploads them, for tests that make them hostile."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

BED = "sim-h200-143156mib-sm9.0x132-torch2.11.0-cu130"
HEADER: dict[str, Any] = {
    "schema": "highwater.records/3", "suite": "smoke", "created": "2026-01-02T03:04:05Z",
    "testbed": {"sim:h200": {"id": BED, "facts": {"torch": "2.11.0"}}},
    "versions": {"highwater": "0.1.0"}, "settings": {"planned_cells": ["mlp/full/baseline/sim:h200"]}}
CELL: dict[str, Any] = {
    "cell": "mlp/full/baseline/sim:h200", "model": "mlp", "preset": "full", "technique": "baseline",
    "device": "sim:h200", "outcome": "measured", "reason": "", "certainty": "exact",
    "metrics": {"peak_allocated_bytes": 3072, "at_peak_parameters_bytes": 1024, "at_peak_saved_activations_bytes": 2048},
    "high": {}, "attributes": {"batch": "8"}, "numerics": None, "prediction": {},
    "profile": {"parameters": {"before": [["fc", "", 2, 1024]]}}, "promises": []}


def header(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(HEADER), **changes}


def cell(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(CELL), **changes}


def lines(*values: Any) -> str:
    """Of records.jsonl; a text stands for itself."""
    return "".join(f"{value if isinstance(value, str) else json.dumps(value)}\n" for value in values)


def files(records: str | None = None, number: str | None = "12\n") -> dict[str, str]:
    held = {"records.jsonl": lines(HEADER, CELL) if records is None else records, "report.md": "# report\n",
            f"baseline/{BED}/smoke.jsonl": "{}\n"}
    return held if number is None else {**held, "pull_request.txt": number}


def packed(entries: Mapping[str, str | bytes]) -> bytes:
    return packed_with([(zipfile.ZipInfo(name), text) for name, text in entries.items()])


def packed_with(entries: Sequence[tuple[zipfile.ZipInfo, str | bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, text in entries:
            archive.writestr(info, text, compress_type=zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
