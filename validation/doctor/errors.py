# SPDX-License-Identifier: LGPL-2.1-or-later
"""The error model: how far a right description of a healthy machine may be off, by size.

The logarithm of measured over simulated time is normal, with mean 0 and the covariance

    s(i) s(j) [ COMMON + (1 - COMMON) exp(-d(i, j) / OCTAVES) ] + noise(i)^2 if i = j,

where s is the model's own error (`stated`), d the distance of two sizes in octaves, and noise the
spread of the measurement. Parts that two sizes share make an error that keeps over the whole curve
cheap, and one that jumps dear. Tails are those of Student's t with DEGREES degrees of freedom: one
bad row does not decide.

Normal is a time within LIMIT standard deviations; or, where the library has a `spread` for such a
job, inside its interval of 90 % times WIDER, by whose width s is then. Noise up to NOISE is part of
that interval. WIDER makes it as wide as three standard deviations: of nine published healthy logs
of NCCL five left the interval itself at two neighbouring sizes, which share their error.
"""

import copy
import math
import statistics

import numpy as np

from validation.calibration.nccl.spread import OUTSIDE
from validation.yaml_files import tables_of

LIMIT = 2.5
INSIDE = statistics.NormalDist().inv_cdf(1 - OUTSIDE / 2)  # standard deviations
WIDER = 3 / INSIDE  # as logarithms
COMMON = 0.5
OCTAVES = 4.0
DEGREES = 6.0
LEAST_NOISE, NOISE = 0.03, 0.05  # relative; the second where no sample tells
STATED = tables_of(__file__)


def stated(family: str, size: int) -> float:
    """By interpolation between the bands' middles there would be no jump; the bands are as the
    tables have them."""
    return next(sigma for up_to, sigma in STATED[family] if size <= up_to)


class Errors:
    """Errors of the points of a curve. `scale` multiplies the stated error."""

    def __init__(self, points: list, family: str, noise=None, scale: float = 1.0):
        self.model = np.array([scale * (np.log(point.likely[1] / point.likely[0]) / 2 / INSIDE
                                        if point.likely else
                                        stated(point.family or family, point.bytes))
                               for point in points])
        least = LEAST_NOISE if noise is None else 0.0
        self.noise = np.array([noise if noise is not None else
                               max(least, NOISE if point.spread is None else point.spread)
                               for point in points])
        far = LIMIT * self.sigma()
        more = WIDER * INSIDE * np.sqrt(np.maximum(0, self.noise ** 2 - NOISE ** 2))
        # Logarithms of the ratios between which a point is normal.
        self.low, self.high = (
            np.array([sign * (math.hypot(WIDER * math.log(point.likely[end]), more[i])
                              if point.likely else far[i]) for i, point in enumerate(points)])
            for end, sign in ((0, -1), (1, 1)))
        octaves = np.log2([max(point.bytes, 1) for point in points])
        series = [point.series for point in points]
        same = np.array([[one == other for other in series] for one in series])
        near = np.exp(-np.abs(octaves[:, None] - octaves[None, :]) / OCTAVES) * same
        self.alike = COMMON + (1 - COMMON) * near
        self.near = near

    def of(self, which: list) -> "Errors":
        """Those of some of the points."""
        found = copy.copy(self)
        for name in ("model", "noise", "low", "high"):
            setattr(found, name, getattr(self, name)[which])
        found.alike, found.near = (one[np.ix_(which, which)] for one in (self.alike, self.near))
        return found

    def off(self, points: list) -> np.ndarray:
        """1 where a point is slower than normal, -1 where it is faster, else 0."""
        logs = np.log([point.ratio for point in points])
        return (logs > self.high).astype(int) - (logs < self.low)

    def covariance(self, more: float = 0.0) -> np.ndarray:
        """`more`: a further error of the model, likewise shared, as that of a what-if."""
        size = np.sqrt(self.model ** 2 + more ** 2)
        return self.alike * np.outer(size, size) + np.diag(self.noise ** 2)

    def sigma(self) -> np.ndarray:
        return np.sqrt(self.model ** 2 + self.noise ** 2)


class Density:
    """log p(residuals) under a covariance."""

    def __init__(self, covariance: np.ndarray):
        factor = np.linalg.cholesky(covariance)
        self.whitening = np.linalg.inv(factor)
        self.log_det = 2 * float(np.sum(np.log(np.diag(factor))))
        self.count = len(covariance)

    def square(self, residuals: np.ndarray) -> float:
        """Mahalanobis's distance, squared."""
        whitened = self.whitening @ residuals
        return float(whitened @ whitened)

    def log(self, residuals: np.ndarray) -> float:
        n, v = self.count, DEGREES
        return (math.lgamma((v + n) / 2) - math.lgamma(v / 2) - n / 2 * math.log(math.pi * (v - 2))
                - self.log_det / 2
                - (v + n) / 2 * math.log1p(self.square(residuals) / (v - 2)))
