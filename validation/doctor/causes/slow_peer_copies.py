# SPDX-License-Identifier: LGPL-2.1-or-later
"""GPUs write to each other over PCIe more slowly than to host memory."""

from validation.doctor.scenario.scene import Scene, scaled


def values(scene: Scene) -> list:
    pcie = scene.type == "pcie_tree" and scene.on_gpus and scene.gpus > 1
    return [0.7, 0.5, 0.35, 0.25] if pcie and scene.host.get("peer_access") != "none" else []


def edit(scene: Scene, value):
    gpu = scene.host["gpu"]
    gpu["peer_bandwidth"] = scaled(gpu.get("peer_bandwidth", gpu["bandwidth"]), value)
