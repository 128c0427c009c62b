"""What a full training step of the 3.4 G-parameter transformer costs on the machine that simulates it.

    step_cost.py --output FOLDER

Writes `step_cost.json`: seconds of each step (the first one creates the optimizer's state and loads what is loaded
lazily) and the most memory the process held. Nothing is recorded meanwhile: a memory history costs time and memory.
"""

import argparse
import json
import resource
import time
from pathlib import Path

import torch

from transformer import BATCH, VOCABULARY, AdamW, Transformer, training_step

CONTEXT = 128
STEPS = 5


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    model = Transformer(CONTEXT)
    optimizer = AdamW(model.parameters())
    tokens = torch.randint(VOCABULARY, (BATCH, CONTEXT), device="cuda")
    seconds = []
    for _ in range(STEPS):
        start = time.perf_counter()
        training_step(model, optimizer, tokens)
        optimizer.zero_grad()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    facts = {"parameters": sum(p.numel() for p in model.parameters()), "step_seconds": seconds,
             "peak_resident_bytes": resident, "device_peak_reserved_bytes": torch.cuda.max_memory_reserved()}
    Path(arguments.output, "step_cost.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
