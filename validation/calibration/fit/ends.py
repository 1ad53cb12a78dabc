# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sender's core, receiver's core, wire: how long does each take for a byte?

A stream is as fast as the slowest of the three, so that no stream by itself tells which one it was.
Together they do: both directions at once ask one core for both costs, several pairs share the wire
and no core, a core works no longer than its CPU time, and a call that moves a message by itself
lasts about as long as it works. Whatever fits all of that nearly as well as the best does is what
the probes cannot tell from it: that is the interval.
"""

from typing import NamedTuple

import numpy as np

from validation.calibration.fit.observations import links_of

LARGE = 16384  # bytes: smaller messages tell calls rather than bytes
STREAM = 0.03  # relative error that the slowest of three is trusted to
WAITING = 0.1  # of a stream in both directions: its ends also wait for each other
CALL, LONGER = 0.1, 0.3  # of a call that works longer than a stream's bytes cost, or shorter
BUSY = 0.03  # of CPU time
ALIKE = 0.02  # weight of ends that cost the same, where nothing tells them apart
CELLS, ROUNDS = 41, 3  # of the search, along each cost and from coarse to fine
NEARLY = 4.0  # worse than the best in squares of errors: 95 % of one value


class Known(NamedTuple):
    """s/B, and what the probes leave open."""
    value: float
    low: float
    high: float

    @property
    def bounded_only(self):
        """True if it may as well be nothing."""
        return self.low <= 0.02 * self.high


class Told(NamedTuple):
    """s/B by which a call gets longer, and by how much more its work may, hidden in the rest."""
    cost: float
    hidden: float


class Ends(NamedTuple):
    send: Known
    recv: Known
    wire: Known
    either: bool  # the costs of the two ends may as well be exchanged


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


def streams_of(points, way):
    """[(s/B, pairs on one link, directions)] of all that were probed."""
    found = []
    streams = points.of_probe("stream", way=way)
    for pairs, directions in sorted({(point.parameters["pairs"], point.parameters["directions"])
                                     for point in streams}):
        slope = stream_slope(points, way, pairs=pairs, directions=directions)
        if slope is not None:
            one = points.of_probe("stream", way=way, pairs=pairs, directions=directions)[0]
            found.append((slope, pairs / links_of(one), directions))
    return found


def cpu_slope(points, way, side):
    """CPU seconds per byte of large messages; inf where none were measured."""
    sizes, seconds = points.curve("stream_cpu", way=way, side=side)
    large = sizes >= LARGE
    return float(np.median((seconds / np.maximum(sizes, 1))[large][-3:])) if large.any() else np.inf


class Evidence:
    """Measurements, and how badly three costs fit them."""

    def __init__(self, points, way, calls):
        self.streams = streams_of(points, way)
        self.calls = [(end, calls[name]) for end, name in enumerate(("send_cost", "recv_cost"))
                      if name in calls]
        self.cpu = [(0, cpu_slope(points, way, "sender")), (1, cpu_slope(points, way, "receiver"))]

    @property
    def tells(self):
        """Both directions of one pair: without them a core's part is anyone's guess."""
        return {1, 2} <= {directions for _, pairs, directions in self.streams if pairs == 1}

    @property
    def most(self):
        """A core takes no longer than any stream one way, the wire no longer than its share."""
        core = 1.1 * min(slope for slope, _, directions in self.streams if directions == 1)
        return np.array([core, core, 1.1 * min(slope / pairs for slope, pairs, _ in self.streams)])

    def misfit(self, send, recv, wire):
        """Sum of squares; arrays in, array out."""
        ends = (send, recv)
        found = 0.0
        for slope, pairs, directions in self.streams:
            cores = send + recv if directions == 2 else np.maximum(send, recv)
            error = np.maximum(cores, pairs * wire) / slope - 1
            spread = WAITING if directions == 2 else STREAM
            found = found + (error / np.where(error < 0, spread, STREAM))**2
        for end, one in self.calls:
            error = ends[end] - one.cost
            more = np.hypot(LONGER * one.cost, one.hidden)
            found = found + (error / np.where(error < 0, CALL * one.cost + 1e-15, more))**2
        for end, cost in self.cpu:
            if np.isfinite(cost):
                found = found + (np.maximum(ends[end] / cost - 1, 0) / BUSY)**2
        return found

    def preference(self, send, recv):
        """Decides where nothing was measured: ends alike, else the receiver's is dearer."""
        return ALIKE * ((send - recv) / self.most[0])**2 + ALIKE / 100 * (send > recv)


def box(costs, chosen):
    """Lowest and highest of each cost among the chosen cells."""
    index = np.nonzero(chosen)
    return [(float(axis.ravel()[one].min()), float(axis.ravel()[one].max()))
            for axis, one in zip(costs, index)]


def tell_apart(points, way, calls):
    """Ends, or None where the streams do not say. `calls`: {name: Told}."""
    evidence = Evidence(points, way, calls)
    if not evidence.tells:
        return None
    low, high = np.zeros(3), evidence.most
    for level in range(ROUNDS):
        costs = np.meshgrid(*(np.linspace(a, b, CELLS) for a, b in zip(low, high)), indexing="ij",
                            sparse=True)
        misfit = evidence.misfit(*costs)
        at = np.unravel_index(np.argmin(misfit + evidence.preference(*costs[:2])), misfit.shape)
        if level == 0:
            coarse, best_of_all = costs, misfit.min()
        best = np.array([axis.ravel()[i] for axis, i in zip(costs, at)])
        cell = (high - low) / (CELLS - 1)
        low, high = np.maximum(best - 1.5 * cell, 0), best + 1.5 * cell
        best_of_all = min(best_of_all, misfit.min())
    misfit = evidence.misfit(*coarse)
    # A coarse cell is as good as the best within it: half of a cell's width is no misfit.
    near = box(coarse, misfit <= max(best_of_all, misfit.min()) + NEARLY)
    send, recv, wire = (Known(float(value), min(a, float(value)), max(b, float(value)))
                        for value, (a, b) in zip(best, near))
    swapped = evidence.misfit(best[1], best[0], best[2]) <= best_of_all + NEARLY
    alike = abs(best[0] - best[1]) <= 0.1 * max(best[0], best[1])
    return Ends(send, recv, wire, bool(swapped and not alike))
