# SPDX-License-Identifier: LGPL-2.1-or-later
"""All NICs hang off one socket, or off the one on which the ranks are not."""

from validation.doctor.scenario.scene import Scene, scale


def values(scene: Scene) -> list:
    if scene.type not in ("pcie_tree", "numa") or scene.sockets < 2 or not scene.between_hosts:
        return []
    link = scene.host.get("socket_link") or {}
    return [1.0, 0.5, 0.25, 0.12] if "bandwidth" in link else [1.0]


def edit(scene: Scene, value):
    host, last = scene.host, scene.sockets - 1
    nics = host.get("nics") or [host.get("nic") or {}]
    moved = []
    for nic in nics:
        nic = dict(nic)
        if "switch" in nic:
            each = int(host.get("switches_per_socket", 1))
            nic["switch"] = last * each + int(nic["switch"]) % each
        else:
            nic["domain"] = last
        moved.append(nic)
    host.pop("nic", None)
    host["nics"] = moved
    scale(host.get("socket_link") or {}, value)
