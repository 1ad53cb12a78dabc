# SPDX-License-Identifier: LGPL-2.1-or-later
"""Order of two placements: which is faster, and by how much, measured and as predicted."""

import itertools
import json
from typing import NamedTuple

from common.groups import grouped
from validation.calibration.verdict import accuracy, cases

LEAST_MARGIN = 0.01  # smaller differences are equal, however little they spread


class Pair(NamedTuple):
    """Ratios are the second's time over the first's. Equal: within the `margin` of both spreads."""

    first: cases.Case
    second: cases.Case

    @property
    def measured(self) -> float:
        return self.second.measured.median_s / self.first.measured.median_s

    @property
    def predicted(self) -> float:
        return self.second.predicted_s / self.first.predicted_s

    @property
    def error(self) -> float:
        return accuracy.relative_error(self.predicted, self.measured)

    @property
    def margin(self) -> float:
        return max(LEAST_MARGIN, (self.first.spread or 0) + (self.second.spread or 0))

    @property
    def equal(self) -> bool:
        return abs(self.measured - 1) <= self.margin

    @property
    def predicted_equal(self) -> bool:
        return abs(self.predicted - 1) <= self.margin

    @property
    def right(self) -> bool:
        if self.equal:
            return self.predicted_equal
        return (self.predicted > 1) if self.measured > 1 else (self.predicted < 1)

    @property
    def counts(self) -> bool:
        return self.first.counts and self.second.counts


def all_but_placement(case: cases.Case) -> tuple:
    parameters = {key: value for key, value in case.parameters.items()
                  if key not in ("placement", "hosts_count")}
    job = {key: value for key, value in cases.job_of(case.measured).items()
           if key not in ("repetitions", "seed")}
    return case.series, case.measured.what, json.dumps([parameters, job], sort_keys=True)


def placed(case: cases.Case) -> tuple:
    """Lists with equal counts are told apart by the scenario."""
    return case.parameters["placement"], (case.measured.scenario or {}).get("placement")


def pairs(judged: list) -> list:
    """Every two placements of one otherwise equal case."""
    return [Pair(one, other) for group in grouped(judged, all_but_placement).values()
            for one, other in itertools.combinations(group, 2)
            if placed(one) != placed(other)]
