# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cost of messages and sums in a host's memory: by size, and by what the caches hold.

`exchange` measures messages that were written before they are sent and are read after they came, in
buffers of several sizes. Without it a ping-pong gives the cost by size alone. Sums and copies cost
by vector what the probes of local work take for as many bytes.
"""

import dataclasses
import math

import numpy as np

from validation.calibration.fit.closed_forms import Transport
from validation.calibration.fit.cores import LEAST, cost_of
from validation.calibration.fit.observations import Observation, arrays
from validation.calibration.fit.segments import Segment, Sized, fit_piece, fit_segments

APART = 1.15  # times as long: what caches do not hold costs more than that
FLOOR = 0.05  # relative error: closer than that no pieces are told apart
MOST = 4  # pieces


@dataclasses.dataclass
class Change:
    """Costs that differ for vectors of more than `above` bytes."""
    above: float
    shm: Transport = None
    costs: dict = dataclasses.field(default_factory=dict)  # "reduce_cost": s/B


def typical(values) -> float:
    """The same factor too much as too little."""
    return float(np.exp(np.mean(np.log(np.maximum(values, 1e-15)))))


def set_of(point):
    """Bytes of the buffers that messages went through in turn."""
    return float(point.parameters["set"])


def borders(points) -> list:
    """Above which vectors the same message takes longer, rising."""
    sets = sorted({set_of(point) for point in points if set_of(point) > point.size})
    times = {(point.size, set_of(point)): point.seconds for point in points}
    found = []
    for small, large in zip(sets, sets[1:]):
        ratios = [times[size, large] / times[size, small] for size, of_set in times
                  if of_set == large and (size, small) in times]
        if ratios and typical(ratios) > APART:
            found.append(math.sqrt(small * large))
    return found


@dataclasses.dataclass
class Copies:
    """Times of messages above the eager limit at their receiver, by size."""
    points: list
    latencies: int  # beside which they were measured: of a ping-pong one, of an exchange two
    pieces: Sized = None

    def observation(self):
        return Observation(self.points[0].what, self.points, self.predict)

    def predict(self, way):
        sizes, _ = arrays(self.points)
        return self.known(way, sizes) + way.recv_overhead(sizes) + sizes * way.recv_cost

    def known(self, way, sizes):
        """Time that is not the receiver's."""
        steady, jitter = way.parts()
        return way.send_overhead(sizes) + self.latencies * steady(0.0) + jitter(sizes)

    def fit(self, way):
        """The pieces that the data ask for, and the transport with them."""
        sizes, seconds = arrays(self.points)
        rest = np.maximum(seconds - self.known(way, sizes), 0.0)
        self.pieces = fit_segments(sizes, rest, seconds, most=MOST, floor=FLOOR)
        return self.finish(way, lambda _: seconds)

    def finish(self, way, draw):
        """The same pieces of points drawn again. One size alone does not tell a time from a cost:
        all of it is cost."""
        sizes, _ = arrays(self.points)
        seconds = draw(self.observation())
        rest = np.maximum(seconds - self.known(way, sizes), 0.0)
        times, costs = [], []
        for index in range(len(self.pieces.segments)):
            here = self.pieces.index(sizes) == index
            if len(set(sizes[here])) > 1:
                time, cost, _ = fit_piece(sizes[here], rest[here], seconds[here])
            else:
                time, cost = 0.0, float(np.mean(rest[here] / sizes[here]))
            times.append(time)
            costs.append(cost)
        return with_pieces(way, self.pieces.with_values(times, costs))


def with_pieces(way, pieces):
    """The transport whose messages above the eager limit take these pieces: the least cost of all
    is recv_cost, what a size costs beyond it stands in recv_overhead."""
    base = float(min([way.recv_cost, *pieces.costs]))
    small = [one for one in way.recv_overhead.segments if one.up_to < way.eager_limit]
    small.append(way.recv_overhead.segments[len(small)]._replace(up_to=way.eager_limit))
    segments = [Segment(one.up_to, one.time, one.cost + way.recv_cost - base) for one in small]
    segments += [Segment(one.up_to, one.time, one.cost - base) for one in pieces.segments]
    return dataclasses.replace(way, recv_cost=base, recv_overhead=Sized(tuple(segments)))


def fit_copies(way, points):
    """[(above, transport, Copies)] of messages above the eager limit, by vectors of more than
    `above` bytes, rising; [] where nothing tells. `way`: as the smaller messages say it."""
    large = [point for point in points.of_probe("exchange", way="shm")
             if point.size > way.eager_limit]
    limits, latencies = [0.0, *borders(large), math.inf], 2
    if not enough(large):
        large = [point for point in points.of_probe("ping_pong", way="shm")
                 if point.size > way.eager_limit]
        limits, latencies = [0.0, math.inf], 1
    found = []
    for low, high in zip(limits, limits[1:]):
        some = [point for point in large if latencies == 1 or low < set_of(point) <= high]
        if enough(some):
            copies = Copies(some, latencies)
            found.append((low, copies.fit(way), copies))
    return found


def enough(points):
    return len({point.size for point in points}) > 1


def costs_by_vector(points, name):
    """(s/B of the smallest vectors, changes, points of the smallest); costs that are alike are
    one. `name`: of the cost."""
    groups = []  # of points
    for size in sorted({point.size for point in points}):
        some = [point for point in points if point.size == size]
        if groups and 1 / APART < cost_of(some) / cost_of(groups[-1]) < APART:
            groups[-1] += some
        else:
            groups.append(some)
    changes = [Change(math.sqrt(before[-1].size * group[0].size),
                      costs={name: cost_of(group)}) for before, group in zip(groups, groups[1:])]
    return cost_of(groups[0]), changes, groups[0]


def fit_local_work(host, points) -> list:
    """Changes of what sums and copies cost; sets what they cost in the smallest vectors."""
    found = []
    for name, what in (("reduce_cost", "reduction"), ("copy_cost", "copy")):
        some = [point for point in points.of_probe(what, ranks=1) if point.size >= LEAST]
        if not some:
            continue
        cost, changes, used = costs_by_vector(some, name)
        setattr(host, name, cost)
        host.observations[name] = used
        host.evidence[name] = f"{what}, small buffers" if changes else what
        host.notes = [note for note in host.notes if not note.startswith(name)]
        found = merged(found, changes)
    return found


def merged(*lists) -> list:
    """All changes by rising size, those of one size as one."""
    found = {}
    for one in sorted((one for some in lists for one in some), key=lambda one: one.above):
        before = found.get(round(one.above))
        found[round(one.above)] = one if before is None else Change(
            one.above, one.shm or before.shm, before.costs | one.costs)
    return list(found.values())
