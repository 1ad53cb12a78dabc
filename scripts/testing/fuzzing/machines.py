# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random machines and libraries: networks of all families, hosts of cores or of GPUs."""

from .quantities import Rate, cost, rate, time


def cable(random):
    return {"bandwidth": rate(random), "latency": time(random)}


def cluster(random):
    network = random.choice(["star", "star", "two_level", "two_level", "fat_tree", "torus",
                             "fabric", "dragonfly", "rails"])
    made = {"network": network, "link": cable(random), "host": host(random)}
    if random.random() < 0.1:
        made["link"]["both"] = Rate(made["link"]["bandwidth"] * random.choice([1, 1.2, 2]))
    if network == "star":
        made["hosts"] = random.randint(2, 6)
    elif network == "two_level":
        made.update(racks=random.randint(2, 3), hosts_per_rack=random.randint(1, 3),
                    uplinks=random.choice([1, 1, 2]))
        if random.random() < 0.5:
            made["oversubscription"] = random.choice([1, 1.5, 2, 4])
        else:
            made["uplink"] = {"bandwidth": rate(random)}
    elif network == "fat_tree":
        made["k"] = random.choice([2, 4])
    elif network == "dragonfly":
        made.update(routers=random.randint(1, 3), hosts_per_router=1, global_ports=1, groups=2)
        made["global"] = {"bandwidth": rate(random)}
    elif network == "rails":
        made.update(pods=random.randint(1, 2), hosts_per_pod=random.randint(2, 3),
                    rails=random.randint(1, 2), spines=random.randint(1, 2))
    elif network == "fabric":
        add_cables(random, made)
    else:
        made["dimensions"] = random.choice([[3], [2, 2], [3, 2]])
    return made


def add_cables(random, made):
    """Leaves below one or two spines; some cables are unlike."""
    leaves, spines = random.randint(1, 3), random.randint(1, 2)
    made["switches"] = [f"s{i}" for i in range(leaves + spines)]
    made["trunk"] = {"latency": time(random)}
    made["hosts"] = [{"name": f"host{i}", "to": [f"s{i % leaves}"]}
                     for i in range(random.randint(2, 6))]
    if random.random() < 0.3:
        made["hosts"][0]["link"] = {"bandwidth": rate(random)}
    made["trunks"] = [{"from": f"s{leaf}", "to": f"s{leaves + spine}",
                       "cables": random.choice([1, 1, 2])}
                      for leaf in range(leaves) for spine in range(spines)]


def host(random):
    """All have 16 cores."""
    kind = random.choices(["simple", "numa", "pcie_tree"], [0.5, 0.2, 0.3])[0]
    made = {"type": kind, "cores": 16}
    if random.random() < 0.4:
        made["memory_bandwidth"] = rate(random, 1e9, 1e11)
    if kind != "simple":
        made.update(cores=8, sockets=2, socket_link=cable(random))
    if kind == "pcie_tree":
        add_gpus(random, made)
    elif kind == "numa" and random.random() < 0.5:
        made["nics"] = [{"domain": domain, "bandwidth": rate(random)} for domain in range(2)]
    return made


def add_gpus(random, made):
    switches = random.randint(1, 2)
    made.update(switches_per_socket=switches, switch_uplink=cable(random),
                gpus_per_switch=random.randint(1, 2), gpu=gpu(random))
    if random.random() < 0.5:
        made["nics"] = [{"switch": switch, **cable(random)} for switch in range(2 * switches)]
    else:
        made["nic"] = {"domain": random.randint(0, 1), **cable(random)}
    linked = random.choice([None, None, "nvlink", "nvswitch"])
    if linked:
        made[linked] = cable(random)
    made["peer_access"] = random.choice(["none", "same_switch", "same_socket", "all"])
    made["iommu"] = random.random() < 0.2
    made["gpudirect"] = random.random() < 0.7
    if random.random() < 0.3:
        made["staging"] = {"latency": time(random)}


def gpu(random):
    made = cable(random)
    for key in ("memory_bandwidth", "copy_bandwidth", "peer_bandwidth"):
        if random.random() < 0.4:
            made[key] = rate(random, 1e9, 1e12)
    if random.random() < 0.4:
        made["copy_engines"] = random.randint(1, 2)
    return made


def hosts_of(made):
    if made["network"] == "star":
        return made["hosts"]
    if made["network"] == "dragonfly":
        return made["groups"] * made["routers"] * made["hosts_per_router"]
    if made["network"] == "rails":
        return made["pods"] * made["hosts_per_pod"]
    if made["network"] == "fabric":
        return len(made["hosts"])
    if made["network"] == "two_level":
        return made["racks"] * made["hosts_per_rack"]
    if made["network"] == "fat_tree":
        return made["k"] ** 3 // 4
    product = 1
    for size in made["dimensions"]:
        product *= size
    return product


def gpus_of(made):
    """GPUs of each host."""
    one = made["host"]
    return one.get("sockets", 0) * one.get("switches_per_socket", 0) * one.get("gpus_per_switch", 0)


def transport(random, drivers):
    made = {"latency": time(random), "send_overhead": time(random, 1e-7, 5e-6),
            "recv_overhead": time(random, 1e-7, 5e-6), "send_cost": cost(random),
            "recv_cost": cost(random), "unexpected_cost": cost(random),
            "eager_limit": random.choice(["0 B", "1 KiB", "4 KiB", "64 KiB", "unlimited"])}
    if random.random() < 0.2:
        made["rts_data"] = random.choice(["512 B", "4 KiB", "32 KiB"])
    if random.random() < 0.4:
        made["buffer"] = random.choice(["4 KiB", "64 KiB", "1 MiB", "unlimited"])
    if random.random() < 0.2:
        made["eager_room"] = random.choice(["4 KiB", "64 KiB", "1 MiB"])
    made["driver"] = random.choice(drivers)
    if random.random() < 0.4:
        made["order"] = random.choice(["shared", "fifo"])
    if random.random() < 0.1:
        made["jitter"] = time(random, 1e-7, 5e-6)
    return made


def gpu_transport(random):
    made = transport(random, ["caller", "nic", "nic"])
    if made["driver"] == "nic" and random.random() < 0.3:
        made["gap"] = random.choice(["1 KiB", "16 KiB"])
    return made


def library(random, knows_gpus):
    made = {"reduce_cost": cost(random), "copy_cost": cost(random),
            "self": {"latency": time(random), "recv_cost": cost(random),
                     "eager_limit": "unlimited"},
            "shm": transport(random, ["caller", "caller", "receiver"]),
            "network": transport(random, ["caller", "caller", "nic"])}
    nic = made["network"]["driver"] == "nic"
    if random.random() < 0.2:
        made["match_cost"] = time(random, 1e-9, 1e-7)
    for key, low, high in (("message_gap", 1e-8, 5e-6), ("interrupt_interval", 1e-6, 5e-5),
                           ("connection_cost", 1e-8, 1e-6), *[("registration", 1e-7, 1e-4)] * nic):
        if random.random() < 0.15:
            made["network"][key] = time(random, low, high)
    if random.random() < 0.3:
        made["network"]["goodput"] = random.choice([0.5, 0.9565, 0.97])
    if knows_gpus:
        made.update({way: gpu_transport(random) for way in ("p2p", "staged", "gdr")})
        made["gpu"] = {"launch": time(random), "reduce_cost": cost(random),
                       "copy_cost": cost(random), "always_staged": random.random() < 0.1}
    made["progress"] = random.choice(["caller", "caller", "thread"] + ["nic"] * nic)
    if made["progress"] == "thread":
        made["progress_core"] = random.choice(["spare", "shared"])
    if random.random() < 0.2:
        made["endpoints"] = 2
        made["thread_core"] = random.choice(["spare", "shared"])
    return made
