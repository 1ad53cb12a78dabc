# SPDX-License-Identifier: LGPL-2.1-or-later
"""A straggler: some ranks come later than the others to every operation."""

from common.quantities import format_time
from validation.doctor.causes.cause import RARE, Cause
from validation.doctor.scenario.scene import Scene

TIMES = [20e-6, 60e-6, 200e-6, 600e-6, 2e-3, 6e-3]


def edit(scene: Scene, value):
    for job in scene.each_job():
        job["skew"] = f"{value:.9g} s"


CAUSE = Cause(
    "straggler",
    "a straggler: some ranks come late to each operation",
    "dmesg | tail -50  # thermal throttling; the spread between ranks (osu -f; max over min); a "
    "profile of the slowest rank",
    lambda scene: TIMES, edit, lambda value: f"by up to {format_time(value)}", weight=RARE)
