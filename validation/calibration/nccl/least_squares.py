# SPDX-License-Identifier: LGPL-2.1-or-later
"""Least squares of logarithms of times, by the simulator: Gauss and Newton, robust to outliers.

`factors` has names, widths and machines, `predictor` the seconds of a machine's rows: everywhere.
"""

import copy

import numpy as np

from validation.calibration.nccl.form import KEYS, PROTOCOLS
from validation.calibration.nccl.machines import report

MEASURED = 0.05  # of a published time, beside what no factor explains
ROBUST = 3.0  # standard errors above which an error counts linearly
ROWS = 30  # rows' worth of weight of a machine
STEP = 0.1  # of a logarithm, for differences
FARTHEST = 0.7  # of a logarithm in a round
ROUNDS = 3
REFITS = 5  # rounds that keep derivatives
ENOUGH = 0.05  # of their last step


def errors(predicted, rows) -> np.ndarray:
    return np.log(predicted / np.array([row.seconds for row in rows]))


def steps_of(predictor, machine, rows) -> list:
    """Steps of derivatives: (places of rows, {place: key} or key, keys that change). The costs of
    all protocols change at once for rows that know but one."""
    protocol = [predictor.protocols[machine.name, row] for row in rows]
    between = [i for i, row in enumerate(rows) if row.hosts > 1]
    every = list(range(len(rows)))
    steps = [(every, key, [key]) for key in ("launch", "issue", "call")]
    steps += [([i for i in every if not protocol[i]], "exchange_start", ["exchange_start"])]
    steps += [(between, "cables", ["cables"])]
    steps += [([i for i in every if protocol[i] == "Simple"], "in_switch", ["in_switch"])]
    for key in KEYS + ("between", "gap"):
        some = between if key in ("between", "gap") else every
        keys = [f"{name}.{key}" for name in PROTOCOLS]
        steps.append(([i for i in some if protocol[i]],
                      {i: f"{protocol[i]}.{key}" for i in some if protocol[i]}, keys))
        steps += [([i for i in some if not protocol[i]], one, [one]) for one in keys]
    return [step for step in steps if step[0]]


def linearised(predictor, factors, rows_of: dict, logs, length: float = STEP) -> dict:
    """{machine's name: (errors at `logs`, their derivatives by each logarithm)}. `length`: of the
    differences."""
    machines = factors.machines
    at = {machine.name: factors.of(machine, logs) for machine in machines}
    here = predictor.seconds([(m, rows_of[m.name], at[m.name]) for m in machines])
    found = {m.name: (errors(seconds, rows_of[m.name]),
                      np.zeros((len(rows_of[m.name]), len(logs))))
             for m, seconds in zip(machines, here)}
    steps = [(m, *step) for m in machines for step in steps_of(predictor, m, rows_of[m.name])
             if isinstance(step[1], dict) or factors.columns(m, step[1])]
    # Shares may be at their upper limits.
    lengths = [-abs(length) if keys[0].endswith(("cables", "carries")) else length
               for *_, keys in steps]
    asked = [(m, [rows_of[m.name][i] for i in some],
              {**at[m.name], **{key: at[m.name][key] + by for key in keys}})
             for (m, some, _, keys), by in zip(steps, lengths)]
    for (m, some, by, _), length, (_, rows, _), seconds in zip(steps, lengths, asked,
                                                               predictor.seconds(asked)):
        before, slopes = found[m.name]
        for i, change in zip(some, (errors(seconds, rows) - before[some]) / length):
            for column in factors.columns(m, by if isinstance(by, str) else by[i]):
                slopes[i, column] += change
    return found


def share_of(rows) -> float:
    """Weight of each of a machine's rows, in standard errors: together at most that of ROWS."""
    return np.sqrt(min(1, ROWS / len(rows)))


def solve(factors, linear: dict, logs) -> np.ndarray:
    """Logarithms that explain the rows of these machines."""
    names = list(linear)
    here = np.concatenate([linear[name][0] for name in names])
    slopes = np.vstack([linear[name][1] for name in names])
    weight = np.concatenate([np.full(len(linear[name][0]), share_of(linear[name][0]) / MEASURED)
                             for name in names])
    widths, found = np.array(factors.widths), logs
    for _ in range(20):  # of reweighting
        left = (here + slopes @ (found - logs)) * weight
        robust = weight * np.sqrt(1 / np.maximum(1, np.abs(left) / ROBUST))
        rows = np.vstack([slopes * robust[:, None], np.diag(1 / widths)])
        right = np.concatenate([(slopes @ logs - here) * robust, np.zeros(len(widths))])
        found = np.linalg.lstsq(rows, right, rcond=None)[0]
    return found


def cost(factors, linear: dict, logs) -> float:
    """Sum that the fit makes least: Huber's, of errors, and the pull of factors to 1."""
    total = 0.5 * float(np.sum((logs / factors.widths) ** 2))
    for found, _ in linear.values():
        left = np.abs(found) * share_of(found) / MEASURED
        total += float(np.sum(np.where(left < ROBUST, left ** 2 / 2, ROBUST * (left - ROBUST / 2))))
    return total


def moved(factors, linear: dict, logs) -> np.ndarray:
    """solve(), but no farther away than derivatives hold for."""
    return logs + np.clip(solve(factors, linear, logs) - logs, -FARTHEST, FARTHEST)


def linearised_again(predictor, factors, rows_of: dict, logs, before: tuple) -> dict:
    """linearised(), by errors alone: `before` is (logarithms, what was linear there), whose
    derivatives change by the error that they made (Broyden, A Class of Methods for Solving
    Nonlinear Simultaneous Equations, 1965)."""
    machines, change = factors.machines, logs - before[0]
    length = float(change @ change)
    found = {}
    for m, seconds in zip(machines, predictor.seconds([(m, rows_of[m.name], factors.of(m, logs))
                                                       for m in machines])):
        here, (there, slopes) = errors(seconds, rows_of[m.name]), before[1][m.name]
        wrong = here - there - slopes @ change
        found[m.name] = (here, slopes + np.outer(wrong, change) / length if length else slopes)
    return found


def fitted(predictor, factors, rows_of: dict, logs, rounds: int = ROUNDS, length: float = STEP,
           enough: float = 0, shown=report, kept=None) -> tuple:
    """The best logarithms of all rounds, and what is linear around them; a round that makes it
    worse is tried again with half of its step. A step of less than `enough` is the last one.
    `kept`: what is linear near `logs`, in place of differences in each round."""
    best, step, before = (np.inf, logs, {}), np.inf, (logs, kept)
    for i in range(rounds):
        linear = (linearised_again(predictor, factors, rows_of, logs, before) if kept else
                  linearised(predictor, factors, rows_of, logs, length))
        before = logs, linear
        now = cost(factors, linear, logs)
        shown(f"fit {i}, cost {now:.0f}", {name: e for name, (e, _) in linear.items()}, rows_of)
        better = now < best[0]
        if better:
            best = (now, logs, linear)
        if step < enough:
            break
        logs = moved(factors, linear, logs) if better else (logs + best[1]) / 2
        step = np.max(np.abs(logs - best[1]))
    return best[1:]


def without(predictor, factors, linear: dict, rows_of: dict, logs, omitted: str) -> np.ndarray:
    """The fit to all machines but one. It begins a linear step away, so that nothing of the machine
    is in the factors; those that it alone has told are 1."""
    others = copy.copy(factors)
    others.machines = [m for m in factors.machines if m.name != omitted]
    kept = {m.name: linear[m.name] for m in others.machines}
    told = np.any([np.any(slopes != 0, axis=0) for _, slopes in kept.values()], axis=0)
    begin = np.where(told, moved(factors, kept, logs), 0)
    # The errors of the first round are simulated: `begin` is the place that they belong to.
    return fitted(predictor, others, rows_of, begin, REFITS, enough=ENOUGH,
                  shown=lambda *_: None, kept=kept)[0]


def weight_of(left) -> float:
    """Weight of a row of a machine with these errors: one over its standard error, at least that
    of the fit's errors."""
    missed = max(MEASURED, np.median(np.abs(left)) / 0.6745)
    return share_of(left) / missed


def covariance_of(factors, weighted: list) -> np.ndarray:
    """Covariance of the logarithms, given derivatives of rows times their weights."""
    inner = np.diag(1 / np.array(factors.widths) ** 2)
    return np.linalg.inv(inner + sum(slopes.T @ slopes for slopes in weighted))
