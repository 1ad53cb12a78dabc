# SPDX-License-Identifier: LGPL-2.1-or-later
"""A straggler: some ranks come later than the others to every operation."""

from validation.doctor.scenario.scene import Scene

TIMES = [20e-6, 60e-6, 200e-6, 600e-6, 2e-3, 6e-3]


def values(_: Scene) -> list:
    return TIMES


def edit(scene: Scene, value):
    for job in scene.each_job():
        job["skew"] = f"{value:.9g} s"
