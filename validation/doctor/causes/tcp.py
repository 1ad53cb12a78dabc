# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages between hosts go through the kernel's TCP in place of the NIC's own transport."""

from common.quantities import format_bandwidth, parse_quantity
from validation.doctor.causes.cause import FREQUENT, Cause, protocols
from validation.doctor.scenario.parts import merged, resolved
from validation.doctor.scenario.scene import Scene, times

LATENCY = 20e-6  # of a hop through two kernels, beyond that of a NIC that bypasses them
RATES = (1.0e9, 2.5e9, 5e9, 10e9)  # bytes per second that the sockets of a host carry, by its cores


def values(scene: Scene) -> list:
    if not scene.between_hosts:
        return []
    if scene.blocks is None and scene.library["network"].get("driver") != "nic":
        return []
    return [rate for rate in reversed(RATES) if rate < 1.5 * scene.host_bandwidth()]


def edit(scene: Scene, value):
    link = scene.cluster["link"]
    each = min(parse_quantity(str(link["bandwidth"]), "bandwidth"), value / scene.nics)
    if scene.blocks is None:
        tcp = resolved("library", "openmpi_tcp")["network"]
        cost = f"{1 / value / 2:.6g} s/B"
        tcp |= {"send_cost": cost, "recv_cost": cost}
        scene.library["network"] = merged(scene.library["network"], tcp)
        scene.library["network"]["order"] = "shared"
        if scene.library.get("progress") == "nic":
            scene.library["progress"] = "caller"
        return
    if scene.on_gpus:
        scene.host["gpudirect"] = False
        scene.stage()
    link["bandwidth"] = format_bandwidth(each, digits=6)
    for way in ("network", "gdr"):
        scene.library[way]["latency"] = times(scene.library[way]["latency"], 1, LATENCY)
    for one in protocols(scene):
        one["hop_between_hosts"] = times(one.get("hop_between_hosts", one["hop"]), 1, LATENCY)


CAUSE = Cause(
    "tcp",
    "TCP sockets are used in place of the kernel bypass",
    "NCCL_DEBUG=INFO says NET/Socket (NCCL_IB_DISABLE, no verbs in the container); "
    "ompi_info, --mca pml ucx, UCX_TLS",
    values, edit, lambda value: f"of {format_bandwidth(value)} a host",
    weight=FREQUENT)
