# SPDX-License-Identifier: LGPL-2.1-or-later
"""Closed form of a ring allreduce of a kernel's channels on one host, as the simulator has it.

T = launch + for each turn of channels at an SM: start + rounds of 2 (P - 1) hops, in each a chunk
at the least of three rates, of the block, the links and the GPU; and a copy of the last chunk.
All channels are taken to have the largest part, and all links to carry as much as each other.
"""

from typing import NamedTuple

CELL = {"LL": 4096, "LL128": 16384, "Simple": 16384}  # B of an allreduce; see channel_rings.cpp
CHUNK = {"LL": 512 * 8 * 16 // 2, "LL128": 640 * 120 * 8 // 16 * 15, "Simple": 2 << 20}
PROTOCOLS = tuple(CELL)
FLAGS = {"LL": 1 / 2, "LL128": 120 / 128, "Simple": 1}  # of what is on a link, data
LATENCY, PAIR = 0.5e-6, 100e9  # s and bytes/s of the links between two A100 of a host
KEYS = ("start", "hop", "block", "copy", "gpu", "carries")


class Costs(NamedTuple):
    """In seconds and bytes a second; `of` has KEYS by protocol, `hop` beyond the links'."""
    launch: float
    of: dict


def parts(size: int, protocol: str, channels: int):
    """The largest part, and how many there are."""
    cell, traffic = CELL[protocol], 2 * (4 if protocol == "LL" else 1)
    cells = -(-size // cell)
    each = -(-max(32768, size * traffic) // channels // 16) * 16
    most = max(1, min(cells, -(-each // (cell * traffic))))
    count = -(-cells // most)
    if count > channels:
        most = -(-cells // channels)
        count = -(-cells // most)
    return min(size, most * cell), count


def seconds_of(costs: Costs, row) -> float:
    of = costs.of[row.protocol]
    part, left = parts(row.size, row.protocol, row.channels)
    time = costs.launch
    while left > 0:
        at_once = min(left, row.sms or left)
        left -= at_once
        rate = min(of["block"], of["gpu"] / at_once,
                   PAIR * (row.ranks - 1) * of["carries"] / at_once)
        time += of["start"]
        for begin in range(0, part, row.ranks * CHUNK[row.protocol]):
            chunk = min(part - begin, row.ranks * CHUNK[row.protocol]) / row.ranks
            time += 2 * (row.ranks - 1) * (LATENCY + of["hop"] + chunk / rate)
            time += chunk / of["copy"]
    return time
