"""What PyTorch's caching allocator did while a run lasted, written down as one event stream.

A stream is a tab-separated file: `action`, `addr`, `size`, `stream` as in torch's own memory history, and `where`,
the line of the program that asked (for allocations). Beside it stand the blocks that were there when the run ended,
in the columns of the recorded traces, and the run's peaks.
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


BLOCK_COLUMNS = ("segment_addr", "total_size", "segment_type", "block_addr", "block_size", "requested_size", "state")


def _write_blocks(path, segments):
    with open(path, "w", encoding="utf-8") as file:
        print(*BLOCK_COLUMNS, sep="\t", file=file)
        for segment in segments:
            for block in segment["blocks"]:
                print(segment["address"], segment["total_size"], segment["segment_type"], block["address"], block["size"],
                      block["requested_size"], block["state"], sep="\t", file=file)


def _peaks():
    statistics = torch.cuda.memory_stats()
    return {f"{kind}_bytes": statistics[f"{kind}_bytes.all.peak"]
            for kind in ("requested", "allocated", "reserved")}


@contextmanager
def recorded(folder, name):
    """Writes `folder/name.events.tsv`, `name.segments.tsv` and `name.peaks.json` of what happens inside."""
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.memory._record_memory_history(context="alloc", stacks="python", max_entries=MAX_EVENTS)
    yield
    snapshot = torch.cuda.memory._snapshot()
    torch.cuda.memory._record_memory_history(enabled=None)
    _write_events(Path(folder, f"{name}.events.tsv"), snapshot["device_traces"][torch.cuda.current_device()])
    _write_blocks(Path(folder, f"{name}.segments.tsv"), snapshot["segments"])
    Path(folder, f"{name}.peaks.json").write_text(json.dumps(_peaks()) + "\n", encoding="utf-8")
