# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machines and jobs whose curves are simulated, healthy or with a fault."""

import bisect
import copy
import math
import random
from typing import NamedTuple, Optional, Sequence

import numpy as np

from validation.doctor import curve as curve_, diagnosis, inputs, ranking, reference
from validation.doctor.causes import CAUSES
from validation.doctor.errors import Errors
from validation.doctor.scenario.scene import Scene
from validation.yaml_files import tables_of

TABLES = tables_of(__file__)
NOISE = 0.05
CHANGES = (1.2, 3.0)  # factors by which a fault changes the sizes that it affects
NEAR = 1.1  # times more or less than the drawn factor: near enough
SEVERITIES = 64  # of a cause between whose severities lie others


class Machine(NamedTuple):
    """As in machines_for_test.yaml."""

    name: str
    cluster: str
    library: str
    placement: object
    job: dict
    sizes: Sequence[int]


NCCL, RING, _ = TABLES["jobs"].values()
MACHINES = tuple(Machine(**one) for one in TABLES["machines"])


def curve_of(machine: Machine) -> curve_.Curve:
    first, last = machine.sizes
    divide = 2 * machine.job.get("options", {}).get("rounds", 0) or 1
    points = [curve_.Point(machine.name, 1 << power, 1.0, machine.placement,
                           {**machine.job, "bytes": f"{1 << power} B"}, divide)
              for power in range(first, last + 1, 2)]
    return curve_.Curve(points, {"devices": ["a GPU"]} if "gpu" in str(machine.placement) else {},
                        [])


class Drawn(NamedTuple):
    """A curve whose truth is known: a cause's name and severity in words, or none."""

    machine: Machine
    diagnosis: diagnosis.Diagnosis
    cause: str
    severity: str
    tries: int


def begun(what_if, curve: curve_.Curve, cluster: str, library: str = "") -> diagnosis.Diagnosis:
    """The diagnosis of a curve, of which the expected times alone are known."""
    scene, chosen = inputs.scene_of(curve, cluster, library, None)
    diagnosis.expect(what_if, scene, curve)
    return diagnosis.Diagnosis(curve, scene, chosen.family, Errors(curve.points, chosen.family),
                               chosen.name, cluster)


def examined(what_if, machine: Machine) -> diagnosis.Diagnosis:
    """Its healthy curve: measured is not set yet."""
    return begun(what_if, curve_of(machine), machine.cluster, machine.library)


def severities(cause, values: list) -> list:
    """All of `values`, or where numbers lie between them so many from the mildest to the heaviest,
    by equal factors."""
    numbers = all(isinstance(value, (int, float)) and value > 0 for value in values)
    if not (cause.ordered and numbers and len(values) > 1):
        return values
    between = np.geomspace(values[0], values[-1], SEVERITIES)
    if all(isinstance(one, int) for one in values):
        return list(dict.fromkeys(round(value) for value in between))
    return [float(f"{value:.3g}") for value in between]


def change(times: list, found: diagnosis.Diagnosis) -> float:
    """Median factor between `times` and the expected ones, over the sizes that differ."""
    shifts = np.abs(np.log(times) - np.log([point.expected for point in found.curve.points]))
    affected = shifts[shifts > ranking.SMALL]
    return math.exp(np.median(affected)) if len(affected) else 1


def faulty_times(what_if, cause, found: diagnosis.Diagnosis, value) -> list:
    """[] where the scene cannot have this cause."""
    changed: Optional[Scene] = cause.scene(found.scene, value)
    answers = changed and what_if.all([changed.scenarios()], "", exact=True)[0]
    return [answer["time_s"] / point.divide
            for answer, point in zip(answers or [], found.curve.points)]


def nearest(what_if, cause, found: diagnosis.Diagnosis, wanted: float) -> tuple:
    """(severity, times) with the change nearest to `wanted`; times [] where none is within NEAR.
    The change of an ordered cause grows with its severity."""
    values, tried = severities(cause, cause.values(found.scene)), []

    def changed(value) -> float:
        times = faulty_times(what_if, cause, found, value)
        factor = change(times, found) if times else 1
        tried.append((abs(math.log(factor / wanted)), value, times))
        return factor

    if cause.ordered:
        bisect.bisect_left(values, wanted, key=changed)
    else:
        list(map(changed, values))
    off, value, times = min(tried, key=lambda one: one[0])
    return (value, times) if off < math.log(NEAR) else (None, [])


def noisy(times, draw: random.Random) -> list:
    return [one * float(np.exp(draw.gauss(0, NOISE))) for one in times]


def faulty(what_if, seed: int, machines=MACHINES, causes=CAUSES) -> Optional[Drawn]:
    """A fault with noise, which changes the sizes that it affects by a factor drawn evenly from
    CHANGES, seen or not; None if the seed has none in 50 tries."""
    draw = random.Random(seed)
    wanted = draw.uniform(*CHANGES)
    for tries in range(1, 51):
        machine = draw.choice(machines)
        found = examined(what_if, machine)
        cause = draw.choice([one for one in causes if one.values(found.scene)])
        value, times = nearest(what_if, cause, found, wanted)
        if times:
            for point, time in zip(found.curve.points, noisy(times, draw)):
                point.seconds = time
            words = f"{cause.words(value)}, {change(times, found):.2f} times"
            return Drawn(machine, found, cause.name, words, tries)
    return None


def with_good_day(one: Drawn, seed: int) -> Drawn:
    """The same curve, judged by a log of the healthy machine with other noise."""
    found, draw = one.diagnosis, random.Random(-seed)
    good = copy.deepcopy(found.curve)
    for point, time in zip(good.points, noisy([point.expected for point in good.points], draw)):
        point.seconds = time
    reference.follow(found.curve, good, "good day")
    found.family = reference.SAME
    found.errors = Errors(found.curve.points, found.family)
    return one


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
