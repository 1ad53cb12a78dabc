# SPDX-License-Identifier: LGPL-2.1-or-later
"""Host memory is slower than described: NUMA settings, missing modules."""

from validation.doctor.scenario.scene import Scene, scale


def values(scene: Scene) -> list:
    return [0.5, 0.25, 0.12] if "memory_bandwidth" in scene.host else []


def edit(scene: Scene, value):
    scale(scene.host, value, "memory_bandwidth")
