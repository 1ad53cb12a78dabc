# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fitted numbers as the simulator reads them."""

from common.quantities import format_bandwidth, format_cost, format_time, format_whole_bytes


def in_unit(value, unit):
    """A value as the simulator reads it; a share has no unit."""
    if value is None:
        return None
    written = {"s": format_time, "s/B": format_cost, "B/s": format_bandwidth,
               "B": format_whole_bytes}
    return written[unit](value) if unit else float(f"{value:.4g}")
