#!/usr/bin/env python3
"""Print the GPUs of this machine as a resource specification for CTest.

    make_resource_spec.py > gpus.json
    HIGHWATER_RESOURCE_SPEC=$PWD/gpus.json ctest --resource-spec-file gpus.json --parallel 4

Each GPU is one slot of the resource "gpus", by the number that nvidia-smi gives it: runs on cuda then spread over
them, one at a time on each. The environment variable tells the tests that CTest keeps them apart; without it they
follow one another. Exit codes: 0 printed, 1 no GPU can be listed here.
"""

from __future__ import annotations

import json
import subprocess
import sys

QUERY = ("nvidia-smi", "--query-gpu=index", "--format=csv,noheader")


class NoGpus(Exception):
    """Its text is the whole message."""


def gpu_numbers() -> list[str]:
    try:
        done = subprocess.run(QUERY, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoGpus(f"{QUERY[0]} cannot be run ({error}); is NVIDIA's driver installed?") from error
    numbers = done.stdout.split()
    if done.returncode != 0 or not numbers or not all(number.isdecimal() for number in numbers):
        said = (done.stdout + done.stderr).strip() or "nothing"
        raise NoGpus(f"{' '.join(QUERY)} ended with status {done.returncode} and lists no GPUs; it said: {said}")
    return numbers


def specification(numbers: list[str]) -> dict[str, object]:
    return {"version": {"major": 1, "minor": 0}, "local": [{"gpus": [{"id": number, "slots": 1} for number in numbers]}]}


def main() -> int:
    try:
        print(json.dumps(specification(gpu_numbers()), indent=2))
    except NoGpus as error:
        print(f"highwater: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
