# SPDX-License-Identifier: LGPL-2.1-or-later
"""The first repetitions are slow, later ones settle."""

import math
import statistics

from common.groups import grouped

COLD, SETTLED = 1.5, 0.1  # of times: the first over the last; logarithm of the last two
TABLES = 3


def settles(times: list) -> bool:
    """True of repetitions in their order that come down to a time which two of them have."""
    return (len(times) >= TABLES and times[0] > COLD * times[-1] and times[1] > COLD * times[-1]
            and abs(math.log(times[-1] / times[-2])) < SETTLED)


def seen(points: list) -> str:
    runs = grouped(points, lambda point: point.series)
    if settles([statistics.median(point.ratio for point in some) for some in runs.values()]):
        return f"the first of {len(runs)} runs are slower than the last two, which agree"
    cold = sum(settles(list(point.samples)) for point in points)
    return f"the first repetitions of {cold} sizes are slower than the last" if cold > 1 else ""
