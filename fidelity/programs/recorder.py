"""What PyTorch's caching allocator did while a run lasted, written down as one event stream.

A stream is a tab-separated file: `action`, `addr`, `size`, `stream` as in torch's own memory history,
and `where`, the line of the program that asked (for allocations). The peaks of the run stand beside it.
"""

import json
from contextlib import contextmanager
from pathlib import Path

import torch

# Of the longest run here about 20,000 events are kept; torch forgets the oldest beyond the limit.
MAX_EVENTS = 1_000_000


def _where(frames):
    """The innermost line of a program of ours, as `file:line function`."""
    here = str(Path(__file__).parent)
    for frame in frames:
        if frame["filename"].startswith(here):
            return f"{Path(frame['filename']).name}:{frame['line']} {frame['name']}"
    return ""


def _write_events(path, trace):
    with open(path, "w", encoding="utf-8") as file:
        print("action", "addr", "size", "stream", "where", sep="\t", file=file)
        for event in trace:
            if event["action"] != "snapshot":
                print(event["action"], event["addr"], event["size"], event["stream"],
                      _where(event.get("frames", [])), sep="\t", file=file)


def _peaks():
    statistics = torch.cuda.memory_stats()
    return {f"{kind}_bytes": statistics[f"{kind}_bytes.all.peak"]
            for kind in ("requested", "allocated", "reserved")}


@contextmanager
def recorded(folder, name):
    """Writes `folder/name.tsv` (events) and `folder/name.json` (peaks) of what happens inside."""
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.memory._record_memory_history(context="alloc", stacks="python", max_entries=MAX_EVENTS)
    yield
    trace = torch.cuda.memory._snapshot()["device_traces"][torch.cuda.current_device()]
    torch.cuda.memory._record_memory_history(enabled=None)
    _write_events(Path(folder, f"{name}.tsv"), trace)
    Path(folder, f"{name}.json").write_text(json.dumps(_peaks()) + "\n", encoding="utf-8")
