# SPDX-License-Identifier: LGPL-2.1-or-later
"""Costs of a host's cores and memory by themselves: reductions and copies."""

import dataclasses
import math

import numpy as np

from validation.calibration.fit.matching import match_cost_of

USES_OF_REDUCTION = 3  # bytes that move per byte reduced: two read, one written
SLOWER = 1.2  # than one rank alone: the memory is shared
LEAST = 4096  # bytes: calling for less costs more than working
BEYOND = 1 << 20  # bytes: less is in the caches, whatever the memory does

# Defaults where nothing was measured: of the order of this project's openmpi_tcp profile.
USUAL_REDUCE = 0.093e-9
USUAL_COPY = 0.1e-9
USUAL_DETOURS = 0.002  # of a core's time: c3-standard-4's (validation/published/SPLIT.md)


@dataclasses.dataclass
class Cores:
    """s/B of one core, s of matching, bytes/s of a host's memory (inf: never the bottleneck), and
    why."""
    reduce_cost: float = USUAL_REDUCE
    copy_cost: float = USUAL_COPY
    match_cost: float = 0.0  # s for each receive or message that matching looks at in vain
    match_range: list = dataclasses.field(default_factory=list)  # its interval
    memory: float = math.inf
    detours: float = 0.0  # share of a core's time that others take (verdict/waits.py)
    receiving: float = 0.0  # s of each message of a collective, that no ping-pong has
    observations: dict = dataclasses.field(default_factory=dict)  # name: points
    evidence: dict = dataclasses.field(default_factory=dict)
    assumed: dict = dataclasses.field(default_factory=dict)
    undetermined: dict = dataclasses.field(default_factory=dict)
    notes: list = dataclasses.field(default_factory=list)


def cost_of(points):
    """One cost per byte for all sizes: the same factor too much as too little."""
    return float(np.exp(np.mean([np.log(point.seconds / point.size) for point in points])))


def alone(points, what):
    """The points of the fewest ranks, from 4 KiB on: below, calling costs more than working."""
    found = points.of_probe(what)
    if not found:
        return []
    fewest = min(point.parameters["ranks"] for point in found)
    return [point for point in found if point.parameters["ranks"] == fewest
            and point.size >= LEAST] or found[-1:]


def memory_of(points, cores):
    """Bytes/s of the memory, if ranks together are slower than one and cores do not explain it."""
    found = points.of_probe("reduction")
    one = {point.size: point.seconds for point in alone(points, "reduction")}
    crowd = [point for point in found if point.parameters["ranks"] > 1 and point.size in one
             and point.size >= BEYOND and point.parameters["ranks"] <= cores]
    slow = [point for point in crowd if point.seconds > SLOWER * one[point.size]]
    if len(slow) * 2 <= len(crowd) or not slow:
        return math.inf, bool(crowd)
    most = max(point.parameters["ranks"] for point in slow)
    rates = [USES_OF_REDUCTION * point.size * most / point.seconds for point in slow
             if point.parameters["ranks"] == most]
    return float(np.median(rates)), True


def fit_cores(points, cores) -> Cores:
    """`cores`: of a host; more ranks than that share them, and say nothing about memory."""
    found = Cores()
    for name, what in (("reduce_cost", "reduction"), ("copy_cost", "copy")):
        some = alone(points, what)
        if some:
            setattr(found, name, cost_of(some))
            found.observations[name] = some
            found.evidence[name] = what
            note_range(found, name, some)
        else:
            found.assumed[name] = f"no {what} was measured: usual for a core"
    if told := match_cost_of(points):
        found.match_cost, *found.match_range = told
        found.evidence["match_cost"] = "matching"
    found.memory, seen = memory_of(points, cores)
    if math.isfinite(found.memory):
        found.evidence["memory_bandwidth"] = "reduction by several ranks concurrently"
    elif seen:
        found.notes.append("concurrent reductions of several ranks were as fast as one alone: the "
                           "memory is not limited")
    else:
        found.undetermined["memory_bandwidth"] = "no reduction by several ranks: unlimited"
    return found


def note_range(found, name, points):
    """The model has one cost for all sizes; caches give several."""
    rates = [point.seconds / point.size for point in points]
    if max(rates) > 1.5 * min(rates):
        found.notes.append(f"{name}: {min(rates) * 1e9:.3g} to {max(rates) * 1e9:.3g} ns/B by "
                           f"size, {getattr(found, name) * 1e9:.3g} ns/B is taken for all")


def redrawn_costs(found: Cores, generator) -> dict:
    """{name: the cost of points drawn again}: their samples, or the points where none are."""
    drawn = {}
    for name, points in found.observations.items():
        if any(len(point.samples) > 1 for point in points):
            drawn[name] = cost_of([point.redrawn(generator) for point in points])
        else:
            drawn[name] = cost_of([points[i] for i in generator.integers(len(points),
                                                                        size=len(points))])
    return drawn
