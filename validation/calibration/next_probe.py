# SPDX-License-Identifier: LGPL-2.1-or-later
"""Next best measurement: the probe that would narrow the prediction of a scenario most.

The members of the ensemble are samples of what the measurements allow. Let y be the logarithm of
the scenario's time and x that of a probe's result by its closed form. Both are taken as jointly
normal. A measurement of x with noise sigma leaves of the variance of y

    var(y) (1 - rho^2 var(x) / (var(x) + sigma^2)).

This is conditioning of a normal distribution on a noisy linear observation: Rasmussen and Williams,
Gaussian Processes for Machine Learning, 2006, eq. A.6; Kalman's update of a covariance. The same
rule leaves the covariance of all other probes, by which the second measurement is chosen. A probe
counts by the most telling of its sizes alone: few members would explain y by several by chance.
"""

import dataclasses
import math
import re
from typing import NamedTuple

import numpy as np

from common.programs import InputError
from common.quantities import format_time, parse_quantity
from validation.calibration import predict
from validation.calibration.fit import closed_forms, observations, profile
from validation.calibration.verdict import interval, model, residuals, text
from validation.calibration.verdict.simulator import Simulator
from validation.progress import watched
from validation.yaml_files import tables_of

BY_WAY, COSTS, SIZES = tables_of(__file__).values()
EAGER = ("send_call", "recv_call")  # their closed forms hold up to the eager limit
NORMAL = 1.645  # standard deviations from the middle to either end of a 90 % interval
HEAD = ["measurement", "width now", "width after", "command"]


class Probe(NamedTuple):
    """A candidate; `way` is "" if it needs no path. Sizes in bytes are those not measured yet."""
    what: str
    way: str
    sizes: list

    def seconds(self, fitted: model.Model) -> np.ndarray:
        """Result of each size by the closed form of a model."""
        sizes = np.array(list(map(parse_quantity, self.sizes)))
        if not self.way:
            return sizes * parse_quantity(str(fitted.library[COSTS[self.what]]))
        way = profile.transport_of(fitted.library[self.way], wire_of(fitted, self.way))
        window = [np.clip((2 << 20) // sizes, 2, 64)] * (self.what == "stream")
        return getattr(closed_forms, self.what)(way, sizes, *window)

    def noise(self, errors: dict) -> float:
        """Standard deviation of the logarithm: what a closed form is trusted to, and what the fit
        missed of such probes."""
        factor = residuals.factor_of(errors, f"{self.what} {self.way}".strip())
        return math.hypot(observations.FLOOR, residuals.MEDIAN / NORMAL * math.log(factor))

    def row(self, before: float, after: float, place: str = "") -> list:
        way = f"--way {self.way} " if self.way else ""
        sizes = ",".join(self.sizes).replace(" ", "")
        return [f"{place}{self.what} {self.way}", width(before), width(after),
                f"ringscope-mpi probe --only {self.what} {way}--sizes {sizes} -o next.json"]


def wire_of(fitted: model.Model, way: str) -> float:
    """Seconds per byte of the link between hosts; 0 inside one."""
    share = fitted.library[way].get("goodput", 1.0)
    return 1 / parse_quantity(fitted.cluster["link"]["bandwidth"]) / share * (way == "network")


def candidates(fitted: model.Model, seen: set) -> list:
    """Probes that the library has costs of, with the sizes that no key in `seen` has."""
    found = [Probe(what, way, one["sizes"]) for what, one in BY_WAY.items() for way in one["ways"]
             if isinstance(fitted.library.get(way), dict)]
    found += [Probe(what, "", SIZES) for what, cost in COSTS.items() if cost in fitted.library]
    pattern = re.compile(r'(\w+) bytes=(\d+)\b(?:.* way="(\w+)")?')
    known = {(one[1], one[3] or "", int(one[2])) for one in map(pattern.match, seen) if one}

    def is_open(one: Probe, size: float) -> bool:
        limit = fitted.library[one.way]["eager_limit"] if one.what in EAGER else "unlimited"
        return (*one[:2], int(size)) not in known and size <= parse_quantity(limit)

    found = [one._replace(sizes=[size for size in one.sizes if is_open(one, parse_quantity(size))])
             for one in found]
    return [one for one in found if one.sizes]


def conditioned(covariance: np.ndarray, index: int, noise: float) -> np.ndarray:
    """Covariance after a measurement of the variable `index`."""
    column = covariance[:, index]
    return covariance - np.outer(column, column) / (column[index] + noise ** 2)


def ranked(covariance: np.ndarray, noises: list, owners: list, members: int) -> list:
    """[(variance left of the first variable, index of the best size)] of each probe, least first;
    `noises`, `owners` (None: no candidate): by size. Sizes whose correlation may be chance (below
    2 / sqrt(members)) are omitted."""
    own = np.diag(covariance)
    left = sorted((conditioned(covariance, i, noise)[0, 0], i) for i, noise in enumerate(noises, 1)
                  if covariance[0, i] ** 2 > 4 / members * own[0] * own[i] > 0)
    return [one for place, one in enumerate(left)
            if owners[one[1] - 1] not in [None, *(owners[i - 1] for _, i in left[:place])]]


def width(variance: float) -> str:
    """90 % interval around a prediction."""
    return f"±{text.percent(math.expm1(NORMAL * math.sqrt(max(0.0, variance))))}"


def text_of(runner: Simulator, path: str, scenario: str, seen: set) -> str:
    """The table of the fit at `path`, for the case of the scenario that is least certain. `seen`:
    keys of measured cases, which the fit need not have used."""
    fitted = model.read(path)
    predict.check_model(fitted)
    cases = predict.simulated(runner, scenario, [("--model", path)])
    for case in cases:
        predict.check_library(case, fitted, scenario)
    times = np.log([predict.times_of(runner, cases, drawn, fitted) for drawn in
                    watched(fitted.draws, "simulating the ensemble")])
    least_certain = int(np.argmax(np.var(times, axis=0)))
    name, time_s = (cases[least_certain][key] for key in ("name", "time_s"))
    probes, members = candidates(fitted, fitted.fitted | seen), len(fitted.draws)
    models = [dataclasses.replace(interval.other_model(fitted, one), **interval.with_link(
        {"cluster": dict(fitted.cluster)}, one, fitted)) for one in fitted.draws]
    logs = [np.log(np.maximum([probe.seconds(one) for one in models], 1e-12)) for probe in probes]
    covariance = np.atleast_2d(np.cov(np.column_stack([times[:, least_certain], *logs]).T))
    owners = [probe for probe in probes for _ in probe.sizes]
    noises = [probe.noise(fitted.errors) for probe in owners]
    best = ranked(covariance, noises, owners, members)
    if not best:
        got = f"none of {len(probes)}" if probes else "none: all are measured"
        raise InputError(f"{scenario}: case '{name}': expected a probe that goes with its time in "
                         f"the ensemble of {path}, got {got}. Measure the scenario itself by "
                         f"`ringscope-mpi replay {scenario}`")
    rows = [owners[i - 1].row(covariance[0, 0], left) for left, i in best]
    first, after = best[0][1], best[0][0]
    others = [None if one == owners[first - 1] else one for one in owners]
    then = ranked(conditioned(covariance, first, noises[first - 1]), noises, others, members)
    rows += [others[i - 1].row(after, left, "then ") for left, i in then[:1]]
    return "\n".join([f"case '{name}': {format_time(time_s)}, 90 % interval "
                      f"{width(covariance[0, 0])} by {members} alternative fits", "",
                      *text.columns(HEAD, rows), "",
                      "Width after: expected, without the model error that `predict` adds. Then "
                      "fit to next.json, too."]) + "\n"
