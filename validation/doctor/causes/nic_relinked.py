# SPDX-License-Identifier: LGPL-2.1-or-later
"""One NIC of the hosts came up at a lower rate than the others."""

from common.quantities import format_bandwidth, parse_quantity
from validation.doctor.scenario.scene import Scene


def values(scene: Scene) -> list:
    several = scene.type == "pcie_tree" and len(scene.host.get("nics") or []) > 1
    return [0.5, 0.25, 0.1] if several and scene.between_hosts else []


def edit(scene: Scene, value):
    cable = parse_quantity(str(scene.cluster["link"]["bandwidth"]), "bandwidth")
    nics = scene.host["nics"]
    nics[0] = {**nics[0], "bandwidth": format_bandwidth(cable * value, digits=6)}
