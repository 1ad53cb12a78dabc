"""Is a curve normal; where does it begin not to be; which causes explain it, and how well.

Normal: nowhere are NEIGHBOURS sizes in a row (all, of a shorter series) further than LIMIT
standard deviations of the error model off the expected time, all to the same side. A cause's weight
is the likelihood of the whole curve under the simulation with that cause, averaged over its
severities (and over three between each two of them, whose times are interpolated), times its weight
before the data: a cause that has to be tuned finely pays for it. `unknown` stands for whatever
slows a curve smoothly and is in no list.
"""

import math
from typing import NamedTuple, Optional

import numpy as np

from validation.doctor.causes.cause import Cause
from validation.doctor.errors import Density, Errors

LIMIT = 2.5
NEIGHBOURS = 2
BETWEEN = 3  # severities interpolated between two simulated ones
WHAT_IF = 0.10  # a what-if is off by so much more than the description of a healthy machine
UNKNOWN = math.log(3)  # standard deviation of an unknown cause's logarithm
ALIKE = math.log(10)  # causes whose likelihoods differ by less are not told apart
SMALL = 0.02  # of a logarithm: a cause that changes no point by more does nothing here


class Outcome(NamedTuple):
    """One cause with the severity that fits best. `log_weight` is over all severities; `words` say
    the severity, `value` is the simulated one next to it."""

    cause: Optional[Cause]
    value: object
    words: str
    log_times: np.ndarray
    log_weight: float
    distance: float  # Mahalanobis's, per point

    @property
    def name(self) -> str:
        return self.cause.name if self.cause else "unknown"


def abnormal(points: list, errors: Errors, limit: float = LIMIT) -> Optional[int]:
    """Index of the first point from which on the curve is not normal; None where it is."""
    scores = np.log([point.ratio for point in points]) / errors.sigma()
    for series in dict.fromkeys(point.series for point in points):
        own = [i for i, point in enumerate(points) if point.series == series]
        many = min(NEIGHBOURS, len(own))
        for begin in range(len(own) - many + 1):
            some = scores[own[begin:begin + many]]
            if np.all(some > limit) or np.all(some < -limit):
                return own[begin]
    return None


def curves_of(cause: Cause, answers: list) -> list:
    """(value, weight of the next value, log times): simulated severities and those between."""
    found = []
    for (value, times), following in zip(answers, answers[1:] + [None]):
        found.append((value, 0.0, times))
        if cause.ordered and following is not None:
            for step in range(1, BETWEEN + 1):
                part = step / (BETWEEN + 1)
                found.append((value, part, (1 - part) * times + part * following[1]))
    return found


def log_mean(values: list) -> float:
    most = max(values)
    return most + math.log(sum(math.exp(value - most) for value in values) / len(values))


def words_of(cause: Cause, answers: list, value, part: float) -> str:
    values = [one for one, _ in answers]
    if part == 0:
        return cause.words(value)
    place = values.index(value)
    following = values[place + 1]
    if all(isinstance(one, (int, float)) and one > 0 for one in (value, following)):
        between = math.exp((1 - part) * math.log(value) + part * math.log(following))
        between = float(f"{between:.2g}")
        return cause.words(round(between) if isinstance(value, int) else between)
    return cause.words(value if part < 0.5 else following)


class Ranking:
    """The causes of one curve. `measured` and `expected` are logarithms of times."""

    def __init__(self, measured: np.ndarray, expected: np.ndarray, errors: Errors):
        self.measured, self.expected = measured, expected
        self.density = Density(errors.covariance(WHAT_IF))
        broad = 0.5 * UNKNOWN ** 2 * (1 + errors.near)
        self.unknown = Density(errors.covariance(WHAT_IF) + broad)
        self.outcomes: list = []

    def add(self, cause: Cause, answers: list):
        """`answers`: [(severity, log times)], mild to heavy. Those that do nothing are left out."""
        answers = [one for one in answers
                   if np.max(np.abs(one[1] - self.expected)) > SMALL]
        if not answers:
            return
        curves = curves_of(cause, answers)
        logs = [self.density.log(self.measured - times) for _, _, times in curves]
        best = int(np.argmax(logs))
        value, part, times = curves[best]
        square = self.density.square(self.measured - times)
        self.outcomes.append(Outcome(cause, value, words_of(cause, answers, value, part), times,
                                     log_mean(logs) + math.log(cause.weight),
                                     math.sqrt(square / len(times))))

    def ranked(self) -> list:
        """Best first; `unknown` among them."""
        log = self.unknown.log(self.measured - self.expected)
        unknown = Outcome(None, None, "", self.measured, log, 0.0)
        return sorted([*self.outcomes, unknown], key=lambda one: -one.log_weight)


def probabilities(ranked: list) -> list:
    """Each outcome's, if it is one of them."""
    most = ranked[0].log_weight
    weights = [math.exp(one.log_weight - most) for one in ranked]
    return [weight / sum(weights) for weight in weights]


def alike(ranked: list) -> list:
    """The causes that these data do not tell from the best one, itself among them."""
    causes = [one for one in ranked if one.cause]
    return [one for one in causes if one.log_weight > causes[0].log_weight - ALIKE]
