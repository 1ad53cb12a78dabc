# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages between hosts go through the kernel's TCP in place of the NIC's own transport."""

from common.quantities import format_bandwidth, parse_quantity
from validation.doctor.causes.changes import protocols
from validation.doctor.scenario.parts import merged, resolved, with_transport
from validation.doctor.scenario.scene import Scene, times

RATES = (0.4e9, 1.0e9, 2.5e9, 5e9, 10e9)  # bytes per second of a host's sockets, by its cores


def values(scene: Scene) -> list:
    if not scene.between_hosts:
        return []
    if scene.blocks is None and scene.library["network"].get("driver") != "nic":
        return []
    return [rate for rate in reversed(RATES) if rate < 1.5 * scene.host_bandwidth()]


def edit(scene: Scene, value, latency=0.0):
    """`latency`: seconds of a hop, beyond that of the transport `sockets`."""
    link = scene.cluster["link"]
    each = min(parse_quantity(str(link["bandwidth"]), "bandwidth"), value / scene.nics)
    if scene.blocks is None:
        tcp = resolved("library", "openmpi_tcp")["network"]
        cost = f"{1 / value / 2:.6g} s/B"
        tcp |= {"send_cost": cost, "recv_cost": cost}
        scene.library["network"] = merged(scene.library["network"], tcp)
        scene.library["network"]["order"] = "shared"
        scene.library["network"]["latency"] = times(tcp["latency"], 1, latency)
        if scene.library.get("progress") == "nic":
            scene.library["progress"] = "caller"
        return
    if scene.on_gpus:
        scene.host["gpudirect"] = False
        scene.stage()
    link["bandwidth"] = format_bandwidth(each, digits=6)
    if latency is None:
        return
    scene.library = with_transport(scene.library, "sockets")
    for one in protocols(scene):
        one["hop_between_hosts"] = times(one["hop_between_hosts"], 1, latency)
