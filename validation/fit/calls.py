"""What a message costs the cores at its ends: per message and per byte."""

import dataclasses

import numpy as np

from fit.segments import closed_after, constant, fit_piece, fit_segments

CPU_SHARE = 0.5  # of a small message's time, where nothing tells; half of it at each end
COST_SHARE = 0.5  # of a wire's time per byte: a core that sends and receives just keeps it full


def line(sizes, seconds, most=3):
    """(overhead by size, cost per byte) of the time inside a call."""
    _, cost, _ = fit_piece(sizes, seconds, seconds)
    if len(sizes) <= 3:
        return constant(max(0.0, float(np.median(seconds - cost * sizes)))), cost
    rest = fit_segments(sizes, seconds - cost * sizes, seconds, most=most)
    common = float(rest.costs.min())  # what all pieces have is the cost's
    return rest.with_values(rest.times, rest.costs - common), cost + common


def fit_calls(points, way, limit, cores, unexpected):
    """({name: value}, evidence) from inside the calls, below the eager limit; the costs are at
    most what the streams leave: `cores` for both. A message that came before its MPI_Recv is
    copied once more, at the cost `unexpected`."""
    found, evidence = {}, {}
    for name, call in (("send", "send_call"), ("recv", "recv_call")):
        sizes, seconds = points.curve(call, way=way)
        below = sizes <= limit
        if below.sum() >= 2:
            found[f"{name}_overhead"], found[f"{name}_cost"] = line(sizes[below], seconds[below])
            evidence[name] = call
    if "recv_cost" in found:
        found["recv_cost"] = max(0.0, found["recv_cost"] - unexpected)
    both = found.get("send_cost", 0) + found.get("recv_cost", 0)
    if both > cores:
        for name in ("send_cost", "recv_cost"):
            if name in found:
                found[name] *= cores / both
    return found, evidence


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


def set_cores(fitted, points, way, transport, wire, shares):
    """Overheads and costs per byte: from the calls, from streams, or assumed."""
    shares = {"cpu": CPU_SHARE, "cost": COST_SHARE} | shares
    calls, evidence = fit_calls(points, way, transport.eager_limit, wire.cores,
                                transport.unexpected_cost)
    _, seconds = points.curve("ping_pong", way=way)
    small = seconds[0] if len(seconds) else 0.0
    gap = None if evidence else message_gap(points, way, transport.eager_limit, wire.seconds)
    busy = np.isfinite(wire.cores) and not wire.known
    for end in ("send", "recv"):
        overhead, cost = f"{end}_overhead", f"{end}_cost"
        if end in evidence:
            fitted.evidence[overhead] = evidence[end]
            fitted.evidence[cost] = f"slope of {evidence[end]}"
            continue
        if gap is not None:
            calls[overhead] = gap.with_values(np.minimum(gap.times, small / 2), gap.costs)
            fitted.evidence[overhead] = "rate of small messages in stream, both ends alike"
        else:
            calls[overhead] = constant(small * shares["cpu"] / 2)
            fitted.assumed[overhead] = (f"{shares['cpu'] / 2:.0%} of the smallest message's time: "
                                        "nothing tells CPU from wire")
        if transport.driver == "nic":
            calls[cost] = 0.0
            fitted.assumed[cost] = "the NIC moves the bytes"
        elif not busy:
            calls[cost] = wire.seconds * shares["cost"]
            fitted.assumed[cost] = f"{shares['cost']:.0%} of the wire's time per byte"
    if gap is not None:
        fitted.alike.append(("send_overhead", "recv_overhead"))
    if busy and transport.driver != "nic":
        share_cores(fitted, calls, wire.cores, evidence)
    return dataclasses.replace(transport, **calls)


def share_cores(fitted, calls, both, evidence):
    """The two costs make up what both directions at once take, in the calls' proportion."""
    send, recv = calls.get("send_cost", 0.0), calls.get("recv_cost", 0.0)
    known = send > 0 and recv > 0
    part = send / (send + recv) if known else 0.5
    calls["send_cost"], calls["recv_cost"] = part * both, (1 - part) * both
    if not known:
        fitted.alike.append(("send_cost", "recv_cost"))
    words = ", in the calls' proportion" if known else ", both ends alike"
    for cost in ("send_cost", "recv_cost"):
        fitted.evidence[cost] = "stream in both directions at once" + words
