# SPDX-License-Identifier: LGPL-2.1-or-later
"""A log of a good day, or of the neighbour's cluster, as what is normal.

What is expected of a size is the simulated time times the factor by which the good log's time
differs from its own simulation. Only what changed between the two logs is left to explain.
"""

import math

import numpy as np

from common.programs import InputError
from validation.doctor import curve as curve_
from validation.doctor.scenario.scene import hosts_of

SAME, OTHER = "reference", "reference of another job"


def kind_of(point: curve_.Point) -> tuple:
    """Key of a kind of job: its collective, and whether it is on one host or several."""
    return point.series.split()[0].rstrip(","), hosts_of(point.placement) > 1


def series_for(point: curve_.Point, good: curve_.Curve) -> list:
    """The good points that tell most about this one: of the same series, else of its kind."""
    alike = [one for one in good.points if kind_of(one) == kind_of(point)]
    near = min(alike, default=None,
               key=lambda one: abs(hosts_of(one.placement) - hosts_of(point.placement)))
    return good.of(point.series) or (good.of(near.series) if near else [])


def follow(measured: curve_.Curve, good: curve_.Curve, path: str):
    """Expects of each point what the good log shows; points of which it shows nothing stay as
    simulated. Raises InputError where that is all of them."""
    known = 0
    for point in measured.points:
        if not (own := series_for(point, good)):
            continue
        sizes = [math.log(max(one.bytes, 1)) for one in own]
        point.expected *= math.exp(np.interp(math.log(max(point.bytes, 1)), sizes,
                                             [math.log(one.ratio) for one in own]))
        point.likely, known = (), known + 1
        point.family = SAME if own[0].series == point.series else OTHER
    if not known:
        raise InputError(f"{path}: expected a log of the same kind of job "
                         f"({', '.join(measured.series)}), got {', '.join(good.series)}")
    if known < len(measured.points):
        measured.notes.append(f"{len(measured.points) - known} points have no counterpart in "
                              f"{path}, so their simulated times are expected")
