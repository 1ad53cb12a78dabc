# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages between hosts go through the kernel's TCP in place of the NIC's own transport."""

from common.quantities import format_bandwidth, parse_quantity
from validation.doctor.causes.cause import FREQUENT, Cause, protocols
from validation.doctor.scenario.parts import merged, resolved, with_transport
from validation.doctor.scenario.scene import Scene, times

LATENCIES = (0.0, 40e-6, 160e-6)  # seconds of a hop, beyond that of the transport `sockets`
RATES = (0.4e9, 1.0e9, 2.5e9, 5e9, 10e9)  # bytes per second of a host's sockets, by its cores


def values(scene: Scene) -> list:
    if not scene.between_hosts:
        return []
    if scene.blocks is None and scene.library["network"].get("driver") != "nic":
        return []
    return [rate for rate in reversed(RATES) if rate < 1.5 * scene.host_bandwidth()]


def edit(scene: Scene, value, latency=LATENCIES[0]):
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


CAUSE = Cause(
    "tcp",
    "TCP sockets are used in place of the kernel bypass",
    "env | grep -e NCCL_IB_DISABLE -e NCCL_NET -e OMPI_MCA -e UCX_TLS  # NCCL_DEBUG=INFO prints "
    "NET/Socket; is libibverbs in the container? mpirun --mca pml ucx",
    values, edit, lambda value: f"{format_bandwidth(value)} per host",
    weight=FREQUENT, variants=tuple({"latency": one} for one in LATENCIES))
