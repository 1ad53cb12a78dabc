# SPDX-License-Identifier: LGPL-2.1-or-later
"""The trials of all causes: which severities are simulated, at which sizes, and in which order.

Few of what is possible is simulated. First the heaviest severity of each cause (all severities, of
a cause without an order) at a few sizes, where a short vector is most off at that one alone unless
the cause explains enough of it; then, of those causes that a curve on the way from nothing to that
might explain, the severity that lies nearest to where the measured curve lies between two that are
known, at more sizes, until there is none left between; then the best severities of the best causes
at still more sizes.
"""

import math

import numpy as np

from validation.doctor import curve as curve_, ranking
from validation.doctor.scenario.scene import Scene
from validation.doctor.what_if import WhatIf, bytes_of, is_late, shortened, with_bytes

# Sizes of a series and points of all series at which causes are simulated; between them their
# effect is interpolated.
FIRST, THEN, AT_LAST = (3, 6), (5, 10), (9, 16)
NARROWED = 2  # times that severities are looked for
EXPLAINS = 0.4  # of the deviation of the size that is most off: less, and a cause is omitted
# Further from the curve than the nearest, in variances of the stated error: such a cause is not
# looked at again, but for so many of the nearest; nor are more than MOST.
FAR, KEPT, MOST = 16.0, 4, 8
REFINED, ROUNDS = 4, 1  # causes whose best severity is simulated again, how often
OUT_OF_REACH = math.log(1000)  # behind the best: not refined, beyond two


def simulated_at(curve: curve_.Curve, sizes: int, points: int) -> list:
    """Indices of the points at which causes are simulated: of each series the ends and some between
    them, evenly by place."""
    series = curve.series
    most = max(2, min(sizes, points // len(series)))
    chosen = []
    for name in series:
        own = curve.places(name)
        many = min(most, len(own))
        chosen += sorted({own[round(k * (len(own) - 1) / max(1, many - 1))] for k in range(many)})
    return chosen


def spread_out(curve: curve_.Curve, chosen: list, shifts: np.ndarray) -> np.ndarray:
    """log(time with the cause / expected) of all points from that of the chosen ones."""
    result = np.zeros(len(curve.points))
    for name in curve.series:
        own = curve.places(name)
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
        self.exact: set = set()  # severities that were simulated at most sizes
        self.missed = 0.0  # by interpolation between sizes, where that is known

    def first(self) -> list:
        """The heaviest severity, or all of those that have no order."""
        return self.values[-1:] if self.cause.ordered else self.values

    def works(self, expected: np.ndarray) -> bool:
        """False where what was simulated does nothing here."""
        return any(times is not None and np.max(np.abs(times - expected)) > ranking.SMALL
                   for times in self.found.values())

    def answers(self) -> list:
        return [(value, times if value in self.exact else times + self.missed)
                for value, times in self.found.items() if times is not None]

    def known(self, expected: np.ndarray) -> list:
        """(place in `values`, log times) of the severities that are known, in their order; in front
        that of having no such cause, whose place is -1."""
        return [(-1, expected)] + [(i, self.found[value]) for i, value in enumerate(self.values)
                                   if self.found.get(value) is not None]

    def ways(self, found: ranking.Ranking) -> list:
        """[(distance, share, place, next place)]: how near the measured curve lies to the straight
        way between each two severities that are known, and where on it."""
        known = self.known(found.expected)
        return [(*found.on_the_way(times, later), left, right)
                for (left, times), (right, later) in zip(known, known[1:])]

    def following(self, found: ranking.Ranking) -> list:
        """The severity to simulate next, at most one: between the two known ones between which the
        measured curve lies, the nearest to it."""
        ways = self.ways(found)
        if not ways:
            return []
        _, share, left, right = min(ways)
        place = left + share * (right - left)
        between = [k for k in range(left + 1, right) if self.values[k] not in self.found]
        return [self.values[min(between, key=lambda k: abs(k - place))]] if between else []

    def distance(self, found: ranking.Ranking) -> float:
        """Distance of the nearest severity, be it one on the way between two that are known."""
        if self.cause.ordered:
            return min((one[0] for one in self.ways(found)), default=math.inf)
        return min((found.distance(times) for _, times in self.known(found.expected)[1:]),
                   default=math.inf)

    def nearest(self, found: ranking.Ranking) -> list:
        """The simulated severity that is nearest; none of a cause that was refused."""
        known = [one for one in self.found.items() if one[1] is not None]
        return [min(known, key=lambda one: found.distance(one[1]))[0]] if known else []


class Trials:
    """The trials of all causes of a curve. `stated`: names of those that are never omitted."""

    def __init__(self, what_if: WhatIf, scene: Scene, curve: curve_.Curve, causes: list,
                 found: ranking.Ranking, stated=()):
        self.what_if, self.scene, self.curve, self.ranking = what_if, scene, curve, found
        self.stated = stated
        self.trials = [Trial(one, self.scene) for cause in causes for one in cause.each()]

    def simulate(self, asked: list, chosen: list, what: str):
        """Sets what these trials find. `asked`: (trial, severity); `chosen`: indices of points."""
        groups, possible = [], []
        for trial, value in asked:
            changed = trial.cause.scene(self.scene, value)
            trial.found[value] = None
            if changed is not None:
                groups.append([shortened(one) for one in changed.scenarios(chosen)])
                possible.append((trial, value))
        without = self.scene.scenarios(chosen)
        same = [[with_bytes(one, bytes_of(short)) if one["job"].get("bytes") else one
                 for one, short in zip(without, group)] for group in groups]
        whole = [shortened(one) for one in without]
        healthy = list({str(one): one for group in [whole, *same] for one in group}.values())
        answers = self.what_if.all([healthy, *groups], what)[1:] if groups else []
        for (trial, value), group, answer, own in zip(possible, groups, answers, same):
            if answer is not None:
                base = whole if any(map(is_late, group)) else own
                times, short, long = (np.array([one["time_s"] for one in some]) for some in
                                      (answer, *map(self.what_if.answers, (own, base))))
                shifts = np.log(times - short + long) - np.log(long)
                trial.found[value] = self.ranking.expected + spread_out(self.curve, chosen, shifts)

    def hopeful(self) -> list:
        """Trials that may explain the curve, at some severity."""
        near = [(one.distance(self.ranking), i, one) for i, one in enumerate(self.trials)
                if one.works(self.ranking.expected)]
        return [one for place, (distance, _, one) in enumerate(sorted(near)[:MOST])
                if place < KEPT or distance < min(near)[0] + FAR]

    def begin(self):
        """Simulates the heaviest severities; where a short vector is most off, first at that, as
        long ones take longer, and the others of those causes alone that explain enough there."""
        first = [(one, value) for one in self.trials for value in one.first()]
        sizes = simulated_at(self.curve, *FIRST)
        off = self.ranking.measured - self.ranking.expected
        most = max(sizes, key=lambda i: abs(off[i]) / self.ranking.sigma[i])
        if len(self.curve.series) == 1 and most != sizes[-1]:
            self.simulate(first, [most], "simulating causes")
            some = {one for one, value in first if one.cause.name in self.stated
                    or one.found[value] is not None and EXPLAINS <=
                    (one.found[value] - self.ranking.expected)[most] / off[most]}
            self.trials = [one for one in self.trials if len(some) < KEPT or one in some]
        self.simulate([one for one in first if one[0] in self.trials], sizes, "simulating causes")

    def narrow(self):
        """Simulates severities nearer and nearer to the measured curve."""
        self.begin()
        hopeful = self.hopeful()
        again = [(one, value) for one in hopeful for value in one.nearest(self.ranking)]
        for _ in range(NARROWED):
            following = [(one, value) for one in hopeful if one.cause.ordered
                         for value in one.following(self.ranking)]
            self.simulate(again + following, simulated_at(self.curve, *THEN),
                          "simulating how severe they are")
            again, hopeful = [], [one for one in self.hopeful() if one in hopeful]

    def refine(self, outcomes: list):
        """Simulates the best severities of the best causes at more sizes: so far severities,
        or more sizes, were interpolated."""
        trials = {one.cause: one for one in self.trials}
        best = [one for one in outcomes if one.cause][:REFINED]
        best = [one for i, one in enumerate(best)
                if i < 2 or one.log_weight > best[0].log_weight - OUT_OF_REACH]
        asked = [(trials[one.cause], one.value) for one in best
                 if one.value not in trials[one.cause].exact]
        self.simulate(asked, simulated_at(self.curve, *AT_LAST), "simulating the best again")
        chosen = simulated_at(self.curve, *THEN)
        for trial, value in asked:
            trial.exact.add(value)
            if trial.found[value] is not None:
                between = trial.found[value] - self.ranking.expected
                trial.missed = between - spread_out(self.curve, chosen, between[chosen])

    def outcomes(self) -> list:
        """All causes that do anything, best first."""
        self.narrow()
        for turn in range(ROUNDS + 1):
            outcomes = self.ranking.ranked([self.ranking.outcome(one.cause, one.answers(),
                                                                 one.values)
                                            for one in self.trials])
            if turn < ROUNDS:
                self.refine(outcomes)
        return ranking.joined(outcomes)
