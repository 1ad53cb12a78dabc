# SPDX-License-Identifier: LGPL-2.1-or-later
"""A note of a calibration on a token bucket, and its reader."""

import re

NOTE = re.compile(r"ping_pong from \d+ to (\d+) bytes is faster than the streams' wire")


def note(first: float, last: float) -> str:
    return (f"ping_pong from {first:.0f} to {last:.0f} bytes is faster than the streams' wire (a "
            "token bucket's burst): omitted from the fit")


def hidden_up_to(notes: list) -> int:
    """Largest size at which the wire was not seen; 0 where it was."""
    found = [NOTE.match(str(one)) for one in notes]
    return max((int(one[1]) for one in found if one), default=0)
