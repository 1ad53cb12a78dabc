# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draw small questions for `ringscope place`: clusters, jobs, tenants and rules.

Each instance depends on the seed, the kind and its number alone. `benchmarks/placement` keeps those
that its conditions fit.
"""

import random

GBIT = (10, 25, 100)
LANGUAGE_MODEL = {"layers": 4, "hidden": 512, "heads": 8, "sequence": 256}
GAIN = 1.10  # by which factor the median, or a bad placement, takes longer than the best
MECHANISMS = ("cable", "tenant", "order", "packed")


def link(draw: random.Random) -> dict:
    return {"bandwidth": f"{draw.choice(GBIT)} Gbit/s", "latency": "1 us"}


def network_of(draw: random.Random) -> tuple:
    """(keys of the network, its hosts, NICs of a host)."""
    family = draw.choice(("star", "two_level", "fat_tree", "rails", "dragonfly", "torus"))
    if family == "star":
        hosts = draw.randint(4, 5)
        return {"network": family, "hosts": hosts}, hosts, 1
    if family == "two_level":
        racks, each = draw.choice(((2, 2), (2, 3), (3, 2)))
        return {"network": family, "racks": racks, "hosts_per_rack": each,
                "oversubscription": draw.choice((1, 2, 4, 8))}, racks * each, 1
    if family == "fat_tree":
        hosts = draw.choice((5, 6))
        return {"network": family, "k": 4, "hosts": hosts}, hosts, 1
    if family == "rails":
        return {"network": family, "pods": 2, "hosts_per_pod": 2, "rails": 2,
                "spines": draw.randint(1, 2)}, 4, 2
    if family == "dragonfly":
        return {"network": family, "routers": 2, "hosts_per_router": 1, "global_ports": 1,
                "groups": 3}, 6, 1
    sizes = draw.choice(([4], [6], [2, 3]))
    hosts = 1
    for size in sizes:
        hosts *= size
    return {"network": family, "dimensions": sizes}, hosts, 1


def host_of(draw: random.Random, nics: int) -> tuple:
    """(keys of a host, its slots, what the slots are)."""
    if draw.random() < 0.3:
        host = {"type": "pcie_tree", "sockets": 2, "cores": 8, "socket_link":
                {"bandwidth": "20 GB/s", "latency": "100 ns"}, "switches_per_socket": 1,
                "switch_uplink": {"bandwidth": "16 GB/s", "latency": "150 ns"},
                "gpus_per_switch": draw.randint(1, 2), "gpu":
                {"bandwidth": "16 GB/s", "latency": "150 ns", "memory": "80 GiB"},
                "nics": [{"switch": nic % 2, "bandwidth": "16 GB/s"} for nic in range(nics)]}
        if draw.random() < 0.5:
            host["nvlink"] = {"pairs": "all", "bandwidth": "100 GB/s", "latency": "500 ns"}
        return host, 2 * host["gpus_per_switch"], "gpu"
    if nics > 1 or draw.random() < 0.3:
        return {"type": "numa", "sockets": 2, "cores": 2, "memory_bandwidth": "100 GB/s",
                "socket_link": {"bandwidth": "20 GB/s", "latency": "100 ns"},
                "nics": [{"domain": nic} for nic in range(nics)]}, 4, "core"
    cores = draw.randint(2, 4)
    return {"type": "simple", "cores": cores}, cores, "core"


def job_of(draw: random.Random, on: str, ranks: int) -> dict:
    size = {"bytes": f"{2 ** draw.randint(8, 14)} KiB"}
    kind = draw.choice(("allreduce", "allreduce", "exchange", "tree", "servers", "training",
                        "groups", "groups"))
    names = {"allreduce": ("ring", "recursive_doubling", "rabenseifner", "double_binary_tree",
                           "two_level", "parallel_rings", "open_mpi_tuned"),
             "exchange": ("alltoall pairwise", "alltoall posted", "allgather bruck"),
             "tree": ("broadcast binomial", "broadcast chain", "gather binomial")}
    if kind == "allreduce":
        return {"collective": kind, "algorithm": draw.choice(names[kind])} | size
    if kind in names:
        return dict(zip(("collective", "algorithm"), draw.choice(names[kind]).split())) | size
    if kind == "servers":
        return {"collective": "parameter_server", "algorithm": "synchronous",
                "options": {"servers": draw.randint(1, 2)}} | size
    if kind == "training":
        return {"collective": "training", "algorithm": draw.choice(("ddp", "parameter_server")),
                "options": {"model": "lenet"}}
    if on == "gpu" and ranks % 4 == 0:
        return {"program": "llm", "groups": {"tp": 2, "pp": draw.choice((1, 2))}, "options":
                {"model": LANGUAGE_MODEL, "gpu": "a100_80", "micro_batches": 2}}
    steps = [{"allreduce": f"{2 ** draw.randint(8, 13)} KiB", "group": group, "algorithm": "ring"}
             for group in ("a", "b")]
    return {"groups": {"order": "a-b", "a": 2}, "program": steps}


def own_placement(ranks: int, hosts: int, most: int) -> str:
    """Counts of at most so many ranks a host, or more where there is no room."""
    on_hosts = [0] * hosts
    for rank in range(ranks):
        on_hosts[min(rank // most, hosts - 1) if rank < most * hosts else rank % hosts] += 1
    return "-".join(map(str, on_hosts))


def tenant(scenario: dict, on_hosts: list) -> dict:
    """A background job of two ranks, on the last slot of each of two hosts."""
    host = scenario["cluster"]["host"]
    if scenario["placement"]["on"] == "gpu":
        slot = {"gpu": 2 * host["gpus_per_switch"] - 1}
    else:
        slot = {"numa": host.get("sockets", 1) - 1, "core": host["cores"] - 1}
    return {"tenant": {"placement": [{"host": one} | slot for one in on_hosts],
                       "job": {"collective": "allreduce", "algorithm": "ring", "bytes": "32 MiB"}}}


def instance(seed: int, kind: str, number: int) -> dict:
    """A study for `ringscope place`; its own placement is packed, or spread."""
    draw = random.Random(f"{seed} {kind} {number}")
    network, hosts, nics = network_of(draw)
    host, slots, on = host_of(draw, nics)
    cluster = network | {"host": host, "link": link(draw)}
    for one in draw.sample(range(hosts), draw.choice((0, 0, 1, 2))):
        cluster.setdefault("unlike", []).append(
            {"hosts": [f"host{one}"], "link": {"bandwidth": f"{draw.choice((2, 5))} Gbit/s"}})
    order = draw.choice(("any", "fixed", "fixed", "packed", None))
    ranks = draw.choice({"fixed": (4, 5), "packed": (6, 8)}.get(order, (4,)))
    ranks = min(ranks, hosts * slots // 2)
    job = job_of(draw, on, ranks)
    if "groups" in job:
        ranks -= ranks % 2
    library = "cuda_pinned" if on == "gpu" else draw.choice(("rdma", "openmpi_tcp", "offload"))
    scenario = {"question": f"number {number} of {kind}, seed {seed}", "cluster": cluster,
                "library": library, "job": job, "placement":
                {"hosts": own_placement(ranks, hosts, draw.choice((slots, 1, 2))), "on": on}}
    if draw.random() < 0.25:
        scenario["neighbours"] = tenant(scenario, draw.sample(range(hosts), 2))
    rules = {"order": order, "slots": draw.choice((None, 1, 2))}
    if rules["slots"] is not None and rules["slots"] * hosts < ranks + 2:
        rules["slots"] = None
    return {"scenario": scenario,
            "place": {key: value for key, value in rules.items() if value is not None}}


def bad_placements(study: dict, answer: dict, mechanism: str) -> list:
    """Placements of the true answer that take 10 % longer than the best by that mechanism."""
    placed, scenario = answer["placements"], study["scenario"]
    slow = [name for one in scenario["cluster"].get("unlike", []) for name in one["hosts"]]
    busy = [rank["host"] for rank in
            scenario.get("neighbours", {}).get("tenant", {}).get("placement", [])]
    hosts = [sorted(rank["host"] for rank in one["ranks"]) for one in placed]
    fewest = min(len(set(one)) for one in hosts)
    fits = {"cable": lambda on: any(f"host{host}" in slow for host in on),
            "tenant": lambda on: any(host in busy for host in on),
            "order": lambda on: on == hosts[0],
            "packed": lambda on: len(set(on)) == fewest}
    if mechanism != "order" and fits[mechanism](hosts[0]):
        return []
    return [one for one, on in zip(placed, hosts) if fits[mechanism](on) and
            one["time_s"] and one["time_s"] >= GAIN * placed[0]["time_s"]]


def planted(study: dict, answer: dict, draw: random.Random):
    """The study with a bad placement of the user's own, and by what; None where there is none."""
    for mechanism in draw.sample(MECHANISMS, len(MECHANISMS)):
        bad = bad_placements(study, answer, mechanism)
        if bad:
            study["scenario"]["placement"] = draw.choice(bad)["ranks"]
            return study, mechanism
    return None
