# SPDX-License-Identifier: LGPL-2.1-or-later
"""PCIe links came up with fewer lanes or of a lower generation."""

from validation.doctor.scenario.scene import Scene, scale


def values(scene: Scene) -> list:
    if scene.type == "pcie_tree" and scene.on_gpus:
        return [0.5, 0.25, 0.125]
    known = scene.type in ("pcie_tree", "numa") and scene.between_hosts
    nics = scene.host.get("nics") or [scene.host.get("nic") or {}]
    return [0.5, 0.25, 0.125] if known and any("bandwidth" in nic for nic in nics) else []


def edit(scene: Scene, value):
    host = scene.host
    cables = [*(host.get("nics") or []), host.get("nic") or {}, host.get("switch_uplink") or {}]
    cables += [host.get("gpu") or {}] * (scene.type == "pcie_tree")
    for cable in cables:
        scale(cable, value)
