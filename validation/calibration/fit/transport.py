# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fit of one transport: all probes of one way at once, least squares on relative error.

Some of a transport's values are free, in groups that share a value; the observations say what the
closed forms predict for each measured point. Values are never negative.
"""

import dataclasses
from typing import Callable

import numpy as np
from scipy.optimize import least_squares

from validation.calibration.fit import bursts, closed_forms
from validation.calibration.fit.closed_forms import Transport
from validation.calibration.fit.observations import arrays, keep, noise_of, observe, redrawn
from validation.calibration.fit.segments import Sized, constant, fit_segments

BURST = 0.1  # of its time: a message this much faster than the wire came from a bucket
REACH = 16  # times the largest size seen: a cost per byte does not hold beyond
SIZED = ("latency", "send_overhead", "recv_overhead")
COSTS = ("send_cost", "recv_cost", "unexpected_cost", "wire")


def values_of(transport: Transport) -> dict:
    """Every value by its dotted name: "latency.0.time", "send_cost", ..."""
    values = {name: float(getattr(transport, name)) for name in COSTS}
    for name in SIZED:
        for index, segment in enumerate(getattr(transport, name).segments):
            values[f"{name}.{index}.time"] = segment.time
            values[f"{name}.{index}.cost"] = segment.cost
    return values


def with_values(transport: Transport, values: dict) -> Transport:
    changes = {name: values[name] for name in COSTS}
    for name in SIZED:
        sized = getattr(transport, name)
        count = range(len(sized.segments))
        changes[name] = sized.with_values([values[f"{name}.{i}.time"] for i in count],
                                          [values[f"{name}.{i}.cost"] for i in count])
    return dataclasses.replace(transport, **changes)


@dataclasses.dataclass
class Fitted:
    """A transport, and where each of its values comes from."""
    transport: Transport
    free: list = dataclasses.field(default_factory=list)  # groups of names that have one value
    observations: list = dataclasses.field(default_factory=list)
    evidence: dict = dataclasses.field(default_factory=dict)  # name: from what
    brackets: dict = dataclasses.field(default_factory=dict)  # name: (low, high)
    assumed: dict = dataclasses.field(default_factory=dict)  # name: why
    undetermined: dict = dataclasses.field(default_factory=dict)  # name: what would determine it
    alike: list = dataclasses.field(default_factory=list)  # pairs whose values are the same
    fixed: set = dataclasses.field(default_factory=set)  # known, but nothing else depends on it
    left_out: dict = dataclasses.field(default_factory=dict)  # probe: from these bytes on
    told: dict = dataclasses.field(default_factory=dict)  # name: from what; fitted by themselves
    compared: list = dataclasses.field(default_factory=list)  # observations beside these
    start: Transport = None  # of `free`, where `finish` adds what is told by itself
    finish: Callable = None
    changes: list = dataclasses.field(default_factory=list)  # fit.memory.Change, beyond the caches
    notes: list = dataclasses.field(default_factory=list)
    doubts: dict = dataclasses.field(default_factory=dict)  # bracketed name: why it may be anywhere
    calls: dict = dataclasses.field(default_factory=dict)  # cost per byte: fit.ends.Told

    def change(self, **values):
        """Sets values of the transport."""
        self.transport = dataclasses.replace(self.transport, **values)

    def changed(self, **values):
        """The same with other values of the transport."""
        return dataclasses.replace(self, transport=dataclasses.replace(self.transport, **values))

    def drawn_again(self, draw):
        """The same fit to other points: `draw` gives one observation's seconds."""
        found = least(self.start or self.transport, self.free, redrawn(self.observations, draw))
        return self.finish(found, draw) if self.finish else found


def step_of(name, transport: Transport):
    """A small step of this value, so that all are of one order."""
    typical = float(closed_forms.ping_pong(transport, np.array([0.0]))[0]) or 1e-6
    return typical if name.endswith(".time") else max(transport.moving(), 1e-12)


def least(start: Transport, free: list, observations: list, trials=60) -> Transport:
    """The transport whose free values fit best: the latency to the ping-pong, all else to the
    other probes. A stream hides latencies that a ping-pong shows, and ranks that nap while they
    wait have others; two rounds, for each is seen through the other."""
    latency = [group for group in free if group[0].startswith("latency")]
    rest = [group for group in free if group not in latency]
    alone = [one for one in observations if one.what == "ping_pong"]
    others = [one for one in observations if one.what != "ping_pong"]
    for _ in range(2 if rest and others else 1):
        start = solve(start, rest, others, trials)
        start = solve(start, latency, alone, trials)
    return start


def solve(start: Transport, free: list, observations: list, trials) -> Transport:
    """Least squares over these values."""
    if not free or not observations:
        return start
    values = values_of(start)
    steps = np.array([step_of(group[0], start) for group in free])
    first = np.array([values[group[0]] for group in free]) / steps

    def transport_at(scaled):
        changed = dict(values)
        for group, value in zip(free, scaled * steps):
            changed.update((name, float(value)) for name in group)
        return with_values(start, changed)

    def residuals(scaled):
        transport = transport_at(scaled)
        return np.concatenate([(one.predict(transport) - one.seconds) / one.scale
                               for one in observations])

    found = least_squares(residuals, np.maximum(first, 1e-9), bounds=(0, np.inf), loss="soft_l1",
                          f_scale=2.0, xtol=1e-9, ftol=1e-9, max_nfev=trials)
    tiny = found.x * steps < 1e-6 * steps
    return transport_at(np.where(tiny, 0.0, found.x))


def settle(fitted, points, way):
    """Latency by pieces, then everything at once, twice: the pieces depend on the rest."""
    for _ in range(2):
        ping_pong, notes = without_bursts(points.of_probe("ping_pong", way=way), fitted.transport)
        if ping_pong:
            fitted.change(latency=fit_latency(fitted.transport, ping_pong))
        fitted.observations = observe(points, way, fitted.transport, fitted.left_out)
        for one in fitted.observations:
            if one.what == "ping_pong":
                keep(one, ping_pong)
        fitted.free = free_values(fitted)
        fitted.transport = least(fitted.transport, fitted.free, fitted.observations)
    fitted.transport = least(fitted.transport, fitted.free, fitted.observations, 300)
    fitted.notes += notes
    if ping_pong:
        fitted.evidence["latency"] = "ping_pong"
    else:
        fitted.undetermined["latency"] = "ping_pong was not measured"


def without_bursts(ping_pong, transport):
    """(the points that the model can explain, notes): those that are faster than the wire leave a
    bucket full of credit, which the model has not."""
    if not ping_pong or not transport.wire:
        return ping_pong, []
    first = ping_pong[0].seconds
    kept, dropped = [], []
    for point in ping_pong:
        missing = point.size * transport.wire - (point.seconds - first)
        (dropped if missing > BURST * point.seconds else kept).append(point)
    if not dropped:
        return kept, []
    return kept, [bursts.note(dropped[0].size, dropped[-1].size)]


def fit_latency(transport: Transport, ping_pong) -> Sized:
    """Rest of the ping-pong when everything else is taken off, in the pieces it needs."""
    sizes, seconds = arrays(ping_pong)
    eager = transport.eager(sizes)
    bare = dataclasses.replace(transport, latency=constant(0))
    below = seconds[eager] - closed_forms.ping_pong(bare, sizes[eager])
    least_time = max(0.0, float(below[0])) if len(below) else 0.0
    bare = dataclasses.replace(transport, latency=constant(least_time))
    rest = seconds - closed_forms.ping_pong(bare, sizes) + least_time
    if transport.driver == "receiver":  # a large message waits for one control message only
        rest, sizes, seconds = rest[eager], sizes[eager], seconds[eager]
    if not len(sizes):
        return constant(0)
    limits = (transport.eager_limit,) if np.isfinite(transport.eager_limit) else ()
    return without_far_costs(
        fit_segments(sizes, rest, seconds, forced=limits, floor=noise_of(ping_pong)), sizes, rest)


def without_far_costs(sized: Sized, sizes, rest) -> Sized:
    """No cost per byte where a piece reaches far beyond the sizes that it was seen at, such as from
    64 B to the eager limit where a bucket's burst hid what is between: noise would become
    milliseconds."""
    kept, below = [], 0.0
    for one in sized.segments:
        inside = (sizes > below) & (sizes <= one.up_to)
        below = one.up_to
        far = np.isfinite(one.up_to) and inside.any() and REACH * sizes[inside].max() < one.up_to
        if far and one.cost > 0:
            one = one._replace(time=max(0.0, float(np.median(rest[inside]))), cost=0.0)
        kept.append(one)
    return Sized(tuple(kept))


def free_values(fitted) -> list:
    """Values that the fit may change: those that have evidence and are there at all, in groups
    of one value. The wire is not: the streams' largest messages say it, smaller ones come out
    of a bucket."""
    values = values_of(fitted.transport)
    partners = {second: first for first, second in fitted.alike}
    groups = {}
    for name in values:
        kind, _, rest = name.partition(".")
        known = kind == "latency" or kind in fitted.evidence
        if values[name] <= 0 or not known or kind == "wire" or kind in fitted.fixed:
            continue
        first = partners.get(kind, kind) + (f".{rest}" if rest else "")
        groups.setdefault(first, []).append(name)
    return [tuple(group) for group in groups.values()]
