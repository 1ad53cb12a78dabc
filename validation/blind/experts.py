# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time of TensorRT-LLM's two-sided exchange of experts over NVLink, as a closed form.

Source: NVIDIA/TensorRT-LLM, cpp/tensorrt_llm/kernels/fusedMoeCommKernels.cu and .h, and
tensorrt_llm/_mnnvl_utils.py. A warp of the sender and one of the receiver serve a peer's channel;
each carries one token after the other through shared memory and a queue in the receiver's memory.
"""

import math

from validation.yaml_files import tables_of

SMS, PEERS, TOKEN, NVLINK, MEMORY, PASSES, SUM, START = tables_of(__file__).values()
LINES = 16 / 15  # lines of 128 B with one of flags for fifteen


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
