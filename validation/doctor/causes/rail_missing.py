# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fewer NICs of each host take part than there are."""

from validation.doctor.scenario.scene import Scene


def values(scene: Scene) -> list:
    if not scene.between_hosts or scene.type == "custom":
        return []
    many = scene.nics
    return sorted({1, 2, many // 2, 3 * many // 4, many - 1} & set(range(1, many)))


def edit(scene: Scene, value):
    scene.host["nics"] = scene.host["nics"][:-value]
