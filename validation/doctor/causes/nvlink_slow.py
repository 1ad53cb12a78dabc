# SPDX-License-Identifier: LGPL-2.1-or-later
"""Some NVLinks between GPUs are down, or they run below their rate."""

from validation.doctor.scenario.scene import Scene, scale


def links(scene: Scene) -> list:
    found = scene.host.get("nvlink") or []
    found = [found] if isinstance(found, dict) else found
    return [one for one in [*found, scene.host.get("nvswitch")] if isinstance(one, dict)]


def values(scene: Scene) -> list:
    return [0.75, 0.5, 0.25] if scene.on_gpus and links(scene) else []


def edit(scene: Scene, value):
    for link in links(scene):
        scale(link, value)
