# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages go eagerly up to another size, or by rendezvous from another one on."""

from common.quantities import parse_quantity
from validation.doctor.scenario.scene import Scene

LIMITS = (0, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20)


def ways(scene: Scene) -> str:
    return "network" if scene.between_hosts else "shm"


def values(scene: Scene) -> list:
    if scene.blocks is not None or scene.on_gpus or isinstance(scene.library[ways(scene)], str):
        return []
    now = parse_quantity(str(scene.library[ways(scene)]["eager_limit"]), "bytes")
    return [limit for limit in LIMITS if not 0.6 < (limit + 1) / (now + 1) < 1.7]


def edit(scene: Scene, value):
    scene.library[ways(scene)]["eager_limit"] = f"{value} B"
