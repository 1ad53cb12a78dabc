# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measured points of one way against which the closed forms are held."""

import dataclasses
from typing import Callable

import numpy as np

from validation.calibration.fit import closed_forms, segments
from validation.calibration.fit.closed_forms import Transport

BUSY, IDLE = 0.8, 0.5  # of the time: more of it is polling
FLOOR = 0.02  # relative error that a closed form is trusted to


def arrays(points) -> tuple:
    """(sizes, seconds)"""
    return (np.array([point.size for point in points]),
            np.array([point.seconds for point in points]))


@dataclasses.dataclass
class Observation:
    """The points of one probe and what a transport predicts for them."""
    what: str
    points: list
    predict: Callable[[Transport], np.ndarray]

    def __post_init__(self):
        self.sizes, self.seconds = arrays(self.points)
        spread = np.array([point.spread for point in self.points])
        self.scale = self.seconds * np.hypot(FLOOR, spread)

    def errors(self, transport):
        """Signed and relative."""
        return self.predict(transport) / self.seconds - 1


def observe(points, way, transport, left_out) -> list:
    """The observations of one way, as far as they were made; `left_out`: {probe: from which bytes
    on its points are none}."""
    found = []

    def add(what, of_probe, predict):
        if of_probe:
            one = Observation(what, of_probe, None)
            one.predict = lambda transport: predict(transport, one)
            found.append(one)

    add("ping_pong", points.of_probe("ping_pong", way=way),
        lambda transport, one: closed_forms.ping_pong(transport, one.sizes))
    streams = points.of_probe("stream", way=way)
    settings = {key: np.array([float(point.parameters[key]) for point in streams])
                for key in ("window", "pairs", "directions")}
    links = np.array([links_of(point) for point in streams])
    add("stream", streams, lambda transport, one: closed_forms.stream(
        transport, one.sizes, settings["window"], settings["pairs"] / links,
        settings["directions"]))
    for what in ("send_call", "recv_call"):
        form = getattr(closed_forms, what)
        last = min(transport.eager_limit, left_out.get(what, np.inf) - 1)
        add(what, [point for point in points.of_probe(what, way=way) if point.size <= last],
            lambda transport, one, form=form: form(transport, one.sizes))
    for side, form in (("sender", "sending"), ("receiver", "receiving")) * (way == "network"):
        add(f"stream_cpu {side}", working(points, way, side, transport.wire),
            lambda transport, one, form=form: getattr(transport, form)(one.sizes))
    return found


def links_of(point):
    """Number of pairs of hosts over which the pairs of a stream are spread."""
    hosts, pairs = point.where["hosts"], float(point.parameters["pairs"])
    return pairs if len(hosts) == 2 * pairs == len(set(hosts)) else 1.0


def working(points, way, side, wire):
    """CPU times that are work: a rank that polls uses its core all the time, one that waits for
    the wire polls, and what is slept in place of work is none of it."""
    walls = dict(zip(*points.curve("stream", way=way, pairs=1, directions=1)))
    return [point for point in points.of_probe("stream_cpu", way=way, side=side)
            if not point.where["emulated"] and point.size in walls
            and point.seconds < BUSY * walls[point.size]
            and point.size * wire < IDLE * walls[point.size]]


def redrawn(observations, draw) -> list:
    """The same observations of other points: `draw` gives the seconds of each."""
    found = [dataclasses.replace(one) for one in observations]
    for one in found:
        one.seconds = draw(one)
    return found


def keep(observation, points):
    """Leaves only these points in it."""
    observation.points = points
    observation.__post_init__()


def noise_of(points):
    """Share of a relative error that says nothing: half of the spread of a point's samples."""
    return float(np.hypot(segments.FLOOR, 0.5 * np.median([point.spread for point in points])))
