# SPDX-License-Identifier: LGPL-2.1-or-later
"""The transport between hosts: what moves its bytes, its wire, its calls and its latency."""

import math
from typing import NamedTuple

import numpy as np

from validation.calibration.fit import eager, interrupts, observations, pieces, segments
from validation.calibration.fit.calls import fit_calls, set_cores
from validation.calibration.fit.closed_forms import Transport
from validation.calibration.fit.ends import LARGE, Ends, stream_slope, tell_apart
from validation.calibration.fit.transport import Fitted

HALF_DUPLEX = 1.8  # times one direction's time for both: an adapter or a bus that they share


class Wire(NamedTuple):
    """Findings of the streams: seconds per byte of the wire and of both cores."""
    seconds: float  # of a link per byte
    known: bool  # the link was the bottleneck somewhere
    cores: float  # send_cost + recv_cost at most; inf where nothing tells
    evidence: str
    ends: Ends = None  # set if the streams tell the three apart


def wire_of(points, nominal, calls=None) -> Wire:
    """The link's seconds per byte from streams; `nominal` bytes/s or None; `calls`: Told of
    costs per byte, {} where there are none, None where no core moves the bytes."""
    one_way = stream_slope(points, "network", directions=1, pairs=1)
    if one_way is None:
        return wire_of_several(points)
    ends = tell_apart(points, "network", calls) if calls is not None else None
    if ends is not None:
        return wire_between(ends, nominal)
    both = stream_slope(points, "network", directions=2, pairs=1)
    if both is not None and both >= HALF_DUPLEX * one_way:
        return Wire(1 / nominal if nominal else 0.0, False, both, "")
    return Wire(one_way, True, both or math.inf, "one-way stream")


def wire_of_several(points):
    """Wire where nobody streamed alone: the share common to all pairs. None without streams."""
    counts = sorted({point.parameters["pairs"] for point in
                     points.of_probe("stream", way="network", directions=1)})
    if not counts:
        return None
    some = points.of_probe("stream", way="network", directions=1, pairs=counts[0])
    one_way = stream_slope(points, "network", directions=1, pairs=counts[0])
    if one_way is None:
        return None
    one_way /= counts[0] / observations.links_of(some[0])
    return Wire(one_way, True, math.inf, f"stream of {counts[0]} pairs")


def wire_between(ends: Ends, nominal) -> Wire:
    """A wire that may as well be infinitely fast is nominal, as far as it was seen to be."""
    cores = ends.send.value + ends.recv.value
    if ends.wire.bounded_only:
        return Wire(min(1 / nominal, ends.wire.high) if nominal else 0.0, False, cores, "", ends)
    alone = max(ends.send.value, ends.recv.value) < 0.97 * ends.wire.value
    return Wire(ends.wire.value, True, cores, "streams" + (
        "" if alone else " of several pairs: one pair is limited by a core"), ends)


def is_published_over_tcp(network, points) -> bool:
    """Whether medians alone tell of a network that the system's calls drive."""
    return (not points.are_sampled and "latency" in network.evidence
            and network.transport.driver == "caller")


def fit_network(points, kind, nominal=None, shares=None, unexpected=0.0) -> Fitted:
    """`kind`: tcp (the calling process moves the bytes) or rdma (the NIC does); `nominal`: the
    link's rate in bytes/s; `shares`: {"cpu": of a message's time, "cost": of a byte's}, assumed
    where nothing tells; `unexpected`: s/B of the copy of an early message, assumed."""
    fitted = Fitted(Transport(driver="nic" if kind == "rdma" else "caller",
                              unexpected_cost=unexpected))
    sizes, seconds = points.curve("ping_pong", way="network")
    eager.set_limit(fitted, points, "network", kind, sizes, seconds)
    eager.set_room(fitted, points, "network")
    limit = fitted.transport.eager_limit
    wire = wire_of(points, nominal) or wire_of_ping_pong(sizes, seconds, limit)
    calls = fit_calls(fitted, points, "network", wire)
    if kind != "rdma":
        wire = wire_of(points, nominal, fitted.calls) or wire
    if not wire.known and np.isfinite(wire.cores):
        least = f", which carries {1e-9 / wire.ends.wire.high:.3g} GB/s at least" \
            if wire.ends else ""
        fitted.undetermined["wire"] = (f"the cores are slower than the link{least}: "
                                       + ("its nominal rate" if nominal else "unlimited"))
    elif not wire.seconds:
        fitted.undetermined["wire"] = f"no message of {LARGE} bytes and more: unlimited"
    if wire.evidence:
        fitted.evidence["wire"] = wire.evidence
    fitted.change(wire=wire.seconds)
    set_cores(fitted, points, "network", wire, shares or {}, calls)
    fitted = pieces.settle_pieces(fitted, points, "network")
    interrupts.fit_interrupts(fitted, sizes, seconds)
    return fitted


def wires_drawn_again(points, fitted, nominal, count, generator) -> list:
    """Seconds per byte from the samples drawn again, or from the points where none are."""
    found = []
    calls = None if fitted.transport.driver == "nic" else fitted.calls
    for _ in range(count):
        drawn = points.redrawn(generator)
        wire = wire_of(drawn, nominal, calls)
        if wire is None:
            sizes, seconds = drawn.curve("ping_pong", way="network")
            if not drawn.are_sampled:
                index = np.sort(generator.integers(len(sizes), size=len(sizes)))
                sizes, seconds = sizes[index], seconds[index]
            wire = wire_of_ping_pong(sizes, seconds, fitted.transport.eager_limit)
        if wire.seconds > 0:
            found.append(wire.seconds)
    return found


def wire_of_ping_pong(sizes, seconds, limit) -> Wire:
    """Without streams: the slope of what is above the eager limit, or of the largest messages."""
    large = sizes > min(limit, sizes.max() / 8) if len(sizes) else np.array([])
    cost = 0.0
    if large.sum() > 1 and sizes.max() >= LARGE:
        _, cost, _ = segments.fit_piece(sizes[large], seconds[large], seconds[large])
    if cost <= 0:
        return Wire(0.0, False, math.inf, "")
    return Wire(cost, False, math.inf, "slope of ping_pong's large messages (no stream)")