# SPDX-License-Identifier: LGPL-2.1-or-later
"""The transports inside a host: shared memory between two ranks, and a rank's own messages."""

import math

import numpy as np

from validation.calibration.fit import calls, eager, memory, observations
from validation.calibration.fit.closed_forms import Transport
from validation.calibration.fit.network import Wire, stream_slope
from validation.calibration.fit.points import Points
from validation.calibration.fit.segments import closed_after, constant, fit_piece
from validation.calibration.fit.transport import Fitted, settle, values_of

ALONE = 0.5  # share of a transfer: a sender that waits for less than that is not needed for it
WHOLE = 1.2  # share of a transfer: a sender that waits for more waited for something else

# Defaults where nothing was measured: of the order of this project's openmpi_tcp profile.
USUAL_SHM = Transport(constant(0.36e-6), constant(0.1e-6), constant(0.1e-6), recv_cost=0.18e-9,
                      unexpected_cost=0.1e-9, eager_limit=4096.0, driver="receiver")
USUAL_SELF = Transport(constant(0.1e-6), recv_cost=0.1e-9)


def driver_of(points, limit):
    """(driver, evidence or ""): who copies a large message. A sender that is not needed is done
    with its message when its computation is."""
    shares = []
    alone = dict(zip(*points.curve("ping_pong", way="shm")))
    for point in points.of_probe("overlap", way="shm", side="sender", tests=False):
        if point.size > limit and alone.get(point.size):
            shares.append((point.seconds - point.parameters["compute_s"]) / alone[point.size])
    share = float(np.median(shares)) if shares else np.inf
    if share <= WHOLE:
        return ("receiver" if share < ALONE else "caller",
                f"overlap: {max(share, 0):.0%} of a transfer is left to a sender that computes")
    walls = dict(zip(*points.curve("stream", way="shm", pairs=1, directions=1)))
    idle = [point.seconds / walls[point.size] for point in
            points.of_probe("stream_cpu", way="shm", side="sender")
            if point.size > limit and point.size in walls]
    if idle and np.median(idle) < ALONE:
        return "receiver", f"stream_cpu: its sender's core is busy {np.median(idle):.0%}"
    return "receiver", ""


def copies_of(points, limit, driver) -> Wire:
    """Inside a host there is no wire; what the streams say of the cores."""
    first, second = (1, 2) if driver == "receiver" else (2, 1)
    both = stream_slope(points, "shm", directions=first, pairs=1)
    if both is None:
        both = stream_slope(points, "shm", directions=second, pairs=1)
    if both is None:
        sizes, seconds = points.curve("ping_pong", way="shm")
        large = sizes > min(limit, sizes.max() / 8)
        both = fit_piece(sizes[large], seconds[large], seconds[large])[1] if large.sum() > 1 \
            else 0.0
    return Wire(0.0, False, both, "")


def fit_shm(points, unexpected) -> Fitted:
    """`unexpected`: s/B of the copy of an early message, assumed."""
    if not points.of_probe("ping_pong", way="shm"):
        fitted = Fitted(USUAL_SHM)
        fitted.assumed["shm"] = "no ping_pong in shared memory: Open MPI's usual, single copy"
        return fitted
    fitted = Fitted(Transport(unexpected_cost=unexpected))
    sizes, seconds = points.curve("ping_pong", way="shm")
    eager.set_limit(fitted, points, "shm", "shm", sizes, seconds)
    limit = fitted.transport.eager_limit
    driver, evidence = driver_of(points, limit)
    if evidence:
        fitted.evidence["driver"] = evidence
    else:
        fitted.assumed["driver"] = "single copy by the receiver, as Open MPI and MPICH do it"
    fitted.change(driver=driver)
    if driver == "receiver" and fit_by_size(fitted, points, limit):
        return fitted
    wire = copies_of(points, limit, driver)
    calls.set_cores(fitted, points, "shm", wire, {})
    if driver == "receiver":
        single_copy(fitted, wire)
    settle(fitted, points, "shm")
    return fitted


def fit_by_size(fitted, points, limit) -> bool:
    """Messages up to the eager limit by all their probes, larger ones by what their receiver takes
    for each size. False where nothing tells the latter."""
    small = Points([point for point in points.all if point.size <= limit])
    if not small.of_probe("ping_pong", way="shm"):
        return False
    calls.set_cores(fitted, small, "shm", Wire(0.0, False, math.inf, ""), {})
    settle(fitted, small, "shm")
    fitted.change(send_overhead=closed_after(fitted.transport.send_overhead, limit))
    found = memory.fit_copies(fitted.transport, points)
    if not found:
        return False
    _, way, copies = found[0]
    told = f"{copies.points[0].what} by size"
    for name in ("recv_cost", "recv_overhead"):
        before = fitted.evidence.get(name)
        fitted.evidence[name] = f"{before}, {told}" if before else told
    free = {name for group in fitted.free for name in group}
    fitted.told = {name: told for name, value in values_of(way).items()
                   if name.startswith("recv_") and value and name not in free}
    fitted.start, fitted.finish, fitted.transport = fitted.transport, copies.finish, way
    fitted.changes = [memory.Change(above, one) for above, one, _ in found[1:]]
    compare(fitted, points, found)
    return True


def compare(fitted, points, found):
    """Times of larger messages against the fit; exchanges at the costs of their buffers."""
    large = Points([point for point in points.all if point.size > fitted.transport.eager_limit])
    fitted.compared = observations.observe(large, "shm", fitted.transport, fitted.left_out)
    for _, way, copies in found:
        if copies.latencies == 2:
            one = copies.observation()
            one.predict = lambda _, copies=copies, way=way: copies.predict(way)
            fitted.compared.append(one)


def single_copy(fitted, wire):
    """All of a large message's cost is its receiver's; a sender pays for small ones only."""
    if "slope of" not in fitted.evidence.get("send_cost", ""):
        fitted.change(send_cost=0.0)
    fitted.change(recv_cost=wire.cores)
    fitted.alike = [pair for pair in fitted.alike if pair[0] != "send_cost"]
    fitted.fixed -= {"recv_cost"}
    fitted.evidence.pop("send_cost", None)
    fitted.assumed["send_cost"] = "a single copy, by the receiver"
    fitted.evidence["recv_cost"] = "slope of large messages"


def fit_self(points) -> Fitted:
    """A rank's messages to itself are one copy."""
    sizes, seconds = points.curve("ping_pong", way="self")
    if len(sizes) < 2:
        fitted = Fitted(USUAL_SELF)
        fitted.assumed["self"] = "not measured: usual for one copy in memory"
        return fitted
    _, cost, _ = fit_piece(sizes, seconds, seconds)
    fitted = Fitted(Transport(constant(0), recv_cost=cost, eager_limit=math.inf))
    fitted.evidence["recv_cost"] = "slope of ping_pong"
    settle(fitted, points, "self")
    return fitted
