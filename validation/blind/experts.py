# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time of TensorRT-LLM's two-sided exchange of experts over NVLink, as a closed form.

Source: NVIDIA/TensorRT-LLM, cpp/tensorrt_llm/kernels/fusedMoeCommKernels.cu and .h, and
tensorrt_llm/_mnnvl_utils.py. A warp of the sender and one of the receiver serve a peer's channel;
each carries one token after the other through shared memory and a queue in the receiver's memory.
"""

import math

SMS = 152  # of a GPU of GB200
PEERS = 8  # of a thread block
TOKEN = 2e-6  # s that a warp needs for a token of 14 KiB: load, flags, store
NVLINK = 750e9  # B/s in one direction, of 900: stores of 128 B with headers
MEMORY = 6.4e12  # B/s, of 8e12
PASSES = 4  # over memory: load, queue written and read, store
LINES = 16 / 15  # lines of 128 B with one of flags for fifteen
START = {"alltoall_dispatch": 12e-6, "alltoall_combine": 20e-6}
SUM = 5.5e12  # B/s of memory that a reduction over top-k reaches


def exchange(tokens: int, size: float, ep: int, topk: int) -> float:
    """Seconds until all tokens are where their experts are: the slowest of warps, links, memory."""
    ranks = min(ep, topk)
    sent = tokens * ranks * size
    channels = max(1, SMS // 4 // math.ceil(ep / PEERS))
    warps = math.ceil(tokens * ranks / ep / channels) * TOKEN
    return max(warps, sent * LINES * (1 - 1 / ep) / NVLINK, sent * PASSES / MEMORY)


def seconds_and_range(row: dict) -> tuple:
    """(seconds, factors of the low and the high end)"""
    tokens, topk, size = int(row["tokens"]), int(row["topk"]), 2 * int(row["hidden"])
    found = START[row["op"]] + exchange(tokens, size, int(row["ep"]), topk)
    if row["op"] == "alltoall_combine":
        found += tokens * size * (topk / MEMORY + (topk + 1) / SUM)
    return found, 0.5, 3.0 if tokens <= 128 else 2.0
