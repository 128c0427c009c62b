"""Small operators whose scratch memory depends on what the device says about itself; one recorded run.

    cells.py --output FOLDER

A reduction to few outputs is split over blocks, as many as the card's multiprocessors and threads allow, and
needs a buffer for their partial results; a sort of many keys takes its scratch from the kernel image that the
card's architecture selects. No transformer step is sure to hold either, so a wrong number could pass there.
"""

import argparse

import torch

from recorder import recorded

REDUCTIONS = {
    "max": lambda x: torch.max(x, dim=-1),
    "sum": lambda x: torch.sum(x, dim=-1),
    "argmax": lambda x: torch.argmax(x, dim=-1),
    "mean": torch.mean,
}
ROWS = (1, 4, 64, 500)
ROW_LENGTH = 300_000
SORTED_KEYS = (4_096, 100_000, 3_000_000)


def reduce_to_few():
    for rows in ROWS:
        for dtype in (torch.float32, torch.bfloat16):
            x = torch.empty(rows, ROW_LENGTH, dtype=dtype, device="cuda")
            for reduction in REDUCTIONS.values():
                reduction(x)


def sort_many():
    for keys in SORTED_KEYS:
        x = torch.empty(keys, device="cuda")
        torch.sort(x)
        torch.sort(x, stable=True, descending=True)
        torch.sort(x.expand(3, keys).contiguous(), dim=-1)
        torch.cumsum(x, dim=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    with recorded(arguments.output, "cells"):
        reduce_to_few()
        sort_many()


if __name__ == "__main__":
    main()
