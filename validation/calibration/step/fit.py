# SPDX-License-Identifier: LGPL-2.1-or-later
"""One factor on a GPU's efficiency, and time of the host, fitted to measured steps.

Each row is simulated with some factors; between them, times are interpolated. The host's time is
fitted if that makes the errors of omitted rows smaller.
"""

import numpy as np
from scipy import optimize, stats
from scipy.interpolate import PchipInterpolator

from common.quantities import format_time
from validation.calibration.step.scenario import SHARES, Step, scaled
from validation.calibration.verdict.text import columns, percent, signed

SLOWEST, FACTORS = 0.1, 17  # factors that are simulated, up to shares of 1
LEAST_ROWS = 3  # of a fit of two unknowns
GAIN = 0.9  # of the errors of omitted rows, from one unknown to two
EXACT = 1e-3  # errors that two unknowns need not lower
LEVEL, LEAST_SPREAD, MOST_SPREAD = 0.9, 1.05, 100.0


def rms(values) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else 0.0


class Fit:
    """`best`, and `omitted` without each row: (factor, host's seconds, log times of all rows).
    `without`: errors of the rows by the fits that omit them."""

    def __init__(self, step: Step, rows: list, logs, times, free: bool):
        self.step, self.rows, self.logs, self.free = step, rows, logs, free
        self.curves = [PchipInterpolator(logs, row) for row in times]
        self.measured = np.log([row.seconds for row in rows])
        every = np.arange(len(rows))
        self.best = self.fit(every)
        self.omitted = [self.fit(every[every != i]) for i in every] if len(rows) > 1 else []
        self.without = np.array([one[2][i] for i, one in enumerate(self.omitted)]) - \
            self.measured[:len(self.omitted)]
        self.options = {"step_overhead": format_time(self.best[1])} if free else {}
        self.kernels = scaled(step.kernels, dict.fromkeys(SHARES, self.best[0]))
        if self.omitted:  # Student's t of the errors of omitted rows
            wide = stats.t.ppf((1 + LEVEL) / 2, max(1, len(rows) - 1 - free)) * rms(self.without)
            self.kernels["spread"] = float(np.clip(np.exp(wide), LEAST_SPREAD, MOST_SPREAD))

    def fit(self, used: np.ndarray) -> tuple:
        unit = np.exp(self.measured[used].mean())
        fixed = self.step.seconds("step_overhead", "0 s")

        def predict(values):
            host = values[1] * unit if self.free else fixed
            times = np.exp([curve(values[0]) for curve in self.curves])
            return float(np.exp(values[0])), host, np.log(times + host)

        start, low, high = (one[:1 + self.free] for one in (
            [self.logs.mean(), 0.01], [self.logs[0], 0], [self.logs[-1], np.inf]))
        return predict(optimize.least_squares(
            lambda values: (predict(values)[2] - self.measured)[used], start, bounds=(low, high),
            xtol=1e-12, ftol=1e-12, gtol=1e-12).x)

    def report(self) -> str:
        factor, host, logs = self.best
        table = [[row.place, str(row.gpus), format_time(row.seconds), format_time(np.exp(log)),
                  signed(error)] for row, log, error in zip(
                      self.rows, logs, np.expm1(logs - self.measured))]
        for cells, error, one in zip(table, np.expm1(self.without), self.omitted):
            cells += [signed(error), f"{one[0]:.4g}"]
        limit = np.isclose(np.log(factor), self.logs[[0, -1]], atol=1e-3).any()
        head = ["row", "GPUs", "measured", "fitted", "error", "omitted", "factor"]
        lines = [*columns(head[:len(table[0])], table), "",
                 f"Efficiency of the GPU: factor {factor:.4g}{' (at its limit)' if limit else ''}",
                 f"Time of the host: {format_time(host)}{'' if self.free else ' (not fitted)'}",
                 f"Errors of the fit: RMS {percent(np.expm1(rms(logs - self.measured)))}"]
        if self.omitted:
            spread = self.kernels["spread"]
            changes = [rms(one[2] - logs) for one in self.omitted]
            lines += [f"Errors of omitted rows: RMS {percent(np.expm1(rms(self.without)))}",
                      f"Interval: {percent(LEVEL, 0)} of steps within {spread:.3g}x",
                      f"Most informative row: {self.rows[np.argmax(changes)].place}; without it, "
                      f"fitted steps change by {percent(np.expm1(max(changes)), 2)}"]
        return "\n".join(lines) + "\n"


def fit(step: Step, rows: list) -> Fit:
    least = min(step.kernels[key] for keys in SHARES.values() for key in keys)
    logs = np.linspace(np.log(SLOWEST), -np.log(least), FACTORS)
    found = step.estimates([
        (row.place, row.tree, scaled(step.kernels, dict.fromkeys(SHARES, np.exp(log))),
         {"step_overhead": "0 s"}) for row in rows for log in logs])
    times = np.log([one["step_s"] for one in found]).reshape(len(rows), FACTORS)
    one, two = (Fit(step, rows, logs, times, free) for free in (False, True))
    enough = len(rows) >= LEAST_ROWS and rms(one.without) > EXACT
    return two if enough and rms(two.without) < GAIN * rms(one.without) else one
