# SPDX-License-Identifier: LGPL-2.1-or-later
"""The interval of each prediction, and how many measured cases lie in it.

A fitted model has other models beside it that its measurements allow as well (fit/draws.py). Each
predicts every case; the interval is from the least to the greatest. Of N such predictions and one
more the share (N - 1) / (N + 1) lies inside, if the model is right: the level, against which the
coverage is held.
"""

import dataclasses
import zlib

import numpy as np

from validation.verdict import model, simulator

REPETITIONS = 5  # of a case by each of the other models: their chance is part of the interval
FEW = 16  # ranks; of more one draws more random numbers in fewer repetitions


def level_of(fitted: model.Model) -> float:
    """0 where there is no interval."""
    count = len(fitted.draws)
    return (count - 1) / (count + 1) if count > 1 else 0.0


def other_model(fitted: model.Model, drawn: dict) -> model.Model:
    return dataclasses.replace(fitted, library=fitted.library | drawn.get("library", {}))


def with_link(scenario: dict, drawn: dict, fitted: model.Model) -> dict:
    """The scenario with the bandwidth that was drawn, where it is the fit's own."""
    link = scenario["cluster"].get("link")
    if "bandwidth" in drawn and isinstance(link, dict) and not fitted.nominal_known:
        scenario["cluster"]["link"] = link | {"bandwidth": drawn["bandwidth"]}
    return scenario


def predict(runner: simulator.Simulator, fitted: model.Model, measured: list):
    """Sets `low_s` and `high_s` of every case, where the model has other models beside it."""
    if not level_of(fitted) or not measured:
        return
    known, predicted = runner.algorithms(), []
    for drawn in fitted.draws:
        other = other_model(fitted, drawn)
        scenarios = [with_link(model.scenario_for(other, case, known), drawn, fitted)
                     for case in measured]
        for scenario, case in zip(scenarios, measured):
            scenario["job"]["repetitions"] = min(scenario["job"]["repetitions"],
                                                 repetitions_of(case))
        predicted.append(simulator.times(runner, other, scenarios, measured))
    for case, seconds in zip(measured, np.array(predicted).T):
        missed = errors_drawn(case, fitted.scatter, len(seconds))
        case.low_s = float(np.min(seconds / (1 + missed)))
        case.high_s = float(np.max(seconds / (1 + missed)))


def repetitions_of(case) -> int:
    return max(1, round(REPETITIONS * min(1.0, FEW / case.placement.ranks)))


def errors_drawn(case, scatter: list, count: int) -> np.ndarray:
    """Errors as those of the fit on what it has seen, the same ones whenever a case is judged."""
    if not scatter:
        return np.zeros(count)
    seed = zlib.crc32(f"{case.measured.name} {case.bytes} {case.placement}".encode())
    return np.random.default_rng(seed).choice(np.array(scatter), count)


def coverage(judged: list) -> tuple:
    """(how many lie inside, of how many)"""
    known = [case.covered for case in judged if case.covered is not None]
    return sum(known), len(known)


def beyond(fitted: model.Model, case) -> str:
    """In which way a case lies beyond what the fit has seen; "" where in none."""
    seen = fitted.range
    if not seen:
        return ""
    words = []
    if case.placement.used > seen["hosts"]:
        words.append("hosts")
    if case.placement.most > seen["ranks_per_host"]:
        words.append("ranks a host")
    if case.bytes and not seen["least"] <= case.bytes <= seen["most"]:
        words.append("size")
    return ", ".join(words)
