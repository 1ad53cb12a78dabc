# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fewer NICs of each host take part than there are."""

from validation.doctor.causes.cause import Cause
from validation.doctor.scenario.scene import Scene


def values(scene: Scene) -> list:
    if not scene.between_hosts or scene.type == "custom":
        return []
    many = scene.nics
    return sorted({1, 2, many // 2, 3 * many // 4, many - 1} & set(range(1, many)))


def edit(scene: Scene, value):
    scene.host["nics"] = scene.host["nics"][:-value]


CAUSE = Cause(
    "rail-missing",
    "a rail is missing: not all NICs of the hosts are used",
    "ibstat | grep -e State -e Rate  # is each port active? NCCL_DEBUG=INFO lists the NICs in "
    "use (NET/IB); NCCL_IB_HCA, btl_tcp_if_include",
    values, edit, lambda value: f"{value} NIC{'s' * (value > 1)} of each host unused")
