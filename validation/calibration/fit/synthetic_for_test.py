# SPDX-License-Identifier: LGPL-2.1-or-later
"""Documents of probes as a known transport would measure them, with seeded noise."""

import numpy as np

from validation.calibration.fit import closed_forms
from validation.calibration.fit.closed_forms import Transport
from validation.calibration.fit.segments import Segment, Sized, constant
from validation.measurements import Document, Measurement

SIZES = [1 << power for power in range(0, 23, 2)]
INFINITE = float("inf")

TCP = Transport(Sized((Segment(1024, 6e-6, 0.0), Segment(INFINITE, 20e-6, 0.0))), constant(3e-6),
                constant(4e-6), 0.3e-9, 0.5e-9, 0.1e-9, 65535.0, "caller", 1 / 1.195e9)
SHM = Transport(constant(0.4e-6), constant(0.2e-6), constant(0.3e-6), 0.0, 0.2e-9, 0.1e-9, 4095.0,
                "receiver", 0.0)


class Cluster:
    """Measures transports: every sample is off by a few percent."""

    def __init__(self, noise=0.01, samples=9, seed=7, **where):
        self.noise, self.samples = noise, samples
        self.random = np.random.default_rng(seed)
        self.where = {"hosts": ["a", "b"], "cpu": "a CPU", "mpi": "an MPI",
                      "date": "2026-01-01T00:00:00Z"} | where
        self.measurements = []

    def add(self, what, seconds, **parameters):
        drawn = seconds * np.exp(self.random.normal(0, self.noise, max(self.samples, 1)))
        self.measurements.append(Measurement(
            what, parameters, float(np.median(drawn)), list(drawn) if self.samples else []))

    def add_curve(self, what, transport, way, sizes=None, form=None, **parameters):
        form = form or getattr(closed_forms, what)
        for size in SIZES if sizes is None else sizes:
            seconds = form(transport, np.array([float(size)]))
            self.add(what, float(seconds[0]), bytes=size, way=way, **parameters)

    def add_ping_pong(self, transport, way):
        self.add_curve("ping_pong", transport, way)

    def add_streams(self, transport, way, window=16):
        for pairs, directions in ((1, 1), (1, 2), (2, 1)):
            self.add_curve("stream", transport, way, pairs=pairs, directions=directions,
                           window=window, form=lambda one, sizes: closed_forms.stream(
                               one, sizes, window, pairs, directions))

    def add_stream_cpu(self, transport, way, window=16, polls=0.2):
        """Adds calls of ranks that nap: `polls` of the time in which they wait for the other end is
        CPU."""
        for side, working in (("sender", transport.sending), ("receiver", transport.receiving)):
            self.add_curve("stream_cpu", transport, way, side=side, form=lambda one, sizes: (
                (1 - polls) * working(sizes) + polls * closed_forms.stream(one, sizes, window)))

    def add_calls(self, transport, way):
        sizes = [size for size in SIZES if size <= transport.eager_limit]
        self.add_curve("send_call", transport, way, sizes)
        self.add_curve("recv_call", transport, way, sizes)

    def add_late_receiver(self, transport, way, delay=0.01):
        self.add_curve("late_receiver", transport, way, delay_s=delay, form=lambda one, sizes:
                       np.where(one.eager(sizes), closed_forms.send_call(one, sizes), delay))

    def add_overlap(self, transport, way, side, size, compute, seconds, tests=False):
        self.add("overlap", seconds, bytes=size, way=way, side=side, tests=tests,
                 compute_s=compute)

    def add_turns(self, transport, way, position, sizes=(1 << 14, 1 << 20, 1 << 22), messages=8):
        """`position`: of the first's end, 0 as if alone, 1 with the last."""
        for size in sizes:
            one = np.array([float(size)])
            alone = float(closed_forms.ping_pong(transport, one)[0])
            more = (messages - 1) * float(closed_forms.stream(transport, one, 16)[0])
            for count, until, seconds in ((1, "last", alone),
                                          (messages, "first", alone + position * more),
                                          (messages, "last", alone + more)):
                self.add("turns", seconds, bytes=size, way=way, messages=count, until=until)

    def add_reductions(self, cost, memory=INFINITE, ranks=(1, 2, 4), what="reduction"):
        for size in SIZES[6:]:
            for count in ranks:
                self.add(what, max(size * cost, 3 * size * count / memory), bytes=size, ranks=count)

    def document(self, kind="probes", path="synthetic.json"):
        return Document(path, kind, self.where, self.measurements)


def everything(transport=TCP, **settings):
    """A document of all probes between hosts and inside one."""
    cluster = Cluster(**settings)
    for way, one in (("network", transport), ("shm", SHM)):
        cluster.add_ping_pong(one, way)
        cluster.add_late_receiver(one, way)
        cluster.add_calls(one, way)
        cluster.add_streams(one, way)
    size = 1 << 20
    whole = float(closed_forms.send_complete(transport, np.array([float(size)]))[0])
    for side in ("sender", "receiver"):
        cluster.add_overlap(transport, "network", side, size, 5 * whole, 6 * whole)
        cluster.add_overlap(transport, "network", side, size, 5 * whole, 5 * whole, tests=True)
    cluster.add_reductions(0.1e-9, 20e9)
    cluster.add_reductions(0.08e-9, what="copy", ranks=(1,))
    return cluster.document()
