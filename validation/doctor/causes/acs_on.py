# SPDX-License-Identifier: LGPL-2.1-or-later
"""PCIe access control services or an IOMMU send what GPUs and NICs exchange up to the root."""

from validation.doctor.scenario.scene import Scene, scale


def values(scene: Scene) -> list:
    behind = scene.type in ("pcie_tree", "custom") and not scene.host.get("iommu", False)
    if not (behind and scene.on_gpus):
        return []
    return [1.0, 0.7, 0.5, 0.35] if "switch_uplink" in scene.host else [1.0]


def edit(scene: Scene, value):
    scene.host["iommu"] = True
    scale(scene.host.get("switch_uplink") or {}, value)
