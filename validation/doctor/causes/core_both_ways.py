# SPDX-License-Identifier: LGPL-2.1-or-later
"""The core of a process moves the bytes, in both directions at once."""

from common.quantities import parse_quantity
from validation.doctor.scenario.scene import Scene

COSTS = (0.05e-9, 0.1e-9, 0.2e-9, 0.4e-9, 0.8e-9, 1.6e-9, 3.2e-9, 6.4e-9)


def values(scene: Scene) -> list:
    if scene.blocks is not None or scene.on_gpus or not scene.between_hosts:
        return []
    network = scene.library["network"]
    have = max(parse_quantity(str(network.get(key, "0 s/B")), "cost")
               for key in ("send_cost", "recv_cost"))
    return [cost for cost in COSTS if cost > 1.3 * have]


def edit(scene: Scene, value):
    cost = f"{value:.6g} s/B"
    scene.library["network"] |= {"send_cost": cost, "recv_cost": cost, "driver": "caller"}
    if scene.library.get("progress") == "nic":
        scene.library["progress"] = "caller"
