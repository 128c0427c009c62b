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
    cudnn: bool = False  # needs NVIDIA's own cuDNN, which knows what workspace a convolution takes


@dataclass(frozen=True)
class Trial:
    """A recorded trace and the run that must give the same events."""

    trace: str  # the files' name in the traces' folder, without .events.tsv.gz and .segments.tsv.gz
    process: Process
    run: str
    what: str

    @property
    def alone(self) -> bool:
        """Is the run all that its process does?"""
        return sum(":" in word for word in self.process.arguments) == 1


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


@dataclass(frozen=True)
class BlockTrial:
    """A recorded trace of blocks (block_streams.py), and the run that must give the same.

    Where the trace comes from another cuDNN than ours, `workspaces` names the file that lists the recorded workspaces: they
    are taken out of the recorded stream, ours out of the simulated one, and a block may hold a small rest, which
    workspaces leave behind. Else everything must be equal, totals included."""

    trace: str
    process: Process
    run: str
    what: str
    workspaces: str = ""
    steps: int = 1


VIT = Process("vit", "vit_b16.py", cudnn=True)
# The card is not named; not a Hopper, as the cuBLAS workspaces tell.
RESNET = Process("resnet", "resnet50.py", device=Device("a100-80gb"), cudnn=True)

BLOCK_TRIALS = (
    BlockTrial("h100_vit_b16_b4_inference", VIT, "vit_b16", "ViT-B/16 inference, bf16, batch 4"),
    BlockTrial("resnet50_b32_sgd_2023", RESNET, "resnet50", "ResNet-50, fp32, batch 32, SGD with momentum, five steps; torch of 2023",
               workspaces="resnet50_b32_sgd_2023_workspaces.json", steps=5),
)

# The driver's order of addresses is not known; the first is the default of the simulation.
ADDRESS_ORDERS = ("falling", "rising", "random:1")


@dataclass(frozen=True)
class Control:
    """One wrong property of the card, and a run that must notice it, or one that is known not to: why others are needed."""

    what: str
    process: Process
    run: str
    changes: tuple[tuple[str, int], ...]
    must_notice: bool = True


CAPABILITY = (("compute_capability_major", 8), ("compute_capability_minor", 0))
MULTIPROCESSORS = (("multiprocessor_count", 114),)
THREADS = (("max_threads_per_multiprocessor", 1_536),)
MEMORY = (("total_memory_bytes", 60_000_000_000),)

CONTROLS = (
    Control("compute capability 8.0", FULL_STEP_ALONE, "fullstep_128_fp32", CAPABILITY),
    Control("60 GB of memory", FULL_STEP_ALONE, "fullstep_128_fp32", MEMORY),
    Control("114 multiprocessors", FULL_STEP_ALONE, "fullstep_128_fp32", MULTIPROCESSORS, must_notice=False),
    Control("compute capability 8.0", CELLS, "cells", CAPABILITY),
    Control("114 multiprocessors", CELLS, "cells", MULTIPROCESSORS),
    Control("1,536 threads per multiprocessor", CELLS, "cells", THREADS),
)
