# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ranks begin a measurement at different times: its first repetition waits for the last rank."""

import statistics

from validation.doctor.causes.cause import stated_alone

LATE, ALIKE = 1.5, 1.2  # times the median of the other repetitions: the first; the second


def seen(points: list) -> str:
    late = [point for point in points if len(point.samples) > 2
            and point.samples[0] > LATE * statistics.median(point.samples[1:])
            and point.samples[1] < ALIKE * statistics.median(point.samples[1:])]
    return f"the first repetition alone is late at {len(late)} sizes" if len(late) > 1 else ""


CAUSE = stated_alone(
    "start-skew",
    "ranks start at different times: the first repetition of each size waits for the last rank",
    "osu_allreduce -i 1000 -x 200 -f  # a barrier before the timed loop; max over min of the "
    "ranks' times", seen)
