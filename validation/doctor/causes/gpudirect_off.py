# SPDX-License-Identifier: LGPL-2.1-or-later
"""Data between a NIC and a GPU goes through host memory, twice over PCIe and its memory."""

from validation.doctor.scenario.scene import Scene, scale


def values(scene: Scene) -> list:
    host = scene.host
    if not (scene.between_hosts and scene.on_gpus and host.get("gpudirect", True)):
        return []
    return [1.0, 0.5, 0.25, 0.12, 0.06] if "memory_bandwidth" in host else [1.0]


def edit(scene: Scene, value):
    scene.host["gpudirect"] = False
    scene.stage()
    scale(scene.host, value, "memory_bandwidth")
