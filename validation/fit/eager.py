# SPDX-License-Identifier: LGPL-2.1-or-later
"""Up to which size a message is sent at once."""

import dataclasses
import math

import numpy as np

from validation.fit.segments import Sized, constant, fit_segments

LIMITS = {"tcp": 65536.0, "rdma": 8192.0, "shm": 4096.0}  # usual defaults of MPI libraries


def eager_limit(points, way):
    """(limit, low, high, evidence), or None: between the longest message whose send ends before its
    receiver comes and the next longer one, whose send waits; or where a ping-pong jumps."""
    eager, large = [0.0], []
    for point in points.of_probe("late_receiver", way=way):
        # One send that returned early shows an eager message; a busy machine delays them too.
        quickest = min(point.samples, default=point.seconds)
        early = quickest < point.parameters["delay_s"] / 2
        (eager if early else large).append(point.size)
    low = max(eager)
    waited = [size for size in large if size > low]
    if waited:
        return min(waited) - 1, low, min(waited) - 1, "late_receiver"
    if low > 0:
        return math.inf, low, math.inf, "late_receiver: no send waited"
    return None


def jump_limit(sizes, seconds, curve: Sized):
    """The same from the greatest jump of a curve, if it is as long as half of a small message."""
    best = None
    for before in curve.segments[:-1]:
        index = int(np.searchsorted(sizes, before.up_to, side="right"))
        straight = before.time + before.cost * sizes[index]
        jump = seconds[index] - straight
        if jump > max(0.5 * seconds[0], 0.15 * straight) and (best is None or jump > best[0]):
            best = (jump, sizes[index] - 1, before.up_to)
    return best and (best[1], best[2], best[1], "a jump in ping_pong")


def eager_room(points, way):
    """(bytes, low, high) of eager messages that a receiver outside MPI is sent before a send waits;
    None where none waited. By the quickest of each: a busy machine delays the others."""
    free, held = [0.0], []
    for point in points.of_probe("eager_room", way=way):
        quickest = min(point.samples, default=point.seconds)
        waited = quickest >= point.parameters["delay_s"] / 4
        (held if waited else free).append(point.size * point.parameters["messages"])
    if not held:
        return None
    high = min(held)
    low = max(size for size in free if size < high)
    return (low + high) / 2, low, high


def set_room(fitted, points, way):
    found = eager_room(points, way)
    if found is None:
        return
    room, *fitted.brackets["eager_room"] = found
    fitted.evidence["eager_room"] = "eager_room"
    fitted.transport = dataclasses.replace(fitted.transport, eager_room=room)


def set_limit(fitted, points, way, kind, sizes, seconds):
    curve = fit_segments(sizes, seconds) if len(sizes) > 2 else constant(0)
    found = eager_limit(points, way) or jump_limit(sizes, seconds, curve)
    if found:
        limit, low, high, fitted.evidence["eager_limit"] = found
        fitted.brackets["eager_limit"] = (low, high)
    else:
        limit = LIMITS[kind]
        fitted.assumed["eager_limit"] = f"no late_receiver and no jump in ping_pong: usual for " \
                                        f"{kind}"
    fitted.transport = dataclasses.replace(fitted.transport, eager_limit=limit)
