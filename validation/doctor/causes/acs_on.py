# SPDX-License-Identifier: LGPL-2.1-or-later
"""PCIe access control services or an IOMMU send what GPUs and NICs exchange up to the root."""

from validation.doctor.causes.cause import FREQUENT, Cause, share
from validation.doctor.scenario.scene import Scene, scale


def values(scene: Scene) -> list:
    behind = scene.type in ("pcie_tree", "custom") and not scene.host.get("iommu", False)
    if not (behind and scene.on_gpus):
        return []
    return [1.0, 0.7, 0.5, 0.35] if "switch_uplink" in scene.host else [1.0]


def edit(scene: Scene, value):
    scene.host["iommu"] = True
    scale(scene.host.get("switch_uplink") or {}, value)


CAUSE = Cause(
    "acs-on",
    "ACS or the IOMMU is on: traffic between GPUs and NICs goes up to the CPU",
    "sudo lspci -vvv | grep ACSCtl  # SrcValid+ is on; dmesg | grep -i iommu",
    values, edit, lambda value: f"the root complex carries {share(value)} of a switch's uplink",
    weight=FREQUENT, threads=("NVIDIA/nccl-tests#112",))
