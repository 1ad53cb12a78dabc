# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is a curve normal; where does it begin not to be; which causes explain it, and how well.

Not normal: two neighbouring sizes (one, where a series has no more) are further off the expected
time than the error model's limits (errors.py), both to the same side; or one is CLEAR times as far,
and its neighbour deviates nearly as much inside a wider range. A cause's weight is the mean
likelihood of the whole curve under the simulation with that cause, over all of its severities
(those between two that were simulated are interpolated), times its weight before the data: a cause
that has to be of one severity among many explains less than one that may be of any.
`unknown` stands for whatever slows a curve smoothly and is in no list.
"""

import math
from typing import NamedTuple

import numpy as np

from common.groups import grouped
from validation.doctor.causes.cause import Cause
from validation.doctor.errors import Density, Errors

CLEAR = 1.5  # times the end of the range, as logarithms: one such size is enough
ALONG = 2 / 3  # of its deviation, as logarithms: a neighbour with so much is no contrast
BETWEEN = 31  # severities interpolated between two simulated ones
LEAST_SHARE = 1e-3  # of all severities, that of one alone
SCALES = (0.1, 0.3, 1.0)  # of the stated error, equally probable
WHAT_IF = 0.10  # a what-if is off by so much more than the description of a healthy machine
UNKNOWN = math.log(3)  # standard deviation of an unknown cause's logarithm
ALIKE = math.log(10)  # causes whose likelihoods differ by less are not told apart
SMALL = 0.02  # of a logarithm: a cause that changes no point by more does nothing here


class Outcome(NamedTuple):
    """One cause with the severity that fits best; `log_weight` is of all its severities."""

    cause: Cause | None
    value: object
    words: str
    log_times: np.ndarray
    log_weight: float
    distance: float  # Mahalanobis's, per point

    @property
    def name(self) -> str:
        return self.cause.name if self.cause else "unknown"


def abnormal(points: list, errors: Errors) -> int | None:
    """Index of the first point outside the normal range; None where the curve is normal. One size
    that deviates alone is normal, and measured again."""
    off, logs = errors.off(points), np.log([point.ratio for point in points])
    clear = np.abs(logs) > CLEAR * np.where(logs > 0, errors.high, -errors.low)
    for series in dict.fromkeys(point.series for point in points):
        own = [i for i, point in enumerate(points) if point.series == series]
        for i, j in zip(own, own[1:] or own):
            less, more = sorted((i, j), key=lambda one: abs(logs[one]))
            along = clear[more] and logs[less] / logs[more] >= ALONG
            if off[i] * off[j] > 0 or along:
                return i if off[i] else j
    return None


def curves_of(answers: list, values: list) -> list:
    """(severity, log times, share of all severities that it stands for): those that were simulated,
    and where between two lie others these too, whose logarithms of times are taken to go with the
    severity's. `values`: all severities, mild to heavy; those that nobody simulated are not near
    the curve and have no share."""
    continuous = all(isinstance(value, float) and value > 0 for value in values)
    if not continuous or len(values) < 2 or len(answers) == 1:
        return [(value, times, 1 / len(values)) for value, times in answers]
    whole = abs(math.log(values[-1] / values[0]))
    found = [(value, times, 0.0) for value, times in answers]
    answers = sorted(answers, key=lambda one: one[0])
    for (value, times), (following, later) in zip(answers, answers[1:]):
        share = math.log(following / value) / whole / BETWEEN
        for step in range(BETWEEN):
            part = (step + 0.5) / BETWEEN
            between = math.exp((1 - part) * math.log(value) + part * math.log(following))
            found.append((between, (1 - part) * times + part * later, share))
    return found


def log_mean(values: list) -> float:
    most = max(values)
    return most + math.log(sum(math.exp(value - most) for value in values) / len(values))


class Mixture:
    """Density of the residuals with the model's error at each of SCALES times what is stated: that
    the model may be better than stated is what tells causes apart whose curves are near."""

    def __init__(self, errors: Errors, more: float = 0.0, broad=0.0):
        noise = np.diag(errors.noise ** 2)
        model = errors.covariance(more) - noise
        self.densities = [Density(scale ** 2 * model + broad + noise) for scale in SCALES]

    def log(self, residuals: np.ndarray) -> float:
        return log_mean([one.log(residuals) for one in self.densities])

    def square(self, residuals: np.ndarray) -> float:
        """Mahalanobis's distance, squared, at the stated error."""
        return self.densities[-1].square(residuals)


class Ranking:
    """The causes of one curve. `measured` and `expected` are logarithms of times."""

    def __init__(self, measured: np.ndarray, expected: np.ndarray, errors: Errors):
        self.measured, self.expected, self.sigma = measured, expected, errors.sigma()
        self.density = Mixture(errors, WHAT_IF)
        broad = 0.5 * UNKNOWN ** 2 * (1 + errors.near)
        self.unknown = Mixture(errors, WHAT_IF, broad)

    def distance(self, times: np.ndarray) -> float:
        """From the measured curve, in variances of the stated error."""
        return self.density.square(self.measured - times)

    def on_the_way(self, times: np.ndarray, later: np.ndarray) -> tuple:
        """(distance, share) where the straight way from `times` to `later` is nearest to the
        measured curve."""
        shares = np.linspace(0, 1, BETWEEN + 2)
        return min((self.distance((1 - part) * times + part * later), float(part))
                   for part in shares)

    def outcome(self, cause: Cause, answers: list, values: list) -> Outcome | None:
        """`answers`: [(severity, log times)], of all severities, `values`. None where they do
        nothing."""
        answers = [one for one in answers if np.max(np.abs(one[1] - self.expected)) > SMALL]
        if not answers:
            return None
        curves = curves_of(answers, values)
        logs = [self.density.log(self.measured - times) for _, times, _ in curves]
        value, times, _ = curves[int(np.argmax(logs))]
        square = self.density.square(self.measured - times)
        shown = float(f"{value:.2g}") if isinstance(value, float) else value
        most = max(logs)
        mean = sum(share * math.exp(log - most) for log, (_, _, share) in zip(logs, curves))
        return Outcome(cause, value, cause.words(shown), times,
                       most + math.log(max(mean, LEAST_SHARE)) + math.log(cause.weight),
                       math.sqrt(square / len(times)))

    def ranked(self, outcomes: list) -> list:
        """Best first; `unknown` among them."""
        log = self.unknown.log(self.measured - self.expected)
        unknown = Outcome(None, None, "", self.measured, log, 0.0)
        found = [one for one in outcomes if one is not None]
        return sorted([*found, unknown], key=lambda one: -one.log_weight)


def joined(ranked: list) -> list:
    """One outcome a cause: the variant that explains most, with the mean weight of all of them."""
    found = [own[0]._replace(log_weight=log_mean([one.log_weight for one in own]))
             for own in grouped(ranked, lambda one: one.name).values()]
    return sorted(found, key=lambda one: -one.log_weight)


def probabilities(ranked: list) -> list:
    """Each outcome's, if it is one of them."""
    most = max(one.log_weight for one in ranked)
    weights = [math.exp(one.log_weight - most) for one in ranked]
    return [weight / sum(weights) for weight in weights]


def alike(ranked: list) -> list:
    """The causes that these data do not tell from the best one, itself among them."""
    causes = [one for one in ranked if one.cause]
    most = max((one.log_weight for one in causes), default=0)
    return [one for one in causes if one.log_weight > most - ALIKE]
