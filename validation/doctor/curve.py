# SPDX-License-Identifier: LGPL-2.1-or-later
"""The measured curve: points by size, and the job that the simulator has to run for each."""

import collections
import dataclasses
import math
from typing import Sequence

from common.groups import grouped
from common.programs import InputError
from validation import measurements
from validation.calibration import imports
from validation.calibration.imports import (collectives, findings as findings_, logs,
                                            p2p_matrices)
from validation.calibration.verdict import accuracy, gpus, model

ROUNDS = 4  # of a ping-pong
LEAST_STREAMED = 64 * 1024  # below, a stream is a matter of message rates, which no job here has
# Collectives of NCCL's rings: are they half of an allreduce, or do they pass all of the vector?
RINGS = {"allgather": True, "reduce_scatter": True, "broadcast": False, "reduce": False}
MOST_GPUS = 64  # of a thread, in the simulator
WAYS = {"network": "1-1", "shm": "2"}
APART = ("type", "operation", "root", "table", "column")  # parameters that importers keep apart
NOTHING = "no bytes, copies inside one device, or message rates"


@dataclasses.dataclass
class Point:
    """`divide`: how many of what was measured the simulated job does one after the other."""

    series: str
    bytes: int
    seconds: float
    placement: object
    job: dict
    divide: float = 1
    over: dict | None = None  # laid over the cluster: what the measurement switched off
    spread: float | None = None  # relative standard deviation, where samples tell
    expected: float = 0.0  # seconds, as simulated
    factor: float = 1.0  # bus bandwidth is factor * bytes / seconds
    chosen: str = ""  # the algorithm that a selector ran
    family: str = ""  # of its errors, where that is not the whole curve's
    samples: Sequence[float] = ()  # seconds of single repetitions, in their order
    likely: Sequence[float] = ()  # least and largest ratio, by the library's spread; else none

    @property
    def rate(self) -> float:
        """Bytes per second: bus bandwidth of a collective."""
        return self.factor * self.bytes / self.seconds

    @property
    def ratio(self) -> float:
        """Time over the expected one."""
        return self.seconds / self.expected


@dataclasses.dataclass
class Curve:
    points: list
    where: dict
    notes: list

    @property
    def series(self) -> list:
        return list(dict.fromkeys(point.series for point in self.points))

    def places(self, series: str) -> list:
        """Indices of the points of a series."""
        return [i for i, point in enumerate(self.points) if point.series == series]

    def of(self, series: str) -> list:
        return [self.points[i] for i in self.places(series)]


def documents_of(path: str, given: findings_.Given) -> list:
    """Documents that `ringscope import` would write of it; a document of measurements as it is."""
    if logs.is_document(path):
        return [measurements.read(path, ("probes", "replay"))]
    found = imports.read(path, given)
    documents = findings_.documents_of(found, given)
    for document in documents:
        document.path = path
        document.extra["notes"] = [note for one in found for note in one.notes]
    return [one for one in documents if one.kind in ("probes", "replay")]


def spread_of(one: measurements.Measurement) -> float | None:
    """From percentiles 10 and 90: 2.56 standard deviations apart in a normal distribution."""
    spread = accuracy.spread_of(one.median_s, one.p10_s, one.p90_s)
    return None if spread is None else spread / 2.563


def rings_of(name: str, job: dict, ranks: int, nccl: bool) -> tuple:
    """(job, divide, factor of the bus bandwidth). Collectives along NCCL's rings are taken to last
    as long by byte and step as the rings of an allreduce; their own channels are not used."""
    if not (nccl and name in RINGS and ranks > 1):
        return job, 1, 1.0
    twice = 2 * (ranks - 1) / ranks
    divide, factor = (2, twice / 2) if RINGS[name] else (twice, 1.0)
    options = {"algorithm": "ring"}
    if launched := job.get("options", {}).get("gpus_per_thread"):
        options["gpus_per_thread"] = min(MOST_GPUS, round(launched * divide))  # of one call
    job = {**job, "collective": "allreduce", "algorithm": "nccl", "options": options}
    return job, divide, factor


def collective_point(one, placement, algorithm: str, nccl: bool) -> Point:
    name = str(one.parameters["collective"])
    size = int(one.parameters.get("bytes", 0))
    job = {"collective": name, "algorithm": algorithm}
    if name != "barrier":
        job["bytes"] = f"{size} B"
    options = (one.scenario or {}).get("job", {}).get("options") or one.extra.get("options")
    if isinstance(options, dict):
        options = gpus.options_for(options, algorithm)
    if options:
        job["options"] = options
    counts = one.parameters["placement"]
    forced = one.parameters["algorithm"] or one.parameters.get("forced", "")
    apart = [f"{key} {one.parameters[key]}" for key in APART if key in one.parameters]
    series = " ".join(filter(None, (name, forced, f"on {counts}", *apart)))
    job, divide, factor = rings_of(name, job, int(one.parameters["ranks_count"]), nccl)
    return Point(series, size, one.median_s, placement, job, divide, spread=spread_of(one),
                 factor=factor, samples=tuple(one.samples_s or ()))


NO_PEERS = {"host": {"peer_access": "none", "staging": {"latency": "5 us"}}}


def gpu_point(one) -> Point:
    """A copy between two GPUs, or between one and the host: as a ping-pong of one round."""
    given = one.parameters
    copies = int(given.get("copies", 1))
    job = {"collective": "pingpong", "algorithm": "blocking", "options": {"rounds": 1},
           "bytes": f"{int(given['bytes']) * copies} B"}
    if one.what == "gpu_copy":
        placement = [{"host": 0, "core": 0}, {"host": 0, "gpu": given["gpu"]}]
        series, over = f"host and GPU {given['gpu']}", None
    else:
        placement = [{"host": 0, "gpu": given["from"]}, {"host": 0, "gpu": given["to"]}]
        staged = given["access"] != "peer"
        series = f"GPU {given['from']} to {given['to']}" + " through the host" * staged
        over = NO_PEERS if staged else None
    divide = 2 * copies
    if given.get("directions") == 2:
        job |= {"collective": "exchange", "algorithm": "bidirectional"}
        series, divide = series + ", both directions", copies
    return Point(series, int(given["bytes"]), one.median_s, placement, job, divide, over,
                 spread_of(one))


def probe_point(one) -> Point | None:
    """A copy of a GPU's, a ping-pong, or a stream as one message as long as its window; None where
    none stands for it."""
    given = one.parameters
    if one.what in ("gpu_copy", "gpu_peer_copy"):
        return gpu_point(one)
    if "from" in given:
        if given["from"] == given["to"]:
            return None
        placement = [{"host": 0, "gpu": given["from"]}, {"host": 0, "gpu": given["to"]}]
        place = f"GPU {given['from']} to {given['to']}"
    elif given.get("way") in WAYS:
        placement, place = WAYS[given["way"]], given["way"]
    else:
        return None
    size, window = int(given["bytes"]), 1
    job = {"collective": "pingpong", "algorithm": "blocking", "options": {"rounds": ROUNDS}}
    if one.what == "stream":
        if given["pairs"] != 1 or size < LEAST_STREAMED:
            return None
        window = int(given["window"])
        job["options"] = {"rounds": 1}
        if given["directions"] == 2:
            job |= {"collective": "exchange", "algorithm": "bidirectional"}
    elif one.what != "ping_pong":
        return None
    rounds = job["options"]["rounds"]
    divide = window * rounds * (1 if job["collective"] == "exchange" else 2)
    name = "both directions" if job["collective"] == "exchange" else one.what.replace("_", "-")
    job["bytes"] = f"{max(size * window, 1)} B"
    return Point(f"{name}, {place}", size, one.median_s, placement, job, divide,
                 spread=spread_of(one))


class Chooser:
    """The algorithm of a collective that the log does not name."""

    def __init__(self, known: dict, nccl: dict, said: dict):
        self.known, self.nccl, self.said = known, nccl, said

    def algorithm(self, one: measurements.Measurement, notes: list) -> str:
        collective = str(one.parameters["collective"])
        if collective not in self.known:
            raise InputError(f"{one.document.path}: {one.name}: expected a collective that the "
                             f"simulator supports ({', '.join(self.known)}), got '{collective}'")
        name = one.parameters["algorithm"] or self.said.get(collective, "")
        if not name:
            name = gpus.chosen(one.document.where, collective, self.nccl)
        if not name:
            mpi = one.document.where["mpi"]
            table = model.table_of(mpi, collective)
            name = model.stand_in(table or model.CHOSEN, self.known[collective])
            if name != table:
                notes.append(f"{collective}: the log names no algorithm; assumed: {name} "
                             f"(--algorithm {collective}=NAME overrides it)")
        if name not in self.known[collective]:
            raise InputError(f"--algorithm {collective}={name}: expected one of "
                             f"{', '.join(self.known[collective])}")
        return name


def placement_of(one, document):
    listed = (one.scenario or {}).get("placement")
    if listed is not None and not (isinstance(listed, dict) and "hostfile" in listed):
        return listed
    counts, where = str(one.parameters["placement"]), document.where
    on_gpus = where.get("devices") or gpus.LIBRARY.search(where["mpi"])
    return {"hosts": counts, "on": "gpu"} if on_gpus else counts


def merged(points: list) -> list:
    """Out of place and in place, or several runs, of one size as one point: their geometric mean,
    and their spread where it is the larger one."""
    result = []
    for group in grouped(points, lambda point: (point.series, point.bytes)).values():
        logs = [math.log(point.seconds) for point in group]
        mean = sum(logs) / len(logs)
        first = dataclasses.replace(group[0], seconds=math.exp(mean))
        if len(logs) > 1:
            around = math.sqrt(sum((log - mean) ** 2 for log in logs) / (len(logs) - 1))
            first.spread = max(around, first.spread or 0)
        result.append(first)
    order = list(dict.fromkeys(point.series for point in points))
    return sorted(result, key=lambda point: (order.index(point.series), point.bytes))


def point_of(document, one, chooser: Chooser, where: dict, notes: list) -> Point | str:
    """The point of a measurement, or why no job here represents it."""
    given = one.parameters
    if document.kind == "probes":
        if "from" in given and given.get("bytes") == p2p_matrices.SMALL:
            return ("16 B of p2pBandwidthLatencyTest are written by a running GPU or wait in a "
                    "queue, simulated copies are launched by the host")
        return probe_point(one) or NOTHING
    if given["ranks_count"] == 1:
        return "a single rank does not communicate"
    if (name := str(given["collective"])) in collectives.NOT_SIMULATED:
        return f"{name} is not simulated"
    if not given.get("bytes", 0) and name != "barrier":
        return NOTHING
    return collective_point(one, placement_of(one, document), chooser.algorithm(one, notes),
                            bool(gpus.LIBRARY.search(where["mpi"])))


def documents_in(paths: list, given: findings_.Given, notes: list):
    """Documents of each file; of several some may lack a table, as those of NCCL_DEBUG_FILE do."""
    for path in paths:
        try:
            yield from documents_of(path, given)
        except imports.UnknownFormat:
            if len(paths) == 1:
                raise
            notes.append(f"{path}: no table of times: read for lines that state a cause")


def read(paths: list, given: findings_.Given, chooser: Chooser) -> Curve:
    points, where, notes = [], {}, []
    for document in documents_in(paths, given, notes):
        where = where or document.where
        notes += document.extra.get("notes", [])
        found = [point_of(document, one, chooser, where, notes) for one in document.measurements]
        points += [one for one in found if isinstance(one, Point)]
        omitted = collections.Counter(one for one in found if isinstance(one, str))
        notes += [f"{document.path}: {count} measurement{'s' * (count > 1)} omitted: {reason}"
                  for reason, count in omitted.items()]
    notes = list(dict.fromkeys(notes))
    if not points:
        raise InputError(f"{paths[0]}: expected a curve of times by size of a simulated job (a "
                         "collective of two ranks or more, a ping-pong or a stream), got "
                         + ("; ".join(notes) or "none"))
    return Curve(merged(points), where, notes)
