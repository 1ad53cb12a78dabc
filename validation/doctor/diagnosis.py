"""From a log and a described cluster to a verdict: what was expected, what explains the rest."""

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Optional

import numpy as np

from validation.doctor import curve as curve_
from validation.doctor import ranking
from validation.doctor.causes import CAUSES
from validation.doctor.causes.tree_across_hosts import chose
from validation.doctor.errors import Errors
from validation.doctor.scene import Scene, hosts_of
from validation.doctor.what_if import WhatIf

SIZES = 7  # of a series, at which causes are simulated; between them their effect is interpolated
POINTS = 14  # of all series
FASTER = 1.15  # two hosts than more of them
MOST_SERIES = 3  # compared, of many that are long
REFINED, ROUNDS = 6, 2  # causes whose best severity is simulated, how often


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

    def above_the_cards(self) -> list:
        """Points on two hosts whose bus bandwidth is more than their cards carry, as it may be
        where a tree ran."""
        cards = self.scene.host_bandwidth()
        return [point for point in self.curve.points
                if point.divide == 1 and hosts_of(point.placement) == 2 and point.rate > cards]

    def faster_on_two_hosts(self) -> bool:
        """True if NCCL's allreduce of a size has more bus bandwidth on two hosts than on more."""
        found: dict = {}
        for point in self.curve.points:
            hosts = hosts_of(point.placement)
            if chose(point.job) and hosts > 1 and "options" not in point.job:
                found.setdefault(point.bytes, {})[hosts] = point.rate
        return any(2 in rates and len(rates) > 1 and
                   rates[2] > FASTER * max(rate for hosts, rate in rates.items() if hosts > 2)
                   for rates in found.values())

    def remarks(self) -> list:
        """Names of causes that are seen without a simulation."""
        seen = self.above_the_cards() or self.faster_on_two_hosts()
        return ["tree-across-hosts"] if seen else []


def expect(what_if: WhatIf, scene: Scene, curve: curve_.Curve):
    """Sets what each point was expected to take."""
    for point, answer in zip(curve.points, what_if.answers(scene.scenarios(), exact=True)):
        point.expected = answer["time_s"] / point.divide
        point.chosen = answer["chosen"]
        if answer["busbw"] > 0 and answer["bytes"] > 0 and point.divide == 1:
            point.factor = answer["busbw"] * answer["time_s"] / answer["bytes"]


def simulated_at(curve: curve_.Curve, sizes: int, points: int) -> list:
    """Indices of the points at which causes are simulated: of each series the ends and some between
    them, evenly by place."""
    series = curve.series
    most = max(2, min(sizes, points // len(series)))
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
    """One cause, and what its severities would take: {severity: log times, None where refused}."""

    def __init__(self, cause, scene: Scene):
        self.cause, self.values = cause, cause.values(scene)
        self.found: dict = {}
        self.exact: set = set()  # severities that were simulated at more points
        self.missed = 0.0  # by interpolation between sizes, where that is known

    def missing(self, first: bool) -> list:
        """Severities to simulate: first the heaviest, or all of those that have no order."""
        if first and self.cause.ordered:
            return self.values[-1:]
        return [value for value in self.values if value not in self.found]

    def works(self, expected: np.ndarray) -> bool:
        """False where even the heaviest severity does nothing here."""
        return not self.cause.ordered or any(
            times is not None and np.max(np.abs(times - expected)) > ranking.SMALL
            for times in self.found.values())

    def answers(self) -> list:
        return [(value, times if value in self.exact else times + self.missed)
                for value, times in self.found.items() if times is not None]


def worth_explaining(diagnosis: Diagnosis) -> list:
    """Indices of the points at which causes are compared: of many series those that are least
    normal, and one that is most; of pairs, which are quick, all."""
    points, series = diagnosis.curve.points, diagnosis.curve.series
    pairs = all(point.job["collective"] in ("pingpong", "exchange") for point in points)
    if pairs or len(series) <= MOST_SERIES:
        return list(range(len(points)))
    sigma = diagnosis.errors.sigma()
    worst = {name: np.median([abs(math.log(point.ratio)) / sigma[i]
                              for i, point in enumerate(points) if point.series == name])
             for name in series}
    order = sorted(series, key=lambda name: -worst[name])
    kept = {*order[:MOST_SERIES - 1], order[-1]}
    return [i for i, point in enumerate(points) if point.series in kept]


class Trials:
    """The trials of all causes, on the points that are simulated."""

    def __init__(self, what_if: WhatIf, scene: Scene, curve: curve_.Curve, causes: list):
        self.what_if, self.scene, self.curve = what_if, scene, curve
        self.chosen = simulated_at(self.curve, SIZES, POINTS)
        self.all_points = simulated_at(self.curve, 3 * SIZES, 2 * POINTS)
        self.expected = np.log([point.expected for point in self.curve.points])
        # Long vectors are extrapolated in what-ifs, and so is what they are compared with.
        self.base = np.log([one["time_s"] for one in what_if.answers(scene.scenarios())])
        self.trials = [Trial(cause, self.scene) for cause in causes]

    def simulate(self, asked: list, what: str, every: bool = False):
        """`asked`: (trial, severity). `every`: at all points, not only at the chosen ones."""
        groups, possible = [], []
        chosen = self.all_points if every else self.chosen
        for trial, value in asked:
            changed = trial.cause.scene(self.scene, value)
            trial.found[value] = None
            if changed is not None:
                groups.append(changed.scenarios(chosen))
                possible.append((trial, value))
        for (trial, value), answer in zip(possible, self.what_if.all(groups, what)):
            if answer is not None:
                shifts = np.log([one["time_s"] for one in answer]) - self.base[chosen]
                between = spread_out(self.curve, chosen, shifts)
                trial.found[value] = self.expected + between
                if every:
                    coarse = between[self.chosen]
                    some = spread_out(self.curve, self.chosen, coarse)
                    trial.missed = between - some

    def all(self):
        """The heaviest severities first: causes that do nothing need no other."""
        self.simulate([(one, value) for one in self.trials for value in one.missing(True)],
                      "simulating causes")
        self.simulate([(one, value) for one in self.trials if one.works(self.expected)
                       for value in one.missing(False)], "simulating how severe they are")

    def refine(self, outcomes: list):
        """Simulates the best severities of the best causes at all points: so far severities, or
        points, were interpolated."""
        trials = {one.cause.name: one for one in self.trials}
        best = [one for one in outcomes if one.cause][:REFINED]
        asked = [(trials[one.name], one.value) for one in best
                 if one.value not in trials[one.name].exact]
        for trial, value in asked:
            trial.exact.add(value)
        self.simulate(asked, "simulating the best again", every=True)


def rank(what_if: WhatIf, diagnosis: Diagnosis, causes: list = CAUSES) -> list:
    """The outcomes of all causes, best first; log times are nan where no cause was compared."""
    kept = worth_explaining(diagnosis)
    points = [diagnosis.curve.points[i] for i in kept]
    curve = dataclasses.replace(diagnosis.curve, points=points)
    scene = dataclasses.replace(diagnosis.scene, asks=[diagnosis.scene.asks[i] for i in kept])
    trials = Trials(what_if, scene, curve, causes)
    trials.all()
    found = ranking.Ranking(np.log([point.seconds for point in points]), trials.expected,
                            diagnosis.errors.of(kept))
    for turn in range(ROUNDS + 1):
        outcomes = found.ranked([found.outcome(one.cause, one.answers())
                                 for one in trials.trials])
        if turn < ROUNDS:
            trials.refine(outcomes)
    every = np.full(len(diagnosis.curve.points), np.nan)
    for i, one in enumerate(outcomes):
        times = every.copy()
        times[kept] = one.log_times
        outcomes[i] = one._replace(log_times=times)
    return outcomes
