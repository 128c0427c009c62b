#!/usr/bin/env python3
"""Turn a log of simulated work (SIMGPU_KERNEL_LOG, highwater exec --log) into a Chrome trace.

    kernel_log_to_trace.py LOG TRACE

The trace opens in chrome://tracing or https://ui.perfetto.dev. A row is a stream; every piece of work
is one microsecond long and in the order in which it was put in, because the simulation knows no times.
Names are demangled where c++filt is installed. Exit codes: 0 written, 2 the log cannot be used or the
trace cannot be written.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path


def fail(sentence: str) -> None:
    print(f"highwater: error: {sentence}", file=sys.stderr)
    sys.exit(2)


def read_log(path: Path) -> list[dict]:
    work = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            entry = json.loads(line)
            work.append({key: entry[key] for key in ("process", "index", "device", "stream", "kind")} | entry)
        except (ValueError, KeyError, TypeError):
            fail(f"line {number} of {path} is no piece of work; give a file that SIMGPU_KERNEL_LOG named")
    return work


def demangle(names: list[str]) -> dict[str, str]:
    tool = shutil.which("c++filt")
    if not tool or not names:
        return {name: name for name in names}
    done = subprocess.run([tool], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, done.stdout.splitlines()))


def title(entry: dict) -> str:
    return entry.get("name") or " ".join([entry["kind"], entry.get("direction", "")]).strip()


def trace_of(work: list[dict]) -> dict:
    names = demangle(sorted({title(entry) for entry in work}))
    shown = ("process", "index", "device", "stream", "kind")
    return {"traceEvents": [{
        "name": names[title(entry)],
        "cat": entry["kind"],
        "ph": "X",
        "ts": entry["index"],
        "dur": 1,
        "pid": f"process {entry['process']}, device {entry['device']}",
        "tid": f"stream {entry['stream']}",
        "args": {key: value for key, value in entry.items() if key not in shown},
    } for entry in work]}


def main() -> None:
    if len(sys.argv) != 3:
        fail("two arguments are needed: kernel_log_to_trace.py LOG TRACE")
    log, trace = map(Path, sys.argv[1:])
    try:
        text = json.dumps(trace_of(read_log(log)), indent=1)
        trace.write_text(text + "\n")
    except OSError as error:
        fail(f"{error.filename} cannot be used: {error.strerror}")


if __name__ == "__main__":
    main()
