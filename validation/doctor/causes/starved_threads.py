# SPDX-License-Identifier: LGPL-2.1-or-later
"""Host threads wait for a core: some sizes stall for milliseconds, all are slow."""

import statistics

from common.quantities import format_bytes

STALL, SLOW = 5.0, 1.3  # times the ratio of the sizes beside; of all other sizes


def stalls(points: list) -> list:
    """Sizes that take STALL times as long as both neighbours do, each against what is expected."""
    ratios = [1e-9, *(point.ratio for point in points), 1e-9]
    return [point for point, before, after in zip(points, ratios, ratios[2:])
            if point.ratio > STALL * max(before, after)]


def seen(points: list) -> str:
    found = stalls(points)
    others = [point.ratio for point in points if point not in found]
    if len(found) < 2 or not others or statistics.median(others) < SLOW:
        return ""
    return "stalls at " + ", ".join(format_bytes(point.bytes) for point in found)
