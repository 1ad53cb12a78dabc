# SPDX-License-Identifier: LGPL-2.1-or-later
"""From a log and a described cluster to a verdict: what was expected, what explains the rest."""

import dataclasses
import math
from dataclasses import dataclass, field

import numpy as np

from common.programs import InputError, waiting
from validation.doctor import curve as curve_, inputs, ranking, trials
from validation.doctor.causes import CAUSES
from validation.doctor.causes.changes import chose
from validation.doctor.errors import Errors
from validation.doctor.scenario.scene import Scene, counts_of, hosts_of, ranks_of
from validation.doctor.what_if import WhatIf

FASTER = 1.15  # two hosts than more of them
MOST_SERIES, MOST_PAIRS = 3, 12  # compared, of many
MOST_RANKS = 32  # of a what-if


@dataclass
class Diagnosis:
    """`ranked` is empty where the curve is normal; `telling`: measurements that would tell;
    `stated` and `struck`: causes that a line of the log states or contradicts (evidence.py)."""

    curve: curve_.Curve
    scene: Scene
    family: str
    errors: Errors
    library: str
    cluster: str
    first: int | None = None
    ranked: list = field(default_factory=list)
    telling: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    stated: dict = field(default_factory=dict)
    struck: dict = field(default_factory=dict)

    @property
    def normal(self) -> bool:
        return self.first is None

    @property
    def off(self) -> np.ndarray:
        return self.errors.off(self.curve.points)

    @property
    def logs(self) -> np.ndarray:
        """Logarithms of measured over expected times."""
        return np.log([point.ratio for point in self.curve.points])

    def explains(self, outcome: ranking.Outcome) -> float:
        """Share of the abnormal points' deviation that a cause explains: 0 to 1."""
        times = outcome.log_times - np.log([point.expected for point in self.curve.points])
        seen = (self.off != 0) & ~np.isnan(times)
        missed = np.sum(np.abs(self.logs - times)[seen])
        return max(0.0, 1 - float(missed / max(np.sum(np.abs(self.logs)[seen]), 1e-9)))

    @property
    def by_spread(self) -> bool:
        return any(point.likely for point in self.curve.points)

    @property
    def causes(self) -> list:
        return [one for one in self.ranked if one.cause]

    @property
    def explained(self) -> bool:
        """False where the curve is faster than expected and the likeliest cause makes up for less
        than half of that: that it explains a slower part better is no reason then."""
        if (self.normal or self.curve.points[self.first].ratio > 1 or not self.causes
                or self.causes[0].name in self.stated):
            return True
        points, best = self.curve.points, self.causes[0].log_times
        off = [i for i in range(len(points)) if points[i].ratio < 1 and not math.isnan(best[i])]
        made_up = sum(best[i] - math.log(points[i].expected) for i in off)
        return bool(off) and made_up < sum(math.log(points[i].ratio) for i in off) / 2

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
            if chose(point.job) and hosts > 1:
                found.setdefault(point.bytes, {})[hosts] = point.rate
        return any(2 in rates and len(rates) > 1 and
                   rates[2] > FASTER * max(rate for hosts, rate in rates.items() if hosts > 2)
                   for rates in found.values())

    def remarks(self) -> list:
        """Names of causes that are seen without a simulation."""
        seen = self.above_the_cards() or self.faster_on_two_hosts()
        return ["tree-across-hosts"] if seen else []


def expect(what_if: WhatIf, scene: Scene, curve: curve_.Curve):
    """Sets the expected time of each point. Leaves out the points without one: with no time there
    is no ratio to judge. Raises InputError if none is left."""
    try:
        with waiting("simulating the healthy cluster"):
            answers = what_if.answers(scene.scenarios(), exact=True)
    except InputError as error:
        raise type(error)("the simulator rejects the log's job on this cluster: "
                          f"{error}") from None
    kept = [i for i, answer in enumerate(answers) if answer["time_s"] > 0]
    if not kept:
        raise InputError("expected a job that takes time on this cluster, got 0 s for all "
                         f"{len(answers)} points: does the log measure a single rank, or has the "
                         "library no costs?")
    if len(kept) < len(answers):
        curve.notes.append(f"{len(answers) - len(kept)} of {len(answers)} points omitted: their "
                           "expected time is 0 s")
        curve.points[:] = [curve.points[i] for i in kept]
        scene.asks[:] = [scene.asks[i] for i in kept]
    for point, answer in zip(curve.points, [answers[i] for i in kept]):
        point.expected = answer["time_s"] / point.divide
        point.chosen = answer["chosen"]
        point.likely = () if point.family == inputs.SCALED else answer["likely"]
        if answer["busbw"] > 0 and answer["bytes"] > 0 and point.divide == 1:
            point.factor = answer["busbw"] * answer["time_s"] / answer["bytes"]


def worth_explaining(diagnosis: Diagnosis) -> list:
    """Indices of the points at which causes are compared: of many series those that are least
    normal, and one that is most; of pairs some of each deviation."""
    points, series = diagnosis.curve.points, diagnosis.curve.series
    pairs = all(point.job["collective"] in ("pingpong", "exchange") for point in points)
    if len(series) <= (MOST_PAIRS if pairs else MOST_SERIES):
        return list(range(len(points)))
    sigma = diagnosis.errors.sigma()
    worst = {name: np.median([abs(math.log(point.ratio)) / sigma[i]
                              for i, point in enumerate(points) if point.series == name])
             for name in series}
    order = sorted(series, key=lambda name: -worst[name])
    kept = {*order[:MOST_SERIES - 1], order[-1]} if not pairs else {
        order[round(i * (len(order) - 1) / (MOST_PAIRS - 1))] for i in range(MOST_PAIRS)}
    return [i for i, point in enumerate(points) if point.series in kept]


def few_hosts(ask: dict) -> dict:
    """A job of many ranks on its first hosts, where a cause changes times by about as much."""
    placement = ask["placement"]
    if isinstance(placement, list) or ranks_of(placement) <= MOST_RANKS:
        return ask
    each = max(counts_of(placement))
    if max(2, MOST_RANKS // each) >= hosts_of(placement):
        return ask
    hosts = f"{each}x{max(2, MOST_RANKS // each)}"
    return {**ask, "placement": {**placement, "hosts": hosts} if isinstance(placement, dict)
            else hosts}


def rank(what_if: WhatIf, diagnosis: Diagnosis, causes: list = CAUSES) -> list:
    """The outcomes of all causes, best first; log times are nan where no cause was compared."""
    kept = worth_explaining(diagnosis)
    points = [diagnosis.curve.points[i] for i in kept]
    curve = dataclasses.replace(diagnosis.curve, points=points)
    asks = [few_hosts(diagnosis.scene.asks[i]) for i in kept]
    scene = dataclasses.replace(diagnosis.scene, asks=asks)
    found = ranking.Ranking(np.log([point.seconds for point in points]),
                            np.log([point.expected for point in points]),
                            diagnosis.errors.of(kept))
    possible = [one for one in causes if one.name not in diagnosis.struck]
    outcomes = trials.Trials(what_if, scene, curve, possible, found,
                             diagnosis.stated).outcomes()
    every = np.full(len(diagnosis.curve.points), np.nan)
    for i, one in enumerate(outcomes):
        times = every.copy()
        times[kept] = one.log_times
        outcomes[i] = one._replace(log_times=times)
    return stated_first(diagnosis, outcomes, every)


def stated_first(diagnosis: Diagnosis, outcomes: list, unknown: np.ndarray) -> list:
    """Causes that the log states come first, also those that no simulation shows. `unknown`: times
    of those."""
    lines, simulated = diagnosis.stated, {one.name for one in outcomes}
    outcomes = outcomes + [ranking.Outcome(one, None, "", unknown, -math.inf, math.nan)
                           for one in CAUSES if one.name in lines and one.name not in simulated]
    return sorted(outcomes, key=lambda one: not lines[one.name].strong if one.name in lines else 2)
