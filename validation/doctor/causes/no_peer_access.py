# SPDX-License-Identifier: LGPL-2.1-or-later
"""GPUs of a host do not reach each other: all goes through host memory."""

from validation.doctor.causes.cause import Cause, share
from validation.doctor.scenario.scene import Scene, scale


def values(scene: Scene) -> list:
    host = scene.host
    possible = scene.on_gpus and scene.gpus > 1 and host.get("peer_access") != "none"
    if not possible:
        return []
    return [1.0, 0.5, 0.25, 0.12] if "memory_bandwidth" in host else [1.0]


def edit(scene: Scene, value):
    scene.host["peer_access"] = "none"
    scene.stage()
    scale(scene.host, value, "memory_bandwidth")


CAUSE = Cause(
    "no-peer-access",
    "GPUs have no peer access: NCCL goes through shared memory of the host",
    "nvidia-smi topo -p2p r; env | grep -e NCCL_P2P -e NCCL_SHM  # NCCL_P2P_LEVEL=LOC or "
    "NCCL_P2P_DISABLE=1 forbid it; NCCL_DEBUG=INFO prints via SHM",
    values, edit, lambda value: f"with {share(value)} of the host's memory bandwidth",
    threads=("NVIDIA/nccl-tests#228",))
