"""From a log and a described cluster to a verdict: what was expected, what explains the rest."""

import math
from dataclasses import dataclass, field
from typing import Optional

import numpy as np

from validation.doctor import curve as curve_
from validation.doctor import ranking
from validation.doctor.causes import CAUSES
from validation.doctor.errors import Errors
from validation.doctor.scene import Scene
from validation.doctor.what_if import WhatIf

SIZES = 7  # of a series, at which causes are simulated; between them their effect is interpolated
POINTS = 14  # of all series


@dataclass
class Diagnosis:
    """`ranked` is empty where the curve is normal; `telling`: measurements that would tell."""

    curve: curve_.Curve
    scene: Scene
    family: str
    errors: Errors
    library: str
    cluster: str
    first: Optional[int] = None
    ranked: list = field(default_factory=list)
    telling: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    @property
    def normal(self) -> bool:
        return self.first is None

    @property
    def causes(self) -> list:
        return [one for one in self.ranked if one.cause]


def expect(what_if: WhatIf, scene: Scene, curve: curve_.Curve):
    """Sets what each point was expected to take."""
    for point, answer in zip(curve.points, what_if.answers(scene.scenarios(), limited=False)):
        point.expected = answer["time_s"] / point.divide
        point.chosen = answer["chosen"]
        if answer["busbw"] > 0 and answer["bytes"] > 0 and point.divide == 1:
            point.factor = answer["busbw"] * answer["time_s"] / answer["bytes"]


def simulated_at(curve: curve_.Curve) -> list:
    """Indexes of the points at which causes are simulated: of each series the ends and some between
    them, evenly by place."""
    series = curve.series
    most = max(2, min(SIZES, POINTS // len(series)))
    chosen = []
    for name in series:
        own = [i for i, point in enumerate(curve.points) if point.series == name]
        many = min(most, len(own))
        chosen += sorted({own[round(k * (len(own) - 1) / max(1, many - 1))] for k in range(many)})
    return chosen


def spread_out(curve: curve_.Curve, chosen: list, shifts: np.ndarray) -> np.ndarray:
    """log(time with the cause / expected) of all points from that of the chosen ones."""
    result = np.zeros(len(curve.points))
    for name in curve.series:
        own = [i for i, point in enumerate(curve.points) if point.series == name]
        known = [(math.log(max(curve.points[i].bytes, 1)), shifts[k])
                 for k, i in enumerate(chosen) if i in own]
        result[own] = np.interp([math.log(max(curve.points[i].bytes, 1)) for i in own],
                                *zip(*known))
    return result


class Trial:
    """One cause, its severities, and the log times of all points with those that were simulated."""

    def __init__(self, cause, scene: Scene):
        self.cause, self.values = cause, cause.values(scene)
        self.found: dict = {}  # {place among the values: log times, or None where refused}

    def missing(self, first: bool) -> list:
        """Places to simulate: the heaviest severity, or one that cannot be compared, first."""
        if not self.values:
            return []
        if first and self.cause.ordered:
            return [len(self.values) - 1]
        return [i for i in range(len(self.values)) if i not in self.found]

    def works(self, expected: np.ndarray) -> bool:
        """False where even the heaviest severity does nothing here."""
        return not self.cause.ordered or any(
            times is not None and np.max(np.abs(times - expected)) > ranking.SMALL
            for times in self.found.values())

    def answers(self) -> list:
        return [(self.values[i], self.found[i]) for i in sorted(self.found)
                if self.found[i] is not None]


class Trials:
    """The trials of all causes, on the points that are simulated."""

    def __init__(self, what_if: WhatIf, diagnosis: Diagnosis, causes: list):
        self.what_if, self.scene, self.curve = what_if, diagnosis.scene, diagnosis.curve
        self.chosen = simulated_at(self.curve)
        self.expected = np.log([point.expected for point in self.curve.points])
        self.divided = np.log([self.curve.points[i].divide for i in self.chosen])
        self.trials = [Trial(cause, self.scene) for cause in causes]

    def simulate(self, asked: list, what: str):
        """`asked`: (trial, place among its values)."""
        groups = []
        for trial, place in list(asked):
            changed = trial.cause.scene(self.scene, trial.values[place])
            if changed is None:
                trial.found[place] = None
                asked.remove((trial, place))
            else:
                groups.append(changed.scenarios(self.chosen))
        for (trial, place), answer in zip(asked, self.what_if.all(groups, what)):
            if answer is None:
                trial.found[place] = None
                continue
            times = np.log([one["time_s"] for one in answer]) - self.divided
            shifts = spread_out(self.curve, self.chosen, times - self.expected[self.chosen])
            trial.found[place] = self.expected + shifts

    def all(self):
        """The heaviest severities first: causes that do nothing need no other."""
        self.simulate([(one, place) for one in self.trials for place in one.missing(True)],
                      "simulating causes")
        self.simulate([(one, place) for one in self.trials if one.works(self.expected)
                       for place in one.missing(False)], "simulating how severe they are")


def rank(what_if: WhatIf, diagnosis: Diagnosis, causes: list = CAUSES) -> list:
    """The outcomes of all causes, best first."""
    trials = Trials(what_if, diagnosis, causes)
    trials.all()
    measured = np.log([point.seconds for point in diagnosis.curve.points])
    found = ranking.Ranking(measured, trials.expected, diagnosis.errors)
    for one in trials.trials:
        found.add(one.cause, one.answers())
    return found.ranked()
