# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kernels move less than they should: clocks, power, SMs taken by others."""

from validation.doctor.causes.cause import RARE, Cause, protocols, share
from validation.doctor.scenario.scene import Scene, scale


def edit(scene: Scene, value):
    for one in protocols(scene):
        scale(one, value, "block", "copy", "gpu")


CAUSE = Cause(
    "gpu-slow",
    "the GPUs' kernels are slow: low clocks, a power limit, SMs taken by others",
    "nvidia-smi -q -d CLOCK,PERFORMANCE  # reasons to throttle, during the run",
    lambda scene: [0.7, 0.5, 0.35, 0.2] if scene.blocks is not None else [],
    edit, lambda value: f"at {share(value)} of their rate", weight=RARE)
