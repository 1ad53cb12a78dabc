# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several GPUs go through one NIC, though each has one."""

from validation.doctor.scenario.scene import Scene

GPUS = 4


def values(scene: Scene) -> list:
    nics = len(scene.host.get("nics") or []) if scene.type == "pcie_tree" else 0
    return [GPUS] if scene.on_gpus and scene.between_hosts and nics >= GPUS else []


def edit(scene: Scene, value):
    scene.host["nics"] = scene.host["nics"][::value]
