# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared memory is off: messages inside a host go through the network's stack."""

from validation.doctor.causes.cause import Cause
from validation.doctor.scenario.scene import Scene


def values(scene: Scene) -> list:
    on_cores = scene.blocks is None and not scene.on_gpus
    return ["network"] if on_cores and scene.ranks > scene.hosts else []


CAUSE = Cause(
    "shm-off",
    "shared memory is off: messages inside a host go through the network's stack",
    "df /dev/shm; env | grep -e OMPI_MCA_btl -e I_MPI_FABRICS -e UCX_TLS  # --mca btl self,tcp "
    "(no vader, no sm), I_MPI_FABRICS=ofi, UCX_TLS without shm",
    values, lambda scene, value: scene.library.update(shm=value),
    lambda value: "--mca btl self,tcp", ordered=False)
