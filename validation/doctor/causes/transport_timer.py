# SPDX-License-Identifier: LGPL-2.1-or-later
"""A transport's timer: what is lost is sent again after a fixed time."""

from common.quantities import format_time

LEAST, NEAR, MANY = 1e-3, 0.08, 4  # seconds; of a period; sizes


def seen(points: list) -> str:
    """Delays at multiples of one period that do not go with size, as those of a rate do."""
    late = [point.seconds - point.expected for point in points]
    delays = [one for one in late if one > LEAST]
    if len(delays) < MANY:
        return ""
    period = min(delays)
    counts = [round(one / period) for one in delays]
    exact = all(abs(one / period - count) < NEAR for one, count in zip(delays, counts))
    falls = any(later < before for before, later in zip(counts, counts[1:]))
    return f"delays at multiples of {format_time(period, 3)}" if exact and falls else ""
