# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether copies of eager messages overlap their wire: a packet is the piece, or there is none.

Copied, sent and copied in turn, a byte takes the sum of three times, piece by piece the longest.
What a ping-pong rises by tells which, if all three are known: taken for the other one, its latency
falls as messages grow, and has more segments.
"""

import copy
import math

from validation.calibration.fit.segments import FLOOR, criterion, unknowns_of
from validation.calibration.fit.transport import settle

PACKET = 1448.0  # bytes of a message in one Ethernet packet
GAIN = 2.0  # of the criterion, before the piece is taken


def score_of(fitted) -> float:
    """Schwarz's criterion of the ping-pong; smaller is better, inf where there is none."""
    ping_pong = [one for one in fitted.observations if one.what == "ping_pong"]
    if not ping_pong:
        return math.inf
    errors = ping_pong[0].errors(fitted.transport)
    return criterion(float(errors @ errors), len(errors),
                     unknowns_of(fitted.transport.latency.segments), FLOOR)


def are_told(fitted) -> bool:
    """True if streams or calls tell what a byte costs both ends and the wire. Where a cost is
    assumed, a copy that overlaps is as good as a cheap one: what c3-standard-4 took for pieces made
    its other hosts no better (validation/published/SPLIT.md)."""
    names = ("send_cost", "recv_cost", "wire")
    return fitted.transport.driver == "caller" and all(
        name in fitted.evidence and name not in fitted.assumed
        and "ping_pong" not in fitted.evidence[name] for name in names)


def settle_pieces(fitted, points, way):
    """Settles the transport, in pieces if its ping-pong asks for it. Returns what is taken."""
    pieced = copy.deepcopy(fitted) if are_told(fitted) else None
    settle(fitted, points, way)
    if pieced is None:
        return fitted
    pieced.change(eager_piece=PACKET)
    settle(pieced, points, way)
    if not score_of(pieced) < score_of(fitted) - GAIN:
        return fitted
    pieced.evidence["eager_piece"] = "the ping-pong rises by less than the sum of copies and link"
    return pieced
