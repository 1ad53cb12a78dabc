# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of the fitted file that is about GPUs: their host, and how messages move between them.

All ranks of a host are coroutines of one process: they share one core.
"""

import copy

from common.quantities import format_bandwidth, format_cost, format_time, format_whole_bytes
from validation.calibration.fit.gpus import Gpus

# A copy begins when both ends are posted: no handshake takes time.
AT_ONCE = {"eager_limit": "0 B", "driver": "nic"}


def value(found: Gpus, name, default=0.0):
    return found.values[name].number if name in found.values else default


def host_of(found: Gpus, cores) -> dict:
    """A host with `count` GPUs below one switch."""
    prefix = "cluster.host.gpu."
    send, receive = (value(found, prefix + f"{way}_bandwidth") for way in ("send", "receive"))
    gpu = {"bandwidth": format_bandwidth(min(send, receive)),
           "send_bandwidth": format_bandwidth(send), "receive_bandwidth": format_bandwidth(receive),
           "latency": "0 s"}
    peer = value(found, prefix + "peer_bandwidth")
    over_pcie = 0 < peer <= min(send, receive)
    for name in ("both", "memory_bandwidth", *["peer_bandwidth"] * over_pcie):
        if prefix + name in found.values:
            gpu[name] = format_bandwidth(value(found, prefix + name))
    if engines := value(found, prefix + "copy_engines"):
        gpu["copy_engines"] = engines
        if engines == 1:
            gpu["copy_bandwidth"] = format_bandwidth(max(send, receive))
    if found.lines.get("h2d") is None:  # only copies between GPUs: a core for each rank
        cores = max(cores or 1, found.count)
    host = {"type": "pcie_tree", "sockets": 1, "cores": cores or 1,
            "switch_uplink": {"bandwidth": "unlimited", "latency": "0 s"},
            "gpus_per_switch": found.count, "gpu": gpu, "peer_access": access_of(found)}
    if peer and not over_pcie:  # faster than what goes to the host: links of their own
        host["nvlink"] = {"pairs": [list(pair) for pair in found.pairs],
                          "bandwidth": format_bandwidth(peer), "latency": "0 s"}
    return host


def access_of(found: Gpus):
    pairs = found.count * (found.count - 1) // 2
    if len(found.pairs) == pairs:
        return "all"
    return [list(pair) for pair in found.pairs] if found.pairs else "none"


def later(segments):
    """A latency by size; what has no bytes is no copy and takes no time."""
    return [{"up_to": "1 B", "time": "0 s"}, *segments]


def staged_of(found: Gpus) -> dict:
    prefix = "library.staged."
    first = {"time": format_time(value(found, prefix + "latency.0.time"))}
    if cost := value(found, prefix + "latency.0.cost"):
        first["cost"] = format_cost(cost)
    segments = [first]
    if prefix + "latency.1.time" in found.values:
        segments = [{"up_to": format_whole_bytes(found.segment), **first},
                    {"time": format_time(value(found, prefix + "latency.1.time"))}]
    staged = {"latency": later(segments), **AT_ONCE}
    if gap := value(found, prefix + "gap"):
        staged["gap"] = format_whole_bytes(gap)
    if found.staged == "pageable":  # the caller's core copies
        staged |= {name: format_cost(value(found, prefix + name))
                   for name in ("send_cost", "recv_cost")} | {"driver": "caller"}
    for name in ("send_overhead", "recv_overhead"):
        if prefix + name in found.values:
            staged[name] = format_time(value(found, prefix + name))
    return staged


def library_of(found: Gpus) -> dict:
    p2p = {"latency": later([{"time": format_time(value(found, "library.p2p.latency"))}]),
           **AT_ONCE}
    gdr = copy.deepcopy(p2p)  # the same list twice would become an alias in the file
    if gap := value(found, "library.p2p.gap"):
        p2p["gap"] = format_whole_bytes(gap)
    gpu = {"launch": format_time(value(found, "library.gpu.launch"))}
    if cost := value(found, "library.gpu.reduce_cost"):
        gpu["reduce_cost"] = format_cost(cost)
    return {"gpu": gpu, "p2p": p2p, "staged": staged_of(found), "gdr": gdr}


def progress_of(found: Gpus) -> dict:
    """Copy engines need nobody; what is copied by the core is so whatever its rank does."""
    if found.staged == "pageable":
        return {"progress": "thread", "progress_core": "shared", "thread_core": "shared"}
    return {"progress": "nic", "thread_core": "shared"}


NETWORK = {"latency": "5 us", **AT_ONCE}
