# SPDX-License-Identifier: LGPL-2.1-or-later
"""GPUs: what their probes tell of copies, staging, kernels and memory.

A copy keeps its engine busy for a time that is there for every copy (a gap) and for one per byte;
who waits for it waits a little longer (a latency). Staged messages are pipelines of two copies: the
slower one sets the pace, the other one and the first segment come on top.
"""

import dataclasses
import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from common.programs import InputError
from common.quantities import format_bytes
from validation.calibration.fit.bootstrap import interval
from validation.calibration.fit.observations import arrays
from validation.measurements import GPU_PROBES

REDUCED, COPIED = 3, 2  # bytes that move in a GPU's memory per byte of a sum, and of a copy
SHARES = 1.25  # of the slower way alone: both ways at once that take longer than this share
FASTER = 0.95  # a smaller segment is as good when the best takes at least this share of its time
WAYS = ("h2d", "d2h", "d2d")
PROBES = tuple(GPU_PROBES)


class Line(NamedTuple):
    """Seconds of a size: `time` for each, `cost` for each byte."""
    time: float
    cost: float

    def __call__(self, size):
        return self.time + self.cost * size


class Value(NamedTuple):
    """One fitted number, and the measurement that told it."""

    number: float
    unit: str
    evidence: str


@dataclasses.dataclass
class Gpus:
    """Findings, by dotted name as in the file: (value, unit, evidence)."""
    count: int
    pairs: list  # [from, to] with peer access, from < to
    staged: str  # pinned or pageable
    segment: float
    lines: dict = dataclasses.field(default_factory=dict)  # probe: Line
    values: dict = dataclasses.field(default_factory=dict)  # dotted name: Value
    intervals: dict = dataclasses.field(default_factory=dict)
    assumed: dict = dataclasses.field(default_factory=dict)
    notes: list = dataclasses.field(default_factory=list)
    observations: dict = dataclasses.field(default_factory=dict)  # probe: points, for the errors


def line_of(points) -> Line:
    """Least squares on relative errors, nothing negative; None without points."""
    if not points:
        return None
    sizes, seconds = arrays(points)
    if len(set(sizes)) == 1:
        return Line(0.0, float(np.mean(seconds / sizes)))
    found, _ = nnls(np.column_stack([1 / seconds, sizes / seconds]), np.ones(len(sizes)))
    return Line(float(found[0]), float(found[1]))


def copies(points, direction, memory):
    return points.of_probe("gpu_copy", direction=direction, memory=memory, streams=1)


def lines_of(points, memory) -> dict:
    """All straight lines that the probes show. `memory`: of the host."""
    found = {way: line_of(copies(points, way, "device" if way == "d2d" else memory))
             for way in WAYS}
    both = copies(points, "both", memory)
    # Short ones may not reach what the two directions share.
    found["both"] = line_of([point for point in both if 16 * point.size >= both[-1].size])
    for way in WAYS:
        found[f"{way} done"] = line_of(points.of_probe(
            "gpu_copy_done", direction=way, memory="device" if way == "d2d" else memory))
    found["peer"] = line_of(points.of_probe("gpu_peer_copy", access="peer", directions=1))
    found["peer done"] = line_of(points.of_probe("gpu_peer_copy_done", access="peer"))
    found["reduction"] = line_of(points.of_probe("gpu_reduction"))
    return found


def best_segment(points, memory):
    """(segment, what it was chosen from): the smallest one that is about as fast as any for the
    largest vector; (None, "") where no pipeline was measured."""
    found = points.of_probe("staged_pipeline", memory=memory)
    if not found:
        return None, ""
    largest = max(point.size for point in found)
    times = {float(point.parameters["segment"]): point.seconds for point in found
             if point.size == largest}
    best = min(times.values())
    return (min(segment for segment, seconds in times.items() if FASTER * seconds <= best),
            f"staged_pipeline of {format_bytes(largest)}")


def directions_of(lines):
    """(copy engines, bytes/s of both directions together or None), by the slope of both at once."""
    up, down, both = lines["d2h"], lines["h2d"], lines["both"]
    if not (up and down and both) or not both.cost:
        return None, None
    if both.cost > (up.cost + down.cost) / SHARES:
        return 1, None
    return 2, 2 / both.cost if both.cost > 1.03 * max(up.cost, down.cost) else None


def staged_values(lines, segment):
    """{dotted name: Value} of messages through host memory, in segments that follow each other."""
    up, down = lines["d2h"], lines["h2d"]
    slow, fast = (up, down) if up(segment) >= down(segment) else (down, up)
    late = max(0.0, (lines["d2h done"].time - up.time if lines["d2h done"] else 0.0)) + \
        max(0.0, (lines["h2d done"].time - down.time if lines["h2d done"] else 0.0))
    per_byte = slow(segment) / segment
    found = {
        "gap": (slow.time / per_byte, "B"),
        "latency.0.time": (fast.time + late, "s"),
        "latency.0.cost": (max(0.0, fast.cost + slow.cost - per_byte), "s/B"),
        "latency.1.time": (max(0.0, fast(segment) - slow.time) + late, "s"),
    }
    return {f"library.staged.{name}": Value(number, unit, "gpu_copy, gpu_copy_done")
            for name, (number, unit) in found.items()}


def pageable_values(points, lines, gpus):
    """{dotted name: Value}: the calling core makes both copies of a segment, one after
    the other; the links carry what they carry of pinned memory."""
    segment = gpus.segment or 1 << 20
    evidence = f"gpu_copy, pageable, copies of {format_bytes(segment)}"
    values = {f"library.staged.{name}": Value(lines[way](segment) / segment, "s/B", evidence)
              for name, way in (("send_cost", "d2h"), ("recv_cost", "h2d"))}
    for name, way in (("send_bandwidth", "d2h"), ("receive_bandwidth", "h2d")):
        pinned = line_of(copies(points, way, "pinned")) or lines[way]
        values[f"cluster.host.gpu.{name}"] = Value(1 / pinned.cost, "B/s", "gpu_copy")
    return values


def derive(points, gpus: Gpus):
    """({dotted name: Value}, lines) from these points."""
    lines = lines_of(points, gpus.staged)
    values = {}
    gpu = "cluster.host.gpu"
    engines, both = directions_of(lines)
    if engines:
        values[f"{gpu}.copy_engines"] = Value(engines, "", "gpu_copy in both directions")
    if both:
        values[f"{gpu}.both"] = Value(both, "B/s", "gpu_copy in both directions")
    if lines["h2d"] and lines["d2h"] and gpus.staged == "pageable":
        values |= pageable_values(points, lines, gpus)
    elif lines["h2d"] and lines["d2h"]:
        segment = gpus.segment or math.inf
        paces = {way: (lines[way](segment) / segment if math.isfinite(segment)
                       else lines[way].cost) for way in ("h2d", "d2h")}
        evidence = f"gpu_copy, {gpus.staged}" + (
            f", copies of {format_bytes(segment)}" if gpus.segment else "")
        values[f"{gpu}.send_bandwidth"] = Value(1 / paces["d2h"], "B/s", evidence)
        values[f"{gpu}.receive_bandwidth"] = Value(1 / paces["h2d"], "B/s", evidence)
        if gpus.segment:
            values |= staged_values(lines, segment)
    elif staged := line_of(points.of_probe("gpu_peer_copy", access="staged", directions=1)):
        evidence = "gpu_peer_copy, staged"
        values |= {f"{gpu}.{way}_bandwidth": Value(1 / staged.cost, "B/s", evidence)
                   for way in ("send", "receive")}
        values["library.staged.latency.0.time"] = Value(staged.time, "s", evidence)
    if lines["d2d"]:
        values[f"{gpu}.memory_bandwidth"] = Value(COPIED / lines["d2d"].cost, "B/s", "gpu_copy d2d")
    p2p = "peer" if lines["peer"] else "d2d"
    if lines[p2p]:
        probe = "gpu_peer_copy" if p2p == "peer" else "gpu_copy d2d"
        late = max(0.0, lines[f"{p2p} done"].time - lines[p2p].time) \
            if lines[f"{p2p} done"] else 0.0
        values["library.p2p.latency"] = Value(late, "s", f"{probe}, waited for")
        values["library.p2p.gap"] = Value(lines[p2p].time / lines[p2p].cost, "B", probe)
        if p2p == "peer":
            values[f"{gpu}.peer_bandwidth"] = Value(1 / lines["peer"].cost, "B/s", probe)
    if reduction := lines["reduction"]:
        values["library.gpu.launch"] = Value(reduction.time, "s", "gpu_reduction")
        least = REDUCED * lines["d2d"].cost / COPIED if lines["d2d"] else 0.0
        if reduction.cost > least:
            values["library.gpu.reduce_cost"] = Value(reduction.cost, "s/B", "gpu_reduction")
    return values, lines


def peers_of(points):
    """Pairs that reach each other's memory."""
    return sorted({tuple(sorted((int(point.parameters["from"]), int(point.parameters["to"]))))
                   for point in points.of_probe("gpu_peer_copy", access="peer")})


def count_of(points):
    found = {int(point.parameters[key]) for what in PROBES for point in points.of_probe(what)
             for key in ("gpu", "from", "to") if key in point.parameters}
    return max(found, default=0) + 1


def fit_gpus(points, memory, segment=None):
    """Fit of the GPU probes, or None where there are none. `memory`: of the host, in which staged
    messages wait."""
    if not any(points.of_probe(what) for what in PROBES):
        return None
    found = Gpus(count_of(points), peers_of(points), memory, segment or 0.0)
    best, evidence = (segment, "set by --segment") if segment else best_segment(points, memory)
    found.segment = best or 0.0
    found.values, found.lines = derive(points, found)
    if "cluster.host.gpu.send_bandwidth" not in found.values:
        raise InputError(f"gpu_copy: expected copies h2d and d2h of {memory} memory among the "
                         "probes, or copies between GPUs without peer access, got neither: "
                         "`ringscope-cuda probe --only gpu_copy,gpu_copy_done`")
    if found.segment:
        found.values["staged_segment"] = Value(found.segment, "B", evidence)
    add_notes(found)
    found.observations = {what: some for what in PROBES if (some := points.of_probe(what))}
    return found


def add_notes(found: Gpus):
    reduction, copy = found.lines["reduction"], found.lines["d2d"]
    if reduction and copy:
        share = REDUCED * copy.cost / (COPIED * reduction.cost)
        found.notes.append(f"a reduction moves {share:.0%} of the bytes that a copy inside the GPU "
                           "moves in the same time" + ("" if share <= 1 else
                           ": the model takes the copy's rate for both"))
    if not found.lines["d2d"]:
        found.assumed["cluster.host.gpu.memory_bandwidth"] = "no copy inside a GPU was measured"
    if not found.lines["h2d"] or not found.lines["d2h"]:
        found.assumed["cluster.host.gpu.send_bandwidth"] = \
            "as copies between GPUs without peer access: none to or from the host was measured"
    if not found.segment:
        found.assumed["library.staged"] = "no staged pipeline was measured: one copy after another"
    if found.count > 1 and not found.pairs:
        found.notes.append("no GPU reaches another's memory: all is staged")
    found.assumed["library.gdr"] = "as p2p: no NIC was probed"
    found.assumed["library.network"] = "nothing was measured between hosts"


def add_intervals(found: Gpus, points, count, generator):
    """95 % intervals: the same derivation from samples drawn again."""
    if count < 2 or not points.are_sampled:
        return
    drawn = [derive(points.redrawn(generator), found)[0] for _ in range(count)]
    for name in found.values:
        values = [one[name].number for one in drawn if name in one]
        if len(values) == count and name != "staged_segment":
            found.intervals[name] = interval(values)


def predicted(found: Gpus, point):
    """Prediction of the fit for a measured point, in seconds; None where it has none."""
    parameters = point.parameters
    if point.what in ("gpu_copy", "gpu_copy_done"):
        known = "device" if parameters["direction"] == "d2d" else found.staged
        if parameters["memory"] != known or parameters.get("streams", 1) != 1:
            return None
        name = parameters["direction"] + (" done" if point.what == "gpu_copy_done" else "")
    elif point.what == "gpu_reduction":
        name = "reduction"
    elif point.what == "gpu_peer_copy" and parameters["access"] == "peer" and \
            parameters["directions"] == 1:
        name = "peer"
    else:
        return staged_time(found, point)
    line = found.lines.get(name)
    return line(point.size) if line else None


def staged_time(found: Gpus, point):
    """Prediction for a pipeline in the segments that were chosen."""
    parameters = point.parameters
    if point.what != "staged_pipeline" or parameters["memory"] != found.staged or \
            parameters["segment"] != found.segment:
        return None
    up, down = found.lines["d2h"], found.lines["h2d"]
    pieces = math.ceil(point.size / found.segment)
    first = min(point.size, found.segment)
    return up(first) + down(first) + (pieces - 1) * max(up(first), down(first))


def errors_of(found: Gpus) -> dict:
    """{probe: signed relative errors of the fit}"""
    errors = {}
    for what, points in found.observations.items():
        pairs = [(predicted(found, point), point.seconds) for point in points]
        some = np.array([told / seconds - 1 for told, seconds in pairs if told is not None])
        if len(some):
            errors[what] = some
    return errors
