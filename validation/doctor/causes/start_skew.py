# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ranks begin a measurement at different times: its first repetition waits for the last rank."""

import statistics

LATE, ALIKE = 1.5, 1.2  # times the median of the other repetitions: the first; the second


def seen(points: list) -> str:
    late = [point for point in points if len(point.samples) > 2
            and point.samples[0] > LATE * statistics.median(point.samples[1:])
            and point.samples[1] < ALIKE * statistics.median(point.samples[1:])]
    return f"the first repetition alone is late at {len(late)} sizes" if len(late) > 1 else ""
