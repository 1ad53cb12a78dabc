# SPDX-License-Identifier: LGPL-2.1-or-later
"""GPUs in a virtual machine reach each other through a copy at some GB/s."""

from common.quantities import format_bandwidth, parse_quantity
from validation.doctor.scenario.scene import Scene

RATES = (3e9, 1.4e9, 0.7e9)  # bytes per second; a public case has 1.4e9


def values(scene: Scene) -> list:
    gpu = scene.host.get("gpu") or {}
    pcie = scene.type == "pcie_tree" and scene.gpus > 1 and "bandwidth" in gpu
    return list(RATES) if pcie and scene.on_gpus else []


def edit(scene: Scene, value):
    for key in ("nvlink", "nvswitch", "nvswitches"):
        scene.host.pop(key, None)
    scene.host["peer_access"] = "none"
    scene.stage()
    gpu = scene.host["gpu"]
    least = min(value, parse_quantity(str(gpu["bandwidth"]), "bandwidth"))
    gpu["bandwidth"] = format_bandwidth(least, digits=6)
