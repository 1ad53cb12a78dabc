# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kernels move less than they should: clocks, power, SMs taken by others."""

from validation.doctor.causes.cause import protocols
from validation.doctor.scenario.scene import Scene, scale


def values(scene: Scene) -> list:
    return [0.7, 0.5, 0.35, 0.2] if scene.blocks is not None else []


def edit(scene: Scene, value):
    for one in protocols(scene):
        scale(one, value, "block", "copy", "gpu")
