# SPDX-License-Identifier: LGPL-2.1-or-later
"""Costs of NCCL on a user's machine: a profile, and what the user's own log changes of it.

Each cost is the profile's times a factor of all protocols times one of its own. Logarithms of
factors are drawn to 0 by widths. Least squares of logarithms of times, robust to outliers, find
them by Gauss and Newton. Costs that no row depends on keep the profile's value and their width.
"""

import math
import statistics
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from common.programs import InputError
from common.quantities import format_bandwidth, format_time, parse_quantity
from validation.calibration.nccl import everywhere, form, least_squares, predict
from validation.calibration.nccl.everywhere import EXCHANGE, GAP, OF_GPUS, OF_NETWORKS, WIDE
from validation.calibration.nccl.profile import digits
from validation.calibration.nccl.rows import Row
from validation.calibration.verdict.residuals import scaled
from validation.calibration.verdict.simulator import batch

KEYS = [key for key in OF_GPUS + OF_NETWORKS if key != "call"]
TOLD = 0.5  # of a prior's width: costs with a narrower posterior are determined by the log
ROUNDS = 6
ENOUGH = 0.03  # of the last step
STEP = -0.1  # for differences: shares are at their upper limits at first
FOLDS = 10
EXCHANGES = ("alltoall", "sendrecv", "gather", "scatter")
TRIES = 100  # models that are drawn
CHECKED = 12  # rows by which they are chosen
RATES = ("block", "copy", "gpu", "carries", "cables", "in_switch")
ASIDE = 6  # costs that are put aside
REFITS = 2
SIZES = [8 ** i for i in range(1, 10)]  # bytes, of measurements to suggest
FORCED = [8 ** i for i in range(4, 9, 2)]


def parts_of(_, key: str) -> list:
    """As everywhere.parts_of: a factor of all protocols, and one of its own; none of a call."""
    _, _, part = key.rpartition(".")
    common, own = WIDE[part]
    if key == part:
        return [(key, math.hypot(common, own))] * (key in KEYS)
    return [(part, common), (key, own)]


class Factors(everywhere.Factors):
    """Logarithms of the factors of one machine."""

    def __init__(self, machine):
        super().__init__([machine], (*KEYS, "call"), parts_of)

    def rows(self) -> np.ndarray:
        """For each of KEYS the columns that it is the sum of, as 0 and 1."""
        found = np.zeros((len(KEYS), len(self.names)))
        for i, key in enumerate(KEYS):
            found[i, self.columns(None, key)] = 1
        return found


def blocks_of(prior: dict, logs: dict) -> dict:
    """The map `blocks`, by {key: logarithm of a factor} of the prior's."""
    factor = {key: math.exp(value) for key, value in logs.items()}
    found = {key: scaled(prior[key], factor[key]) for key in ("launch", "issue", "exchange_start")
             if key in prior}
    if "in_switch" in prior:
        found["in_switch"] = float(digits(min(1, float(prior["in_switch"]) * factor["in_switch"])))
    found["nccl"] = prior["nccl"]
    for name in form.PROTOCOLS:
        of, most = prior[name], form.FLAGS[name]
        share = lambda key, by: float(digits(max(0.01, min(most, float(of[key]) * factor[by]))))
        found[name] = {
            "start": scaled(of["start"], factor[f"{name}.start"]),
            "hop": scaled(of["hop"], factor[f"{name}.hop"]),
            "hop_between_hosts": scaled(of["hop_between_hosts"], factor[f"{name}.between"]),
            "message_gap": scaled(of.get("message_gap", format_time(GAP)), factor[f"{name}.gap"]),
            "carries": share("carries", f"{name}.carries"),
            "carries_over_pcie": share("carries_over_pcie", f"{name}.carries"),
            "carries_between_hosts": share("carries_between_hosts", "cables"),
            **{key: format_bandwidth(parse_quantity(str(of[key]), "bandwidth")
                                     * factor[f"{name}.{key}"]) for key in ("block", "copy", "gpu")
               if key in of}}
    return found


class Predictor(everywhere.Predictor):
    """Seconds of rows on the user's cluster. `library`: without blocks."""

    def __init__(self, simulator, cluster: dict, library: dict, prior: dict):
        super().__init__(simulator, prior)
        self.cluster, self.library = cluster, library

    def library_of(self, _, logs: dict) -> dict:
        return self.library | {"blocks": blocks_of(self.base, logs)}

    def cluster_of(self, _, row) -> dict:
        return grown(self.cluster, row.hosts)


def grown(cluster: dict, hosts: int) -> dict:
    """A star with as many hosts at least."""
    known = cluster.get("hosts")
    few = isinstance(known, int) and known < hosts and cluster.get("network") == "star"
    return cluster | {"hosts": hosts} if few else cluster


def prior_of(simulator, cluster, library: str) -> tuple:
    """(the cluster; the library's blocks over the cluster's transport; the transport), with all
    values."""
    (case,) = batch(simulator, library, [predict.scenario_of(cluster, Row(1, 8, 0))],
                    [f"{library} on {cluster}"])
    found = case["scenario"]
    if "blocks" not in found["library"]:
        raise InputError(f"--library {library}: expected one with blocks, such as nccl_h100")
    return found["cluster"], found["library"]["blocks"], found["library"].get("transport", "")


def changed(blocks: dict, rows: list, version: str) -> dict:
    """Blocks of that version of NCCL, with all costs that the rows depend on."""
    found = blocks | ({"nccl": version} if version else {})
    if any(row.collective in EXCHANGES for row in rows):
        found.setdefault("exchange_start", format_time(EXCHANGE))
    return found


@dataclass
class Fit:
    rows: list
    factors: Factors
    predictor: Predictor
    logs: np.ndarray
    errors: np.ndarray = None  # logarithms of predicted over measured
    slopes: np.ndarray = None
    covariance: np.ndarray = None
    left_out: np.ndarray = None  # errors of each row by a fit to rows of other sizes
    expected: np.ndarray = None  # their standard deviations by the posterior
    advice: list = field(default_factory=list)  # (share of variance, Row), the best first

    @property
    def machine(self):
        return self.factors.machines[0]

    def seconds(self, rows, logs) -> np.ndarray:
        return self.predictor.seconds([(self.machine, rows, self.factors.of(None, logs))])[0]

    def linear(self, rows, logs):
        return least_squares.linearised(self.predictor, self.factors, {self.machine.name: rows},
                                        logs, STEP)[self.machine.name]


def fit_rows(predictor: Predictor, rows: list) -> Fit:
    machine = SimpleNamespace(name="the log")
    factors = Factors(machine)
    logs, linear = least_squares.fitted(predictor, factors, {machine.name: rows},
                                        np.zeros(len(factors.names)), ROUNDS, STEP, ENOUGH,
                                        lambda *_: None)
    fit = Fit(rows, factors, predictor, logs, *linear[machine.name])
    fit.covariance = covariance_of(fit, fit.slopes)
    leave_out(fit)
    widen(fit)
    return fit


def covariance_of(fit: Fit, slopes) -> np.ndarray:
    """Covariance of the logarithms, given rows with these slopes."""
    return least_squares.covariance_of(fit.factors, [slopes * least_squares.weight_of(fit.errors)])


def widen(fit: Fit):
    """Widths of the narrowest costs by their profile: each is put aside, rates faster and times
    shorter than expected, and the rise of the fit's cost states how sure the rows are of it. Where
    the slowest of several rates decides, slopes do not show that another one may be it."""
    best = least_squares.cost(fit.factors, {"": (fit.errors, fit.slopes)}, fit.logs)
    known, at = widths_of(fit), fit.factors.of(None, fit.logs)
    for key in sorted(KEYS, key=lambda key: known[key][1] / known[key][0])[:ASIDE]:
        prior, width = widths_of(fit)[key]
        if width < TOLD * prior:
            sign = 1 if key.split(".")[-1] in RATES else -1
            by = sign * prior + sign * max(0, -sign * at[key])
            rise, logs = put_aside(fit, key, by)
            profile = min(prior ** 2, by ** 2 / (2 * max(rise - best, 1e-9)))
            fit.covariance += (np.outer(logs - fit.logs, logs - fit.logs) / by ** 2
                               * max(0, profile - width ** 2))


def put_aside(fit: Fit, key: str, by: float) -> tuple:
    """(cost, logarithms) of a fit in which the logarithm of a cost is that much larger."""
    columns = fit.factors.columns(None, key)
    share = np.array(fit.factors.widths)[columns] ** 2
    logs = fit.logs.copy()
    logs[columns] += by * share / share.sum()
    found = [(np.inf, logs)]
    for _ in range(REFITS):
        errors, slopes = fit.linear(fit.rows, logs)
        found.append((least_squares.cost(fit.factors, {"": (errors, slopes)}, logs), logs))
        slopes[:, columns] = 0
        step = least_squares.moved(fit.factors, {"": (errors, slopes)}, logs) - logs
        step[columns] = 0
        logs = logs + step
    errors = least_squares.errors(fit.seconds(fit.rows, logs), fit.rows)
    found.append((least_squares.cost(fit.factors, {"": (errors, None)}, logs), logs))
    return min(found, key=lambda one: one[0])


def leave_out(fit: Fit):
    """Predicts each row by the fit to rows of other sizes."""
    sizes = sorted({row.size for row in fit.rows})
    fold = np.array([sizes.index(row.size) % min(FOLDS, len(sizes)) for row in fit.rows])
    fit.left_out, fit.expected = np.zeros(len(fit.rows)), np.zeros(len(fit.rows))
    for one in sorted(set(fold)):
        seen, some = fold != one, [row for row, of in zip(fit.rows, fold) if of == one]
        logs = least_squares.moved(fit.factors, {fit.machine.name: (fit.errors[seen],
                                                                 fit.slopes[seen])}, fit.logs)
        fit.left_out[~seen] = least_squares.errors(fit.seconds(some, logs), some)
        spread = covariance_of(fit, fit.slopes[seen])
        fit.expected[~seen] = np.sqrt(np.einsum("ij,jk,ik->i", fit.slopes[~seen], spread,
                                                fit.slopes[~seen]))


def shown(prior: dict, key: str):
    """The prior's value of a cost, with its unit; None where the library has none."""
    name, _, part = key.rpartition(".")
    if not name:
        return "1" if part == "cables" else prior.get(part)
    part = {"between": "hop_between_hosts", "gap": "message_gap"}.get(part, part)
    return prior[name].get(part, format_time(GAP) if part == "message_gap" else None)


def scaled_by(value, log: float):
    """A value with a unit, or a share, times the exponential."""
    factor = math.exp(log)
    if isinstance(value, str) and value.endswith("B/s"):
        return format_bandwidth(parse_quantity(value, "bandwidth") * factor)
    try:
        return digits(min(1, float(value) * factor))
    except (TypeError, ValueError):
        return scaled(value, factor, 4)


def draws_of(fit: Fit, count: int, seed: int) -> list:
    """Blocks of other models that the rows allow: drawn from the linear posterior, chosen by what
    the simulator's errors say that it does not."""
    generator = np.random.default_rng(seed)
    drawn = generator.multivariate_normal(fit.logs, fit.covariance, TRIES)
    places = np.unique(np.linspace(0, len(fit.rows) - 1, CHECKED).round().astype(int))
    rows = [fit.rows[i] for i in places]
    found = fit.predictor.seconds([(fit.machine, rows, fit.factors.of(None, logs))
                                   for logs in drawn])
    scale = len(fit.rows) / len(rows) * least_squares.weight_of(fit.errors) ** 2 / 2
    linear = fit.errors[places] + (drawn - fit.logs) @ fit.slopes[places].T
    chance = scale * (np.sum(linear ** 2, axis=1)
                      - [np.sum(least_squares.errors(one, rows) ** 2) for one in found])
    kept = np.argsort(-(chance + generator.gumbel(size=TRIES)))[:count]
    return [blocks_of(fit.predictor.base, fit.factors.of(None, drawn[i])) for i in sorted(kept)]


def widths_of(fit: Fit) -> dict:
    """{key: (standard deviation of its logarithm by the prior, by the posterior)}"""
    rows = fit.factors.rows()
    prior = np.sqrt(rows ** 2 @ np.array(fit.factors.widths) ** 2)
    posterior = np.sqrt(np.einsum("ij,jk,ik->i", rows, fit.covariance, rows))
    return dict(zip(KEYS, zip(prior, posterior)))


def advise(fit: Fit):
    """Ranks measurements by how much they would narrow predictions of all sizes, on the hosts
    measured and on twice as many: least squares at the fit's own slopes."""
    ranks = max(row.ranks // row.hosts for row in fit.rows)
    hosts = sorted({row.hosts for row in fit.rows})
    hosts = sorted({*hosts, 2 * hosts[-1]})
    collective = statistics.mode(row.collective for row in fit.rows)
    free = [Row(ranks * n, size, 1, collective=collective, hosts=n) for n in hosts
            for size in SIZES if ranks * n > 1]
    forced = [Row(ranks * hosts[-2], size, 1, protocol=name, hosts=hosts[-2]) for size in FORCED
              for name in form.PROTOCOLS if len(hosts) > 1 and ranks * hosts[-2] > 1
              and collective == "allreduce"]
    slopes = fit.linear(free + forced, fit.logs)[1]
    inner = slopes @ fit.covariance
    own = np.einsum("ij,ij->i", inner, slopes) + least_squares.MEASURED ** 2
    shared = inner[:len(free)] @ slopes.T
    gain = np.sum(shared ** 2, axis=0) / own / np.sum(np.diag(shared))
    near = {(row.hosts, round(math.log(row.size, 8))) for row in fit.rows}
    fit.advice = sorted(((share, row) for share, row in zip(gain, free + forced)
                         if row.protocol or (row.hosts, round(math.log(row.size, 8))) not in near),
                        key=lambda one: -one[0])
