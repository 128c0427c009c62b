"""What is compared with what: recorded traces, the programs that replay them, and controls that must differ."""

from __future__ import annotations

from dataclasses import dataclass

from simulation import Device

H100 = Device("h100-sxm")
TORCH = "2.6.0"  # of the recorded traces


@dataclass(frozen=True)
class Process:
    """One start of a program; each of its runs leaves one stream, by name."""

    name: str
    program: str
    arguments: tuple[str, ...] = ()
    device: Device = H100


@dataclass(frozen=True)
class Trial:
    """A recorded trace and the run that must give the same events."""

    trace: str  # the files' name in the traces' folder, without .events.tsv.gz and .segments.tsv.gz
    process: Process
    run: str
    what: str


FULL_STEP_ALONE = Process("alone", "transformer.py", ("fullstep:128",))
FP32 = Process("fp32", "transformer.py", ("forward:128", "forward:256", "forward:512",
                                          "fullstep:128", "fullstep:256", "fullstep:512"))
MIXED = Process("mixed", "transformer.py", ("--precision", "mixed", "forward:128", "forward:256", "forward:512"))
CELLS = Process("cells", "cells.py")

TRIALS = (
    Trial("kk_memory_ctx128_fullstep", FULL_STEP_ALONE, "fullstep_128_fp32", "full AdamW step, fp32, context 128"),
    Trial("kk_memory_ctx256_forward_", FP32, "forward_256_fp32", "forward, fp32, context 256, second of its process"),
    Trial("kk_memory_ctx512_fullstep_", FP32, "fullstep_512_fp32", "full AdamW step, fp32, context 512, sixth of its process"),
    Trial("kk_memory_ctx128_forward_mixed", MIXED, "forward_128_mixed", "forward, bf16 autocast, context 128"),
    Trial("kk_memory_ctx512_forward_mixed", MIXED, "forward_512_mixed", "forward, bf16 autocast, context 512, third of its process"),
)

# The driver's order of addresses is not known; the first is the default of the simulation.
ADDRESS_ORDERS = ("falling", "rising", "random:1")


@dataclass(frozen=True)
class Control:
    """One wrong property of the card, and a run that must notice it."""

    what: str
    process: Process
    run: str
    changes: tuple[tuple[str, int], ...]


CONTROLS = (
    Control("compute capability 8.0", FULL_STEP_ALONE, "fullstep_128_fp32",
            (("compute_capability_major", 8), ("compute_capability_minor", 0))),
    Control("60 GB of memory", FULL_STEP_ALONE, "fullstep_128_fp32", (("total_memory_bytes", 60_000_000_000),)),
    Control("compute capability 8.0", CELLS, "cells", (("compute_capability_major", 8), ("compute_capability_minor", 0))),
    Control("114 multiprocessors", CELLS, "cells", (("multiprocessor_count", 114),)),
    Control("1,536 threads per multiprocessor", CELLS, "cells", (("max_threads_per_multiprocessor", 1_536),)),
)
