# SPDX-License-Identifier: LGPL-2.1-or-later
"""The numbers of a verdict, by formula: errors, spreads, and what stands for many of them.

A Judged case is a measured one with its prediction; only cases that `counts` enter the figures.
"""

import math
from typing import Callable, Iterable, NamedTuple, Optional

import numpy

from common.groups import grouped


class Limits(NamedTuple):
    """Limits above which a case is noisy: its own spread, or the cores that others used
    meanwhile."""

    spread: float = 0.10
    foreign_cores: float = 0.3


class Figures(NamedTuple):
    """Summary of the errors of several cases; None where there is none."""

    count: int
    median: Optional[float]  # of |relative error|
    p90: Optional[float]
    bias: Optional[float]  # median of the signed error
    inside: Optional[float]  # share within p10..p90 of the measurement, where that is known


def relative_error(predicted_s: float, measured_s: float) -> float:
    """Signed: -0.1 is a prediction 10 % too short."""
    return predicted_s / measured_s - 1


def spread_of(median_s: float, p10_s: Optional[float], p90_s: Optional[float]) -> Optional[float]:
    """Half of p10..p90, relative to the median; None when it is not known."""
    return None if p10_s is None or p90_s is None else (p90_s - p10_s) / 2 / median_s


def figures(judged: Iterable) -> Figures:
    """Figures of the cases given, whatever their marks."""
    judged = list(judged)
    if not judged:
        return Figures(0, None, None, None, None)
    errors = numpy.array([one.error for one in judged])
    within = [one.inside for one in judged if one.inside is not None]
    return Figures(len(judged), float(numpy.median(abs(errors))),
                   float(numpy.quantile(abs(errors), 0.9)), float(numpy.median(errors)),
                   sum(within) / len(within) if within else None)


def figures_by(judged: Iterable, key: Callable, order: Callable) -> dict:
    """{value of the key: its Figures}; `order` of a case says which value comes first."""
    groups = grouped(sorted(judged, key=order), key)
    return {value: figures(group) for value, group in groups.items()}


class Coverage(NamedTuple):
    """Intervals of several cases: how many hold the measured time, median of upper over lower end,
    mean interval score; score of one factor for all, the smallest that holds `level` of them."""

    count: int
    inside: int
    ratio: float
    score: float
    constant: float


def coverage(level: float, cases: list) -> Optional[Coverage]:
    """`cases`: (measured, predicted, low, high), in seconds; None where there is none."""
    if not cases:
        return None
    measured, predicted, low, high = numpy.log(numpy.array(cases, dtype=float)).T
    factor = smallest_for(level, abs(measured - predicted))
    return Coverage(len(cases), int(sum((low <= measured) & (measured <= high))),
                    float(numpy.exp(numpy.median(high - low))),
                    score(level, measured, low, high),
                    score(level, measured, predicted - factor, predicted + factor))


def smallest_for(level: float, needed) -> float:
    """The smallest number that at least `level` of those needed do not exceed."""
    needed = sorted(needed)
    return float(needed[math.ceil(level * len(needed) - 1e-9) - 1])


def score(level: float, measured, low, high) -> float:
    """Mean interval score of logs (Gneiting and Raftery, 2007, eq. 43): the width, and for cases
    outside 2/(1 - level) times the distance to the nearer end; lower is better."""
    missing = numpy.maximum(0, low - measured) + numpy.maximum(0, measured - high)
    return float(numpy.mean(high - low + 2 / (1 - level) * missing))
