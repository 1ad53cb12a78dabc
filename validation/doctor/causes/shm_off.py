# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared memory is off: messages inside a host go through the network's stack."""

from validation.doctor.scenario.scene import Scene


def values(scene: Scene) -> list:
    on_cores = scene.blocks is None and not scene.on_gpus
    return ["network"] if on_cores and scene.ranks > scene.hosts else []


def edit(scene: Scene, value):
    scene.library["shm"] = value
