# SPDX-License-Identifier: LGPL-2.1-or-later
"""Costs from the calls of one traced ring: seconds per chunk of a reduction, of a copy in shared
memory, and of the network's CPU work.

The ring is that of `irecv; send; wait; reduce` per step, each stamp taken when its call returned
(the wait's after the reduction). Its ranks stand on at least two hosts with several each, so that
some receive through memory and send to the network and others the other way round.
"""

import statistics
from typing import NamedTuple

import numpy as np

from common.programs import InputError
from common.quantities import format_cost
from validation.calibration.fit.bootstrap import interval
from validation.calibration.fit.segments import constant
from validation.calibration.verdict import placements
from validation.measurements import case_key
from validation.yaml_files import tables_of

CHUNK = 100e6  # bytes, by convention, where a trace states no size: only costs per chunk matter


class Ring(NamedTuple):
    """Per rank: when the send and the wait of each step returned, and the end."""
    sends: dict
    waits: dict
    ends: dict
    hosts: list  # of each rank
    place: str

    @property
    def steps(self):
        return len(self.hosts) - 1

    def into_memory(self):
        """Ranks that receive from the network and send to the next rank of their own host."""
        count = len(self.hosts)
        return [rank for rank, host in enumerate(self.hosts) if self.hosts[rank - 1] != host
                and self.hosts[(rank + 1) % count] == host]


def ring_of(document) -> Ring:
    texts = {str(one.parameters["placement"]) for one in document.measurements}
    place = f"{document.path}: measurements"
    if len(texts) != 1:
        raise InputError(f"{place}: parameters.placement: expected one placement in a trace that "
                         f"is fitted, got {', '.join(sorted(texts))}")
    placement = placements.parse(texts.pop(), place)
    counts = [int(term) for term in str(placement.value).split("-") if term.isdigit()]
    if sum(counts) != placement.ranks:
        raise InputError(f"{place}: parameters.placement: expected counts such as 3-3, got "
                         f"'{placement.value}'")
    if len(counts) < 2 or min(counts) < 2:
        raise InputError(f"{place}: parameters.placement: expected several ranks on each host, "
                         "such as 3-3, or the trace cannot tell memory from network, got "
                         f"{placement.value}")
    hosts = [host for host, count in enumerate(counts) for _ in range(count)]
    ring = Ring({}, {}, {}, hosts, place)
    for one in document.measurements:
        rank = int(one.parameters["rank"])
        if one.what == "done":
            ring.ends[rank] = one.median_s
        elif one.what in ("send", "wait"):
            calls = ring.sends if one.what == "send" else ring.waits
            calls[rank, int(one.parameters.get("step", -1))] = one.median_s
    check_complete(ring)
    return ring


def check_complete(ring: Ring):
    for rank in range(len(ring.hosts)):
        for step in range(ring.steps):
            for what, calls in (("send", ring.sends), ("wait", ring.waits)):
                if (rank, step) not in calls:
                    raise InputError(f"{ring.place}: expected a {what} of rank {rank} in step "
                                     f"{step}, got none")
        if rank not in ring.ends:
            raise InputError(f"{ring.place}: expected when rank {rank} was done, got nothing")


def samples_of(ring: Ring):
    """(waits of those that receive through memory, sends of those that send through it): both
    without the network's part."""
    waits = [ring.waits[rank, step] - ring.sends[rank, step]
             for rank, host in enumerate(ring.hosts) if ring.hosts[rank - 1] == host
             for step in range(ring.steps)]
    sends = [ring.sends[rank, step] - ring.waits[rank, step - 1]
             for rank in ring.into_memory() for step in range(1, ring.steps)]
    return waits, sends


class Costs(NamedTuple):
    """Seconds per byte, or per chunk. `network`: of the sender and, as nothing tells them apart, of
    the receiver."""

    reduce: float
    copy: float
    network: float

    def divided(self, chunk):
        return Costs(*(cost / chunk for cost in self))

    def by_name(self) -> dict:
        """Costs by the library's names."""
        return {"reduce_cost": self.reduce, "shm.recv_cost": self.copy,
                "network.send_cost": self.network, "network.recv_cost": self.network}


class Traced(NamedTuple):
    """Result of a fitted trace: what was assumed of it, and what it tells."""

    chunk: str  # bytes, as the simulator reads them
    placement: str
    splits: list  # of the network's costs, that explain it as well: {send_cost, recv_cost}
    intervals: dict  # name of a cost: (value, low, high)

    def written(self) -> dict:
        """Part of the file from which `validate` predicts other placements."""
        return {"chunk": self.chunk, "placement": self.placement, "splits": self.splits}


def costs_of(ring: Ring, waits, sends) -> Costs:
    """Costs per chunk. A reduction is the lower quartile of the waits that wait for little else;
    a copy the median of the sends, which last as long as their receiver copies; the network's part
    what is left of a step."""
    reduce = statistics.quantiles(waits, n=4)[0]
    copy = statistics.median(sends)
    network = (max(ring.ends.values()) - ring.steps * reduce) / (2 * ring.steps) - copy
    return Costs(reduce, copy, network)


def splits_of(costs: Costs) -> list:
    """[(send_cost, recv_cost)]: the corners of what explains the trace as well. Of the two ends one
    sets the pace of a step, and nothing tells which, nor what the other takes below that: at least
    the copy that reading or writing a socket is. Whoever sends to the network also copies what
    came through memory, so that a receiver may take that much longer before it is the slower."""
    pace, least = costs.network, min(costs.copy, costs.network)
    slowest = pace + costs.copy
    return [(pace, least), (pace, slowest), (least, slowest)]


def widened(intervals, drawn):
    """The intervals of the network's costs, over all splits of what was drawn."""
    corners = [corner for one in drawn for corner in zip(*splits_of(one))]
    sends, recvs = corners[::2], corners[1::2]
    for name, found in (("network.send_cost", sends), ("network.recv_cost", recvs)):
        value = intervals[name][0]
        intervals[name] = (value, interval([min(one) for one in found])[0],
                           interval([max(one) for one in found])[1])
    return intervals


def fit_trace(result, document, settings):
    """Changes `result`, which was made without any probe."""
    ring = ring_of(document)
    stated = document.measurements[0].parameters.get("bytes")
    chunk = stated / len(ring.hosts) if stated else CHUNK
    waits, sends = samples_of(ring)
    costs = costs_of(ring, waits, sends).divided(chunk)
    if costs.network <= 0:
        raise InputError(f"{ring.place}: expected steps longer than a reduction and a copy, got "
                         "less: no time is left for the network")
    generator = np.random.default_rng(settings.seed)
    drawn = [costs_of(ring, list(generator.choice(waits, len(waits))),
                      list(generator.choice(sends, len(sends)))).divided(chunk)
             for _ in range(max(settings.bootstrap, 2))]
    result.host.reduce_cost = costs.reduce
    for way, values in (("shm", {"recv_cost": costs.copy}),
                        ("network", {"send_cost": costs.network, "recv_cost": costs.network})):
        fitted = result.transports[way]
        fitted.change(late=(), **values)
        fitted.assumed.pop(way, None)
    result.transports["network"].transport.latency = constant(25e-6)
    intervals = {name: (cost, *interval([one.by_name()[name] for one in drawn]))
                 for name, cost in costs.by_name().items()}
    placement = "-".join(str(ring.hosts.count(host)) for host in sorted(set(ring.hosts)))
    result.trace = Traced(f"{chunk / 1e6:.12g} MB", placement,
                          [{"send_cost": format_cost(send), "recv_cost": format_cost(recv)}
                           for send, recv in splits_of(costs)], widened(intervals, drawn))
    result.fitted = sorted({case_key(one) for one in document.measurements})
    result.assumed |= tables_of(__file__)
    if not stated:
        result.assumed["bytes of a chunk"] = (f"{CHUNK / 1e6:g} MB: the trace states no size, "
                                              "only costs per chunk mean anything")
