# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machines and jobs whose curves are simulated, healthy or with a fault."""

import random
from typing import NamedTuple, Optional

import numpy as np

from validation.doctor import curve as curve_
from validation.doctor import diagnosis, inputs, ranking
from validation.doctor.causes import CAUSES
from validation.doctor.errors import Errors
from validation.doctor.scenario.scene import Scene

NOISE = 0.05


class Machine(NamedTuple):
    """`sizes`: from 2 to the first by factors of 4 to 2 to the second."""

    name: str
    cluster: str
    library: str
    placement: object
    job: dict
    sizes: tuple


NCCL = {"collective": "allreduce", "algorithm": "nccl"}
RING = {"collective": "allreduce", "algorithm": "open_mpi_tuned"}
PING = {"collective": "pingpong", "algorithm": "blocking", "options": {"rounds": 4}}
MACHINES = (
    Machine("two DGX A100", "a100_nvswitch", "nccl_a100", {"hosts": "8x2", "on": "gpu"}, NCCL,
            (10, 30)),
    Machine("two DGX-1", "dgx1v", "nccl_v100_pcie", {"hosts": "8x2", "on": "gpu"}, NCCL, (10, 28)),
    Machine("four H100 hosts", "h100x4_nvlink", "nccl_h100", {"hosts": "4x4", "on": "gpu"}, NCCL,
            (10, 30)),
    Machine("four V100 behind PCIe", "v100x4_pcie", "nccl_v100_pcie", {"hosts": "4", "on": "gpu"},
            NCCL, (3, 27)),
    Machine("eight hosts, TCP", "star8", "openmpi_tcp", "1x8", RING, (2, 24)),
    Machine("eight hosts, RDMA", "star8", "rdma", "2x8", RING, (2, 24)),
    Machine("two NUMA hosts, RDMA", "numa_pair", "rdma", "1-1", PING, (2, 24)),
)


def curve_of(machine: Machine) -> curve_.Curve:
    first, last = machine.sizes
    points = []
    divide = 2 * machine.job.get("options", {}).get("rounds", 0) or 1
    for power in range(first, last + 1, 2):
        size = 1 << power
        points.append(curve_.Point(machine.name, size, 1.0, machine.placement,
                                   {**machine.job, "bytes": f"{size} B"}, divide))
    return curve_.Curve(points, {"devices": ["a GPU"]} if "gpu" in str(machine.placement) else {},
                        [])


class Drawn(NamedTuple):
    """A curve whose truth is known: a cause's name and severity in words, or none."""

    machine: Machine
    diagnosis: diagnosis.Diagnosis
    cause: str
    severity: str
    tries: int


def examined(what_if, machine: Machine) -> diagnosis.Diagnosis:
    """Its healthy curve: measured is not set yet."""
    curve = curve_of(machine)
    scene, chosen = inputs.scene_of(curve, machine.cluster, machine.library, None)
    diagnosis.expect(what_if, scene, curve)
    return diagnosis.Diagnosis(curve, scene, chosen.family, Errors(curve.points, chosen.family),
                               chosen.name, machine.cluster)


def between(cause, values: list, draw: random.Random):
    """A severity from the mildest to the heaviest, by equal factors."""
    numbers = all(isinstance(value, (int, float)) and value > 0 for value in values)
    if not (cause.ordered and numbers and len(values) > 1):
        return draw.choice(values)
    share = draw.random()
    value = values[0] ** (1 - share) * values[-1] ** share
    return round(value) if all(isinstance(one, int) for one in values) else float(f"{value:.3g}")


def noisy(times, draw: random.Random) -> list:
    return [one * float(np.exp(draw.gauss(0, NOISE))) for one in times]


def faulty(what_if, seed: int, machines=MACHINES, causes=CAUSES) -> Optional[Drawn]:
    """A fault that can be seen, with noise; None if the seed has none in 50 tries."""
    draw = random.Random(seed)
    for tries in range(1, 51):
        machine = draw.choice(machines)
        found = examined(what_if, machine)
        possible = [cause for cause in causes if cause.values(found.scene)]
        cause = draw.choice(possible)
        value = between(cause, cause.values(found.scene), draw)
        changed: Optional[Scene] = cause.scene(found.scene, value)
        if changed is None:
            continue
        answers = what_if.all([changed.scenarios()], "", exact=True)[0]
        if answers is None:
            continue
        times = [answer["time_s"] / point.divide
                 for answer, point in zip(answers, found.curve.points)]
        for point, time in zip(found.curve.points, times):
            point.seconds = time
        if ranking.abnormal(found.curve.points, found.errors) is None:
            continue
        for point, time in zip(found.curve.points, noisy(times, draw)):
            point.seconds = time
        return Drawn(machine, found, cause.name, cause.words(value), tries)
    return None


def healthy(what_if, seed: int, model_error: bool, machines=MACHINES) -> Drawn:
    """Noise alone; or with an error of the model, drawn from what it states."""
    draw = random.Random(seed)
    machine = draw.choice(machines)
    found = examined(what_if, machine)
    times = noisy([point.expected for point in found.curve.points], draw)
    if model_error:
        size = found.errors.alike * np.outer(found.errors.model, found.errors.model)
        root = np.linalg.cholesky(size + 1e-12 * np.eye(len(size)))
        off = root @ np.array([draw.gauss(0, 1) for _ in times])
        times = [time * float(np.exp(one)) for time, one in zip(times, off)]
    for point, time in zip(found.curve.points, times):
        point.seconds = time
    return Drawn(machine, found, "normal", "", 1)
