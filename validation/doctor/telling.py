# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measurements that would tell apart the causes that a curve leaves open: each is simulated under
each of these causes, and the one is taken under which their times differ most.
"""

import itertools
import math
from typing import NamedTuple

from common.quantities import format_bandwidth, format_time
from validation.doctor.scenario.scene import Scene, hosts_of, ranks_of, uses_gpus
from validation.doctor.what_if import WhatIf
from validation.yaml_files import tables_of

MOST = 4  # causes compared
AT_MOST = 2  # experiments
LEAST = math.log(1.25)  # of the ratio of two times: less is not worth a measurement
LARGE = 64 << 20  # bytes
PAIRS = tables_of(__file__)["pairs"]
NCCL_TESTS = {"allreduce": "all_reduce", "allgather": "all_gather"}


class Experiment(NamedTuple):
    """`program`: the line of shell that measures it. `rate`: the answer is a bandwidth, of
    `bytes`."""

    name: str
    program: str
    placement: object
    job: dict
    divide: float
    rate: bool

    @property
    def bytes(self) -> int:
        return int(self.job["bytes"].removesuffix(" B"))

    def shown(self, seconds: float) -> str:
        each = seconds / self.divide
        return format_bandwidth(self.bytes / each, 3) if self.rate else format_time(each, 3)


class Telling(NamedTuple):
    """An experiment with what each cause would give, {name: seconds}."""

    experiment: Experiment
    times: dict

    def text(self) -> str:
        shown = ", ".join(f"{self.experiment.shown(time)} with {name}"
                          for name, time in self.times.items())
        return f"Measurement that would decide: {self.experiment.name}: {shown}."


def pairs(scene: Scene) -> list:
    """Two ranks alone: in host memory, on GPUs, between hosts and inside one."""
    there = {"hosts": scene.between_hosts, "gpus": scene.on_gpus, "several gpus": scene.gpus > 1}
    return [Experiment(*map(one.get, Experiment._fields))
            for one in PAIRS if all(there[need] for need in one["needs"])]


def benchmark(job: dict, placement, first: int, last: int) -> str:
    """The line of shell that measures this job, of sizes in bytes."""
    name, ranks, hosts = job["collective"], ranks_of(placement), hosts_of(placement)
    program = f"osu_{name} -m {first}:{last}"
    if uses_gpus(placement):
        program = f"{NCCL_TESTS.get(name, name)}_perf -b {first} -e {last} -f 2"
    return f"mpirun -np {ranks} -N {ranks // hosts} {program}"


def variants(scene: Scene) -> list:
    """The job that was measured, of another size or on fewer hosts."""
    ask = max(scene.asks, key=lambda one: hosts_of(one["placement"]))
    job, counts = ask["job"], ask["placement"]
    if job["collective"] in ("barrier", "pingpong", "exchange") or isinstance(counts, list):
        return []
    sizes = [int(one["job"]["bytes"].removesuffix(" B")) for one in scene.asks]
    found = [Experiment(f"the same job of {words}", benchmark(job, counts, size, size), counts,
                        {**job, "bytes": f"{size} B"}, 1, False)
             for size, words in ((1 << 10, "1 KiB"), (1 << 20, "1 MiB"), (1 << 28, "256 MiB"))
             if not min(sizes) <= size <= max(sizes)]
    first = str(counts.get("hosts") if isinstance(counts, dict) else counts)
    each = first.split("-")[0].split("x")[0]
    if scene.between_hosts and int(each) > 1:
        alone = {**counts, "hosts": each} if isinstance(counts, dict) else each
        found.append(Experiment("the same job on one host, 64 MiB",
                                benchmark(job, alone, LARGE, LARGE), alone,
                                {**job, "bytes": f"{LARGE} B"}, 1, False))
    return found


def apart(times: dict, i: int, one: str, other: str) -> float:
    """How well experiment `i` tells two causes apart: 0 where it does not; a factor of two does."""
    values = times[one][i], times[other][i]
    if None in values:
        return 0
    distance = abs(math.log(values[0] / values[1]))
    return min(distance, math.log(2)) if distance > LEAST else 0


def tell(what_if: WhatIf, scene: Scene, causes: list) -> list:
    """At most AT_MOST Tellings, for the causes (outcomes) that are not told apart."""
    some = causes[:MOST]
    if len(some) < 2:
        return []
    experiments = pairs(scene) + variants(scene)
    changed = [one.cause.scene(scene, one.value) for one in some]
    groups = [Scene(one.cluster, one.library, [{"placement": what.placement, "job": what.job}],
                    one.neighbours).scenarios() for one in changed for what in experiments]
    answers = iter(what_if.all(groups, "searching for a deciding measurement"))
    times = {one.name: [answer and answer[0]["time_s"]
                        for answer in itertools.islice(answers, len(experiments))] for one in some}
    told, left = [], set(itertools.combinations(times, 2))
    for _ in range(AT_MOST):
        best = max(range(len(experiments)), default=None,
                   key=lambda i: sum(apart(times, i, *pair) for pair in left))
        split = {pair for pair in left if best is not None and apart(times, best, *pair) > 0}
        if not split:
            break
        told.append(Telling(experiments[best],
                            {name: found[best] for name, found in times.items()}))
        left -= split
    return told
