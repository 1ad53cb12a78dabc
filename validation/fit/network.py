"""The transport between hosts: what moves its bytes, its wire, its calls and its latency."""

import dataclasses
import math

import numpy as np

from fit.calls import set_cores
from fit.closed_forms import Transport
from fit.eager import set_limit
from fit.observations import links_of
from fit.segments import fit_piece
from fit.transport import Fitted, settle

LARGE = 16384  # bytes: smaller messages tell calls rather than bytes
BOTH_WAYS = 1.1  # slower by more than that: one core does both directions


@dataclasses.dataclass
class Wire:
    """What the streams say: seconds per byte of the wire and of both cores."""
    seconds: float  # of a link per byte
    known: bool  # whether the link was ever the bottleneck
    cores: float  # send_cost + recv_cost at most; inf where nothing tells
    evidence: str


def stream_slope(points, way, **parameters):
    """Seconds per byte of the largest messages of a stream, median of up to three sizes. Of both
    directions at once the fastest: a core is never faster than it is, but acknowledgements that
    wait behind data slow a stream down now and then."""
    sizes, seconds = points.curve("stream", way=way, **parameters)
    if not len(sizes) or sizes.max() < LARGE:
        return None
    large = sizes >= max(LARGE, sizes.max() / 16)
    choose = np.min if parameters.get("directions") == 2 else np.median
    return float(choose((seconds / sizes)[large][-3:]))


def wire_of(points, nominal) -> Wire:
    """The link's seconds per byte from one-way streams; `nominal` bytes/s or None."""
    one_way = stream_slope(points, "network", directions=1, pairs=1)
    if one_way is None:
        counts = sorted({point.parameters["pairs"] for point in
                         points.of_probe("stream", way="network", directions=1)})
        if not counts:
            return None
        some = points.of_probe("stream", way="network", directions=1, pairs=counts[0])
        one_way = stream_slope(points, "network", directions=1, pairs=counts[0])
        if one_way is None:
            return None
        one_way /= counts[0] / links_of(some[0])
        return Wire(one_way, True, math.inf, f"stream of {counts[0]} pairs")
    both = stream_slope(points, "network", directions=2, pairs=1)
    if both is None or both < BOTH_WAYS * one_way:
        cores = one_way if both else math.inf
        return Wire(one_way, True, cores, "one-way stream" + (
            ", as fast in both directions at once" if both else ""))
    return busy_cores(nominal, one_way, both)


def busy_cores(nominal, one_way, both) -> Wire:
    """Both directions at once are slower than one: a core is what they share."""
    if both < 1.8 * one_way:
        return Wire(one_way, True, both, "one-way stream; both directions at once are limited by "
                    "a core")
    return Wire(1 / nominal if nominal else 0.0, False, both, "")


def fit_network(points, kind, nominal=None, shares=None, unexpected=0.0) -> Fitted:
    """`kind`: tcp (the calling process moves the bytes) or rdma (the NIC does); `nominal`: the
    link's rate in bytes/s; `shares`: {"cpu": of a message's time, "cost": of a byte's}, assumed
    where nothing tells; `unexpected`: s/B of the copy of an early message, assumed."""
    fitted = Fitted(Transport(driver="nic" if kind == "rdma" else "caller",
                              unexpected_cost=unexpected))
    sizes, seconds = points.curve("ping_pong", way="network")
    set_limit(fitted, points, "network", kind, sizes, seconds)
    limit = fitted.transport.eager_limit
    wire = wire_of(points, nominal) or wire_of_ping_pong(sizes, seconds, limit)
    if not wire.known and np.isfinite(wire.cores):
        fitted.undetermined["wire"] = ("the cores are slower than the link: "
                                       + ("its nominal rate" if nominal else "unlimited"))
    elif not wire.seconds:
        fitted.undetermined["wire"] = f"no message of {LARGE} bytes and more: unlimited"
    if wire.evidence:
        fitted.evidence["wire"] = wire.evidence
    fitted.transport = dataclasses.replace(fitted.transport, wire=wire.seconds)
    set_cores(fitted, points, "network", wire, shares or {})
    settle(fitted, points, "network")
    return fitted


def wires_drawn_again(points, nominal, limit, count, generator) -> list:
    """Seconds per byte from the samples drawn again, or from the points where none are."""
    found = []
    for _ in range(count):
        drawn = points.redrawn(generator)
        wire = wire_of(drawn, nominal)
        if wire is None:
            sizes, seconds = drawn.curve("ping_pong", way="network")
            if not drawn.are_sampled:
                index = np.sort(generator.integers(len(sizes), size=len(sizes)))
                sizes, seconds = sizes[index], seconds[index]
            wire = wire_of_ping_pong(sizes, seconds, limit)
        if wire.seconds > 0:
            found.append(wire.seconds)
    return found


def wire_of_ping_pong(sizes, seconds, limit) -> Wire:
    """Without streams: the slope of what is above the eager limit, or of the largest messages."""
    large = sizes > min(limit, sizes.max() / 8) if len(sizes) else np.array([])
    cost = 0.0
    if large.sum() > 1 and sizes.max() >= LARGE:
        _, cost, _ = fit_piece(sizes[large], seconds[large], seconds[large])
    if cost <= 0:
        return Wire(0.0, False, math.inf, "")
    return Wire(cost, False, math.inf, "slope of ping_pong's large messages (no stream)")