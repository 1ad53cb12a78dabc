# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several GPUs go through one NIC, though each has one."""

from validation.doctor.causes.cause import RARE, Cause
from validation.doctor.scenario.scene import Scene

GPUS = 4


def values(scene: Scene) -> list:
    nics = len(scene.host.get("nics") or []) if scene.type == "pcie_tree" else 0
    return [GPUS] if scene.on_gpus and scene.between_hosts and nics >= GPUS else []


def edit(scene: Scene, value):
    scene.host["nics"] = scene.host["nics"][::value]


CAUSE = Cause(
    "shared-nic",
    "four GPUs go through one NIC: NCCL chose the same one for all of them",
    "env | grep -e NCCL_IB_HCA -e NCCL_CROSS_NIC -e NCCL_IB_MERGE_NICS  # NCCL_DEBUG=INFO: the "
    "number behind 'via NET/' of each channel; MIG or a container that shows one NIC",
    values, edit, lambda value: f"{value} GPUs each", ordered=False, weight=RARE)
