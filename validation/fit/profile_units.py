"""Fitted numbers as the simulator reads them."""

import math

from validation.quantities import format_bandwidth, format_cost, format_time


def in_bytes(count):
    """Exactly: a limit is a whole number of bytes."""
    if math.isinf(count):
        return "unlimited"
    count = int(round(count))
    for size, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count and count % size == 0:
            return f"{count // size} {name}"
    return f"{count} B"


def in_unit(value, unit):
    """A value as the simulator reads it; a share has no unit."""
    if value is None:
        return None
    written = {"s": format_time, "s/B": format_cost, "B/s": format_bandwidth, "B": in_bytes}
    return written[unit](value) if unit else float(f"{value:.4g}")
