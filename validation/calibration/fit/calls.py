# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cost of a message to the cores at its ends: per message and per byte."""

import numpy as np

from validation.calibration.fit.ends import Told
from validation.calibration.fit.observations import noise_of
from validation.calibration.fit.segments import closed_after, constant, fit_piece, fit_segments

CPU_SHARE = 0.5  # of a small message's time, where nothing tells; half of it at each end
COST_SHARE = 0.5  # of a wire's time per byte: a core that sends and receives just keeps it full
WAITS = 1.5  # times the time of a stream's message: a longer call does not work all the time
COMING = 0.3  # of the wire's time: a message that takes that long may not have arrived before
COSTS = ("send_cost", "recv_cost")
LARGE_CALL = 8192  # bytes: without such a message, calls say nothing of bytes
STEEPER = 2.5  # times the slope of shorter messages


def line(sizes, seconds, floor, most=3):
    """(overhead by size, cost per byte) of the time inside a call."""
    _, cost, _ = fit_piece(sizes, seconds, seconds)
    if len(sizes) <= 3:
        return constant(max(0.0, float(np.median(seconds - cost * sizes)))), cost
    rest = fit_segments(sizes, seconds - cost * sizes, seconds, most=most, floor=floor)
    common = float(rest.costs.min())  # the part that all pieces share is the cost's
    return rest.with_values(rest.times, rest.costs - common), cost + common


def told(sizes, seconds, other):
    """Told: the slope from the smallest to the largest message, less an `other` cost. It takes what
    overhead grows by size for a cost, and unlike the best line no nap in one of the small ones for
    the slope. While the shortest call naps or polls, a longer one may work."""
    slope = (seconds[-1] - seconds[0]) / (sizes[-1] - sizes[0])
    return Told(max(0.0, float(slope) - other), float(seconds[0] / sizes[-1]))


def small_message(points, way, **parameters):
    """Seconds per message in a stream of the smallest; inf where none was measured."""
    sizes, seconds = points.curve("stream", way=way, pairs=1, **parameters)
    return float(seconds[0]) if len(seconds) and sizes[0] <= 1024 else np.inf


def arrived(sizes, seconds, wire):
    """Number of the first points of recv_call whose messages had all arrived: what still comes over
    the wire makes the call steep, and every longer one too (a nap only that one)."""
    slopes = (seconds - seconds[:1]) / np.maximum(sizes, 1.0)
    for index in range(1, len(sizes)):
        if sizes[index] < 4096 or seconds[index] < COMING * wire * sizes[index]:
            continue
        steep = max(STEEPER * max(slopes[index - 1], 0.0), 0.1 * wire)
        if (slopes[index:] > steep).all():
            return index
    return len(sizes)


def fit_calls(fitted, points, way, wire):
    """{name: value} from inside the calls, below the eager limit, and where it stands. A message
    that came before its MPI_Recv is copied once more."""
    found, transport = {}, fitted.transport
    for end, call in (("send", "send_call"), ("recv", "recv_call")):
        sizes, seconds = points.curve(call, way=way)
        below = sizes <= transport.eager_limit
        sizes, seconds = sizes[below], seconds[below]
        if end == "recv" and wire.known:
            count = arrived(sizes, seconds, wire.seconds)
            if count < len(sizes):
                fitted.left_out["recv_call"] = sizes[count]
                fitted.notes.append(f"recv_call of {sizes[count]:.0f} bytes and more waited for "
                                    f"data ({way}): omitted")
            sizes, seconds = sizes[:count], seconds[:count]
        if len(sizes) < 2:
            continue
        if sizes[-1] >= LARGE_CALL:
            fitted.calls[f"{end}_cost"] = told(sizes, seconds, (
                transport.unexpected_cost if end == "recv" else 0.0))
        overhead, cost = line(sizes, seconds, noise_of(points.of_probe(call, way=way)))
        found[f"{end}_overhead"] = believed(fitted, points, way, call, seconds[0], overhead)
        found[f"{end}_cost"] = cost if end == "send" else max(0.0, cost - transport.unexpected_cost)
        fitted.evidence[f"{end}_cost"] = f"slope of {call}"
    return found


def within(calls, cores):
    """The costs, no more together than the streams leave."""
    both = sum(calls.get(name, 0.0) for name in COSTS)
    return calls | {name: calls[name] * cores / both for name in COSTS
                    if name in calls and both > cores}


def believed(fitted, points, way, call, seconds, overhead):
    """The overhead as the call says it, unless a stream's messages take less than the call: then
    the call waits as well (a rank that naps), and the streams are to say it."""
    end = call.removesuffix("_call")
    stream = small_message(points, way, directions=1)
    if seconds <= WAITS * stream:
        fitted.evidence[f"{end}_overhead"] = call
        return overhead
    fitted.left_out[call] = 0.0
    fitted.evidence[f"{end}_overhead"] = f"stream, and its CPU time ({call} also waits)"
    fitted.fixed.add(f"{end}_cost")
    return constant(stream / 2)


def message_gap(points, way, limit, wire):
    """(overhead by size) of either end from the rate of small messages in a stream."""
    counts = {point.parameters["pairs"] for point in
              points.of_probe("stream", way=way, directions=1)}
    if not counts:
        return None
    some = points.of_probe("stream", way=way, directions=1, pairs=min(counts))
    some = [point for point in some
            if point.size <= limit and point.size * wire < 0.5 * point.seconds]
    if not some:
        return None
    gap = fit_segments([point.size for point in some], [point.seconds for point in some], most=4)
    return closed_after(gap, limit)


def set_cores(fitted, points, way, wire, shares, calls=None):
    """Overheads and costs per byte: from the calls, from streams, or assumed."""
    shares = {"cpu": CPU_SHARE, "cost": COST_SHARE} | shares
    transport = fitted.transport
    calls = within(fit_calls(fitted, points, way, wire) if calls is None else calls, wire.cores)
    called = set(calls)
    _, seconds = points.curve("ping_pong", way=way)
    small = seconds[0] if len(seconds) else 0.0
    gap = None if calls else message_gap(points, way, transport.eager_limit, wire.seconds)
    busy = np.isfinite(wire.cores) and not wire.known
    for end in ("send", "recv"):
        overhead, cost = f"{end}_overhead", f"{end}_cost"
        if overhead in called:
            continue
        if gap is not None:
            calls[overhead] = gap.with_values(np.minimum(gap.times, small / 2), gap.costs)
            fitted.evidence[overhead] = "rate of small messages in stream, split equally"
        else:
            calls[overhead] = constant(small * shares["cpu"] / 2)
            fitted.assumed[overhead] = (f"{shares['cpu'] / 2:.0%} of the smallest message's time: "
                                        "CPU share not measured")
        if transport.driver == "nic":
            calls[cost] = 0.0
            fitted.assumed[cost] = "the NIC moves the bytes"
        elif not busy:
            calls[cost] = wire.seconds * shares["cost"]
            fitted.assumed[cost] = f"{shares['cost']:.0%} of the link's time per byte"
    if gap is not None:
        fitted.alike.append(("send_overhead", "recv_overhead"))
    if wire.ends and transport.driver != "nic":
        take_ends(fitted, calls, wire)
    elif busy and transport.driver != "nic":
        share_cores(fitted, calls, wire.cores)
    fitted.change(**calls)


def share_cores(fitted, calls, both):
    """The two costs make up what both directions at once take, in the calls' proportion."""
    send, recv = calls.get("send_cost", 0.0), calls.get("recv_cost", 0.0)
    known = send > 0 and recv > 0
    part = send / (send + recv) if known else 0.5
    calls["send_cost"], calls["recv_cost"] = part * both, (1 - part) * both
    fitted.fixed -= {"send_cost", "recv_cost"}
    if not known:
        fitted.alike.append(("send_cost", "recv_cost"))
    words = ", in the calls' proportion" if known else ", split equally"
    fitted.evidence |= dict.fromkeys(COSTS, "bidirectional stream" + words)


def take_ends(fitted, calls, wire):
    """The costs as all streams together tell them (fit.ends), with what they leave open."""
    fitted.fixed -= set(COSTS)
    for name, end in (("send_cost", wire.ends.send), ("recv_cost", wire.ends.recv)):
        if end.bounded_only and name in fitted.assumed:
            calls[name] = min(max(calls[name], end.low), end.high)
            fitted.assumed[name] += f"; the streams leave at most {end.high * 1e9:.3g} ns/B"
            continue
        fitted.assumed.pop(name, None)
        calls[name] = end.value
        fitted.brackets[name] = (end.low, end.high)
        fitted.fixed.add(name)
        calling = ", which leave it open" if end.bounded_only else \
            f", {fitted.evidence[name]}" if name in fitted.evidence else ""
        fitted.evidence[name] = f"streams{calling}"
    if wire.ends.either:
        fitted.undetermined["send_cost and recv_cost"] = (
            "the dearer end is not identifiable: the receiver's is assumed, as is usual")
