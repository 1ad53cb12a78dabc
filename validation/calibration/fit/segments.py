# SPDX-License-Identifier: LGPL-2.1-or-later
"""A time by message size as few straight pieces, found by the data: time + bytes * cost.

Where pieces begin and how many there are is decided by the Bayesian information criterion over all
partitions of the measured sizes (dynamic programming), each piece a least-squares fit on relative
error whose time and cost are not negative.
"""

import dataclasses
import math
from typing import NamedTuple

import numpy as np

FLOOR = 0.01  # of relative error: closer than that no measurement tells apart
MOST = 6  # pieces


class Segment(NamedTuple):
    """time + bytes * cost, for messages of at most `up_to` bytes."""
    up_to: float
    time: float
    cost: float


@dataclasses.dataclass(frozen=True)
class Sized:
    """A time that goes by message size. The last segment has no end."""
    segments: tuple = (Segment(math.inf, 0.0, 0.0),)

    def __post_init__(self):
        object.__setattr__(self, "ends", np.array([one.up_to for one in self.segments]))
        object.__setattr__(self, "times", np.array([one.time for one in self.segments]))
        object.__setattr__(self, "costs", np.array([one.cost for one in self.segments]))
        object.__setattr__(self, "splits", {})  # by share: fits ask for the same one many times

    def __call__(self, sizes):
        index = self.index(sizes) if len(self.segments) > 1 else 0
        return self.times[index] + np.asarray(sizes, float) * self.costs[index]

    def index(self, sizes):
        """Segment of each size."""
        return self.ends[:-1].searchsorted(sizes)

    def with_values(self, times, costs):
        return Sized(tuple(Segment(one.up_to, float(time), float(cost))
                           for one, time, cost in zip(self.segments, times, costs)))

    def split(self, shares):
        """(the rest, this share of each segment)"""
        if shares not in self.splits:
            share = np.array(shares if shares else [0.0] * len(self.segments))
            self.splits[shares] = tuple(self.with_values(part * self.times, part * self.costs)
                                        for part in (1 - share, share))
        return self.splits[shares]


def constant(time, cost=0.0) -> Sized:
    return Sized((Segment(math.inf, float(time), float(cost)),))


def fit_piece(sizes, times, scale):
    """(time, cost, squared relative error) of the best piece; `scale` is what errors are
    relative to. The solution of two unknowns that may not be negative is one of three."""
    weight = 1 / scale
    one, x, y = weight, sizes * weight, times * weight
    aa, ab, bb, ay, by = one @ one, one @ x, x @ x, one @ y, x @ y
    candidates = [(max(0.0, ay / aa), 0.0)]
    determinant = aa * bb - ab * ab
    if determinant > 1e-12 * aa * bb and len(np.unique(sizes)) > 1:
        time, cost = (bb * ay - ab * by) / determinant, (aa * by - ab * ay) / determinant
        if time >= 0 and cost >= 0:
            candidates = [(time, cost)]
        else:
            candidates.append((0.0, max(0.0, by / bb)))
    errors = [float(np.sum((time * one + cost * x - y) ** 2)) for time, cost in candidates]
    best = int(np.argmin(errors))
    return (*candidates[best], errors[best])


def criterion(error, points, unknowns, floor):
    """Schwarz's; smaller is better. The floor keeps it from explaining what is noise anywhere."""
    if unknowns >= points:
        return math.inf
    return points * math.log(error / points + floor**2) + unknowns * math.log(points)


def fit_segments(sizes, times, scale=None, forced=(), most=MOST, floor=FLOOR) -> Sized:
    """The pieces that the data ask for.

    `scale`: what each error is relative to, the time itself unless said. `forced`: sizes after
    which a piece ends whatever the data say. `floor`: relative error that says nothing."""
    order = np.argsort(sizes, kind="stable")
    x = np.asarray(sizes, float)[order]
    y = np.asarray(times, float)[order]
    scale = np.asarray(times if scale is None else scale, float)[order]
    scale = np.maximum(scale, 1e-12)
    starts = [0] + [i for i in range(1, len(x)) if x[i] > x[i - 1]]  # possible starts of a piece
    ends = starts[1:] + [len(x)]
    limits = {i for i in starts for size in forced if i and x[i - 1] <= size < x[i]}
    best = [[(math.inf, ())] * (len(ends) + 1) for _ in range(most + 1)]
    best[0][0] = (0.0, ())
    for last in range(1, len(ends) + 1):
        for first in range(last):
            begin, end = starts[first], ends[last - 1]
            if any(begin < limit < end for limit in limits):
                continue
            time, cost, error = fit_piece(x[begin:end], y[begin:end], scale[begin:end])
            for pieces in range(1, most + 1):
                before, found = best[pieces - 1][first]
                if before + error < best[pieces][last][0]:
                    best[pieces][last] = (before + error, found + ((end, time, cost),))
    scored = [(criterion(error, len(x), unknowns_of(found), floor), index, found)
              for index, (error, found) in enumerate(row[-1] for row in best) if found]
    _, _, found = min(scored) if min(scored)[0] < math.inf else min(scored, key=lambda one: one[1])
    return Sized(tuple(Segment(between(x, end, forced), time, cost) for end, time, cost in found))


def unknowns_of(found):
    """Number of values that are not at their bounds, and of the places where pieces meet."""
    return sum((time > 0) + (cost > 0) for _, time, cost in found) + len(found) - 1


def between(sizes, end, limits):
    """End of a piece before `sizes[end]`: at a limit, or else at its last size."""
    if end == len(sizes):
        return math.inf
    inside = [limit for limit in limits if sizes[end - 1] <= limit < sizes[end]]
    return float(max(inside, default=sizes[end - 1]))


def closed_after(sized: Sized, limit) -> Sized:
    """Beyond `limit` there is nothing per byte any more: the time of the smallest messages."""
    if not math.isfinite(limit) or not sized.costs.any():
        return sized
    kept = [one for one in sized.segments if one.up_to < limit]
    last = sized.segments[len(kept)]
    return Sized((*kept, Segment(limit, last.time, last.cost),
                  Segment(math.inf, sized.segments[0].time, 0.0)))
