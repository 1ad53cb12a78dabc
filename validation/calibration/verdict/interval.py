# SPDX-License-Identifier: LGPL-2.1-or-later
"""The interval of each prediction: of `predict`, of `validate` and of Calibration.interval().

A fitted model has other models beside it that its measurements allow as well (fit/draws.py). Of N
such predictions and one more the share (N - 1) / (N + 1) lies inside their range, if the model is
right. Errors of the fit on what it saw (verdict/residuals.py) and what the model misses are added
as independent ones. Every prediction lies in its own interval: both ends are factors on it.
"""

import dataclasses
import math
from typing import Callable, NamedTuple

from validation.calibration.verdict import model, residuals, simulator
from validation.progress import watched

REPETITIONS = 5  # of a case by each of the other models: their chance is part of the interval
FEW = 16  # ranks; of more one draws more random numbers in fewer repetitions
# Log of what the model misses on new cases beyond the rest of the interval: the median of what 90 %
# of each kept set need (validation/published/SPLIT.md, "Coverage of intervals").
UNSEEN = 0.11
AFFECTED = 0.02  # of a case's time, from which on it matters that a part is slower


class Width(NamedTuple):
    """Logs of factors on a prediction: to its ends by what the fit leaves open."""

    low: float
    high: float
    parts: tuple = ()  # of the library, whose errors matter here

    def ends(self, seconds: float, unseen=None) -> tuple:
        """(low, high) around a prediction."""
        missed = UNSEEN if unseen is None else unseen
        low = seconds * math.exp(-math.hypot(self.low, missed))
        high = seconds * math.exp(math.hypot(self.high, missed))
        assert low <= seconds <= high, f"{low} .. {high} does not hold its prediction {seconds}"
        return low, high


def width_of(own: float, drawn: list, slowed: dict, whole: tuple) -> Width:
    """`own`: seconds by the fit; `drawn` by each of the other models; `slowed` by {part: ...}; all
    of one case with the same random numbers, repetitions and starts."""
    if not own > 0:
        return Width(*whole)
    logs = [math.log(one / own) for one in drawn]
    moved = {part: math.log(one / own) for part, one in slowed.items()}
    parts = [residuals.MEDIAN * one for one in moved.values()]
    return Width(math.hypot(max(0.0, -min(logs)), whole[0], *parts),
                 math.hypot(max(0.0, max(logs)), whole[1], *parts),
                 tuple(part for part, one in moved.items() if one > AFFECTED))


def widths(fitted: model.Model, seconds: Callable) -> list:
    """Width of each case. `seconds`: of all cases, by what differs from the fit ({}: nothing)."""
    own = seconds({})
    drawn = [seconds(one) for one in watched(fitted.draws, "simulating the ensemble")]
    slowed = {part: seconds(one) for part, one in residuals.slower(fitted).items()}
    whole = residuals.whole(fitted)
    return [width_of(own[i], [one[i] for one in drawn],
                     {part: one[i] for part, one in slowed.items()}, whole)
            for i in range(len(own))]


def level_of(fitted: model.Model) -> float:
    """0 where there is no interval."""
    count = len(fitted.draws)
    return (count - 1) / (count + 1) if count > 1 else 0.0


def other_model(fitted: model.Model, drawn: dict) -> model.Model:
    """With the numbers that were drawn, and the tables, unless --algorithm sets one."""
    return dataclasses.replace(fitted, library=fitted.library | drawn.get("library", {}),
                               algorithms=drawn.get("algorithms", {}) | fitted.algorithms)


def with_link(scenario: dict, drawn: dict, fitted: model.Model) -> dict:
    """The scenario with the bandwidth that was drawn, where it is the fit's own."""
    link = scenario["cluster"].get("link")
    if "bandwidth" not in drawn or not isinstance(link, dict) or fitted.nominal_known:
        return scenario
    link = link | {"bandwidth": drawn["bandwidth"]}
    return scenario | {"cluster": scenario["cluster"] | {"link": link}}


def predict(runner: simulator.Simulator, fitted: model.Model, measured: list):
    """Sets `width`, `low_s` and `high_s` of every case, where the model has other models beside
    it."""
    if not level_of(fitted) or not measured:
        return
    known = runner.algorithms()

    def seconds(drawn: dict) -> list:
        other = other_model(fitted, drawn)
        scenarios = [with_link(model.scenario_for(other, case, known), drawn, fitted)
                     for case in measured]
        for scenario, case in zip(scenarios, measured):
            scenario["job"]["repetitions"] = min(
                scenario["job"]["repetitions"], model.repetitions_of(case, REPETITIONS, FEW, 1))
        return simulator.times(runner, other, scenarios, measured)

    for case, width in zip(measured, widths(fitted, seconds)):
        case.width = width
        case.low_s, case.high_s = width.ends(case.predicted_s)


def beyond(fitted: model.Model, case) -> str:
    """In which way a case lies beyond what the fit has seen; "" where in none."""
    seen = fitted.range
    if not seen:
        return ""
    ways = {"hosts": case.placement.used > seen["hosts"],
            "ranks a host": case.placement.most > seen["ranks_per_host"],
            "size": case.bytes and not seen["least"] <= case.bytes <= seen["most"]}
    return ", ".join(way for way, is_beyond in ways.items() if is_beyond)
