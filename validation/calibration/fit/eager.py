# SPDX-License-Identifier: LGPL-2.1-or-later
"""Up to which size a message is sent at once."""

import math
from typing import NamedTuple

import numpy as np

from validation.calibration.fit.segments import Sized, constant, fit_segments

# Share of the receiver's delay from which on a send waited. One to a late receiver then takes all
# of it, but for the precision of two clocks; the longest of many begins anywhere within it.
WAITED = {"late_receiver": 0.9, "eager_room": 1 / 4}
LIMITS = {"tcp": 65536.0, "rdma": 8192.0, "shm": 4096.0}  # usual defaults of MPI libraries


class Tried(NamedTuple):
    """Sends of one amount to a late receiver. A busy machine delays them, so one that returned
    early shows that the amount is eager; on a quiet machine most do."""
    amount: float  # bytes
    once: bool  # early
    mostly: bool


class Step(NamedTuple):
    """The longest eager amount, the shortest above it that waited (inf: none did), and the least
    and the most that they may be. `odd`: amounts that mostly waited although they are eager, or
    longer ones are. They show that waiting proves nothing here, so that all of them are in doubt,
    and the step above them."""
    eager: float
    waited: float
    low: float
    high: float
    odd: tuple


def step_of(tried) -> Step:
    eager = max((one.amount for one in tried if one.once), default=0.0)
    waited = [one.amount for one in tried if one.amount > eager] or [math.inf]
    odd = sorted(one.amount for one in tried if one.amount <= eager and not one.mostly)
    if not odd:
        return Step(eager, min(waited), eager, min(waited), ())
    below = [one.amount for one in tried if one.mostly and one.amount < odd[0]]
    return Step(eager, min(waited), max(below, default=0.0), max(waited), tuple(odd))


def late_sends(points, way, probe) -> Step:
    """The step of a probe with late receivers."""
    tried = []
    for point in points.of_probe(probe, way=way):
        late = WAITED[probe] * point.parameters["delay_s"]
        tried.append(Tried(point.size * point.parameters.get("messages", 1),
                           min(point.samples, default=point.seconds) < late, point.seconds < late))
    return step_of(tried)


def eager_limit(step: Step):
    """(limit, low, high, evidence) by late_receiver, or None: between the longest message whose
    send ends before its receiver comes and the next longer one, whose send waits."""
    if not step.eager and math.isinf(step.waited):
        return None
    return (step.waited - 1, step.low, step.high - 1,
            "late_receiver" + (": no send waited" if math.isinf(step.waited) else ""))


def jump_limit(sizes, seconds, curve: Sized, step: Step):
    """(limit, low, high, evidence) from the greatest jump of a curve that the step allows, if it is
    as long as half of a small message."""
    best = None
    for before in curve.segments[:-1]:
        index = int(np.searchsorted(sizes, before.up_to, side="right"))
        if sizes[index] - 1 < step.eager or before.up_to >= step.high:
            continue
        straight = before.time + before.cost * sizes[index]
        jump = seconds[index] - straight
        if jump > max(0.5 * seconds[0], 0.15 * straight) and (best is None or jump > best[0]):
            best = (jump, sizes[index] - 1, before.up_to)
    return best and (best[1], best[2], best[1], "a jump in ping_pong")


def set_room(fitted, points, way):
    """Bytes of eager messages that a receiver outside MPI is sent before a send waits; unset where
    none waited."""
    step = late_sends(points, way, "eager_room")
    if math.isinf(step.waited):
        return
    set_bracket(fitted, "eager_room", step, step.low, step.high, "eager_room")
    fitted.change(eager_room=(step.eager + step.waited) / 2)


def set_limit(fitted, points, way, kind, sizes, seconds):
    curve = fit_segments(sizes, seconds) if len(sizes) > 2 else constant(0)
    step = late_sends(points, way, "late_receiver")
    jump = jump_limit(sizes, seconds, curve, step)
    found = eager_limit(step) or jump
    if step.odd and jump:
        found = (jump[0], min(step.low, jump[1]), max(found[2], jump[2]),
                 f"{jump[3]}, as late_receiver contradicts itself")
    if found:
        limit, low, high, evidence = found
        set_bracket(fitted, "eager_limit", step, low, high, evidence)
    else:
        limit = LIMITS[kind]
        fitted.assumed["eager_limit"] = f"no late_receiver and no jump in ping_pong: usual for " \
                                        f"{kind}"
    fitted.change(eager_limit=limit)


def set_bracket(fitted, name, step, low, high, evidence):
    fitted.brackets[name], fitted.evidence[name] = (low, high), evidence
    if step.odd:
        sizes = " and ".join(f"{one:.0f}" for one in sorted({step.odd[0], step.odd[-1]}))
        fitted.doubts[name] = (f"sends of {sizes} bytes to a late receiver mostly waited, and "
                               f"one of {step.eager:.0f} bytes did not: measure again")
