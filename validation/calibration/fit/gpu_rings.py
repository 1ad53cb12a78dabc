# SPDX-License-Identifier: LGPL-2.1-or-later
"""GPUs of which nobody has probes: what the collectives of NCCL tell of their links.

A ring allreduce of P ranks is 2 (P - 1) steps of a P-th of the vector each. So a straight line
through its times gives the latency of a step, and the rate of the slowest link: on one host of a
link between two GPUs, on several of the link between two hosts.
"""

import numpy as np

from common.programs import InputError
from validation.calibration.fit.gpus import Gpus, Value, line_of
from validation.calibration.fit.points import is_asked_for
from validation.calibration.verdict import placements

LARGE, SMALL = 1 << 20, 64 << 10  # bytes: from there on a vector tells the rate; up to there
#                                   the latency
SHARED = 1.2  # a rank's GPU is at least this many times faster than its links
INSIDE = ("cluster.host.gpu.peer_bandwidth", "library.p2p.latency")
BETWEEN = ("cluster.link.bandwidth", "library.gdr.latency")


def rings(points, only):
    """Allreduces whose algorithm the library chose, on GPUs; of these, those with the parameters
    in `only`."""
    return [point for point in points.of_probe("allreduce") if point.where.get("devices")
            and not point.parameters.get("algorithm") and point.size > 0
            and int(point.parameters["ranks_count"]) > 1 and is_asked_for(point.parameters, only)]


def ranks_of(point):
    return int(point.parameters["ranks_count"])


def steps_of(point):
    return 2 * (ranks_of(point) - 1)


def fit_rings(points, only):
    """Gpus that all reach each other, or None where no such allreduce was measured."""
    found = rings(points, only)
    inside = [point for point in found if int(point.parameters["hosts_count"]) == 1]
    between = [point for point in found if int(point.parameters["hosts_count"]) > 1]
    if not any(point.size >= LARGE for point in found):
        return None
    count = max(placements.parse(str(point.parameters["placement"]), point.key).most
                for point in found)
    gpus = Gpus(count, [(one, two) for two in range(count) for one in range(two)], "pinned", 0.0)
    gpus.hosts = max(int(point.parameters["hosts_count"]) for point in found)
    add_line(gpus, between, BETWEEN, "allreduces over hosts, taken for rings")
    add_line(gpus, inside, INSIDE, "allreduces, taken for rings")
    assume_inside(gpus)
    rate, _, evidence = gpus.values[INSIDE[0]]
    for way in ("send", "receive"):
        gpus.values[f"cluster.host.gpu.{way}_bandwidth"] = Value(SHARED * rate, "B/s", evidence)
    gpus.assumed["cluster.host.gpu"] = "links to the host: nothing but collectives was measured"
    gpus.assumed["library.gpu"] = "no time for reductions: it is in that of the ring"
    gpus.assumed["library.staged"] = "as p2p: nothing was staged"
    large = [point for point in found if point.size >= LARGE]
    gpus.lines = {"ring": line_of(large), "d2d": None, "reduction": None, "h2d": None, "d2h": None}
    return gpus


def add_line(gpus, points, names, evidence):
    """The rate and the latency that these allreduces tell, under these names."""
    large = [point for point in points if point.size >= LARGE]
    small = [point for point in points if point.size <= SMALL]
    gpus.observations["allreduce"] = gpus.observations.get("allreduce", []) + (
        large + small if large else [])
    if not large:
        return
    rates = [steps_of(point) / ranks_of(point) * point.size / point.seconds for point in large]
    gpus.values[names[0]] = Value(float(np.median(rates)), "B/s", evidence)
    if small:
        late = [point.seconds / steps_of(point) for point in small]
        gpus.values[names[1]] = Value(float(np.min(late)), "s", evidence)
    else:
        gpus.assumed[names[1]] = "0 s: no allreduce of at most 64 KiB was measured"


def assume_inside(gpus):
    """Assumes that links inside hosts are not the slowest of a ring over hosts: nothing else is
    known."""
    if INSIDE[0] in gpus.values:
        return
    rate = gpus.values[BETWEEN[0]].number
    why = f"no allreduce of one host was measured: {SHARED:g} of the rate between hosts"
    gpus.values[INSIDE[0]] = Value(SHARED * rate, "B/s", "assumed")
    gpus.assumed[INSIDE[0]] = why
    if BETWEEN[1] in gpus.values:
        gpus.values[INSIDE[1]] = Value(gpus.values[BETWEEN[1]].number, "s", "assumed")
        gpus.assumed[INSIDE[1]] = "that between hosts: no allreduce of one host was measured"


def check_can_be_fitted(documents):
    """Refuses GPUs of which no ring was found: a host without GPUs has no place for them."""
    for document in documents:
        if document.kind == "replay" and document.where.get("devices"):
            raise InputError(f"{document.path}: expected allreduces of at least 1 MiB on at least "
                             "2 GPUs, which tell how fast their links are, or probes of the GPUs; "
                             "got neither")
