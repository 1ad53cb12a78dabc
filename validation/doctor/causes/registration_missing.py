# SPDX-License-Identifier: LGPL-2.1-or-later
"""Memory is not registered with the NIC: bytes are copied as by TCP, hops are quick as RDMA's."""

from validation.doctor.causes import tcp
from validation.doctor.scenario.scene import Scene


def values(scene: Scene) -> list:
    return tcp.values(scene) if scene.blocks is not None else []


def edit(scene: Scene, value):
    tcp.edit(scene, value, None)
