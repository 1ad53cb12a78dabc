# SPDX-License-Identifier: LGPL-2.1-or-later
"""GPUs of a host do not reach each other: all goes through host memory."""

from validation.doctor.scenario.scene import Scene, scale


def values(scene: Scene) -> list:
    host = scene.host
    if not (scene.on_gpus and scene.gpus > 1 and host.get("peer_access") != "none"):
        return []
    return [1.0, 0.5, 0.25, 0.12] if "memory_bandwidth" in host else [1.0]


def edit(scene: Scene, value):
    scene.host["peer_access"] = "none"
    scene.stage()
    scale(scene.host, value, "memory_bandwidth")
