"""Random scenarios that are valid: machine, library, placement, collective, algorithm, sizes.

Each is small enough for an instant, and made to contend: few links, many ranks, sizes around the
limits where protocols change. Numbers are as often round, so that much happens at one instant, as
not. Quantities carry their unit, so that all rates can be scaled.
"""

import json


class Rate(float):
    """Bytes per second."""


class Time(float):
    """Seconds."""


class Cost(float):
    """Seconds per byte."""


ALGORITHMS = {
    "allreduce": ["ring", "ring_waitall", "ring_sendrecv", "ring_segmented", "ring_two_threads",
                  "recursive_doubling", "rabenseifner", "open_mpi_tuned", "double_binary_tree",
                  "two_level", "parallel_rings", "ring_threads", "nccl"],
    "pingpong": ["blocking", "nonblocking", "sendrecv"],
    "exchange": ["bidirectional"],
    "overlap": ["sender", "sender_tests", "receiver"],
    "broadcast": ["flat", "binomial", "chain", "scatter_allgather"],
    "scatter": ["linear", "binomial"],
    "gather": ["linear", "binomial"],
    "reduce": ["binomial", "ring"],
    "allgather": ["ring", "recursive_doubling", "bruck"],
    "reduce_scatter": ["ring", "recursive_halving"],
    "alltoall": ["pairwise", "bruck", "posted"],
    "parameter_server": ["synchronous", "asynchronous", "stale_synchronous"],
    "streaming_exchange": ["free_running", "interlocked"],
}
EVEN = {"exchange"}
POWER_OF_TWO = {("reduce_scatter", "recursive_halving"), ("allgather", "recursive_doubling")}


def text(quantity):
    if isinstance(quantity, Rate):
        return f"{float(quantity)!r} B/s"
    if isinstance(quantity, Time):
        return f"{float(quantity)!r} s"
    if isinstance(quantity, Cost):
        return f"{float(quantity)!r} s/B"
    return quantity


def scaled(value, faster):
    """The same with all rates `faster` times as high and all times and costs as much shorter."""
    if isinstance(value, dict):
        return {key: scaled(inner, faster) for key, inner in value.items()}
    if isinstance(value, list):
        return [scaled(inner, faster) for inner in value]
    if isinstance(value, Rate):
        return Rate(value * faster)
    if isinstance(value, (Time, Cost)):
        return type(value)(value / faster)
    return value


def as_yaml(scenario):
    """JSON is YAML."""
    return json.dumps(_texts(scenario), indent=1).encode()


def _texts(value):
    if isinstance(value, dict):
        return {key: _texts(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_texts(inner) for inner in value]
    return text(value)


def number(random, low, high):
    """Between the two, evenly in its logarithm; every other one has one digit."""
    value = low * (high / low) ** random.random()
    return float(f"{value:.0e}") if random.random() < 0.5 else value


def rate(random, low=1e8, high=2e10):
    return Rate(number(random, low, high))


def time(random, low=1e-7, high=2e-5):
    return Time(0.0) if random.random() < 0.1 else Time(number(random, low, high))


def cost(random, low=3e-11, high=3e-9):
    return Cost(0.0) if random.random() < 0.2 else Cost(number(random, low, high))


def cable(random):
    return {"bandwidth": rate(random), "latency": time(random)}


def cluster(random):
    network = random.choice(["star", "star", "two_level", "two_level", "fat_tree", "torus"])
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
    else:
        made["dimensions"] = random.choice([[3], [2, 2], [3, 2]])
    return made


def host(random):
    made = {"type": "simple", "cores": 16}
    if random.random() < 0.4:
        made["memory_bandwidth"] = rate(random, 1e9, 1e11)
    if random.random() < 0.3:
        made.update(type="numa", cores=8, socket_link=cable(random))
        if random.random() < 0.5:
            made["nics"] = [{"domain": 0, "bandwidth": rate(random)},
                            {"domain": 1, "bandwidth": rate(random)}]
    return made


def hosts_of(made):
    if made["network"] == "star":
        return made["hosts"]
    if made["network"] == "two_level":
        return made["racks"] * made["hosts_per_rack"]
    if made["network"] == "fat_tree":
        return made["k"] ** 3 // 4
    product = 1
    for size in made["dimensions"]:
        product *= size
    return product


def transport(random, inside):
    made = {"latency": time(random), "send_overhead": time(random, 1e-7, 5e-6),
            "recv_overhead": time(random, 1e-7, 5e-6), "send_cost": cost(random),
            "recv_cost": cost(random), "unexpected_cost": cost(random),
            "eager_limit": random.choice(["0 B", "1 KiB", "4 KiB", "64 KiB", "unlimited"])}
    if random.random() < 0.2:
        made["rts_data"] = random.choice(["512 B", "4 KiB", "32 KiB"])
    if random.random() < 0.4:
        made["buffer"] = random.choice(["4 KiB", "64 KiB", "1 MiB", "unlimited"])
    made["driver"] = random.choice(["caller", "caller", "receiver"] if inside else
                                   ["caller", "caller", "nic"])
    if not inside and random.random() < 0.3:
        made["goodput"] = random.choice([0.5, 0.9565, 0.97])
    if random.random() < 0.1:
        made["jitter"] = time(random, 1e-7, 5e-6)
    return made


def library(random):
    made = {"reduce_cost": cost(random), "copy_cost": cost(random),
            "self": {"latency": time(random), "recv_cost": cost(random),
                     "eager_limit": "unlimited"},
            "shm": transport(random, True), "network": transport(random, False)}
    kinds = ["caller", "caller", "thread"] + ["nic"] * (made["network"]["driver"] == "nic")
    made["progress"] = random.choice(kinds)
    if made["progress"] == "thread":
        made["progress_core"] = random.choice(["spare", "shared"])
    if random.random() < 0.2:
        made["endpoints"] = 2
        made["thread_core"] = random.choice(["spare", "shared"])
    return made


def counts(random, hosts, most):
    """Ranks per host; at least two in all."""
    while True:
        kind = random.random()
        if kind < 0.5:
            each = [random.randint(1, most)] * random.randint(1, hosts)
        else:
            each = [random.randint(0, most) for _ in range(random.randint(1, hosts))]
        while each and each[-1] == 0:
            each.pop()
        if sum(each) >= 2:
            return each


def size(random):
    return random.choice([1, 4, 1000, 1024, 4096, 10_000, 65_536, 100_000, 262_144, 1_000_000,
                          round(number(random, 1, 1e6))])


def options(random, collective, algorithm, ranks):
    made = {}
    segments = ["4 KiB", "16 KiB", "64 KiB", "1000 B"]
    if algorithm in ("ring_segmented", "chain", "double_binary_tree") or (
            collective in ("parameter_server", "streaming_exchange")):
        made["segment"] = random.choice(segments)
    if algorithm in ("chain", "double_binary_tree"):
        del made["segment"]
    if algorithm == "parallel_rings":
        made["rings"] = random.randint(1, 3)
    if algorithm == "ring_threads":
        made["threads"] = random.randint(2, 3)
    if collective in ("broadcast", "scatter", "gather", "reduce") and algorithm != "open_mpi_tuned":
        made["root"] = random.randrange(ranks)
    if collective in ("pingpong", "exchange"):
        made["rounds"] = random.randint(1, 5)
    if collective == "overlap":
        made["compute"] = time(random, 1e-6, 1e-3)
    if collective in ("parameter_server", "streaming_exchange"):
        made.update(steps=random.randint(1, 4), compute=time(random, 1e-6, 1e-3))
    if collective == "parameter_server":
        made.update(servers=random.randint(1, min(2, ranks - 1)), update=cost(random))
        if algorithm == "stale_synchronous":
            made["bound"] = random.randint(0, 2)
    return made


def job(random, ranks):
    while True:
        collective = random.choice(["allreduce", "alltoall", *ALGORITHMS])
        algorithm = random.choice(ALGORITHMS[collective])
        if collective in EVEN and ranks % 2:
            continue
        if (collective, algorithm) in POWER_OF_TWO and ranks & (ranks - 1):
            continue
        break
    made = {"collective": collective, "algorithm": algorithm, "bytes": f"{size(random)} B",
            "options": options(random, collective, algorithm, ranks)}
    if random.random() < 0.3:
        made["skew"] = time(random, 1e-6, 1e-4)
    if random.random() < 0.1:
        made["noise"] = {"spread": random.choice([0.1, 0.5])}
    if random.random() < 0.3:
        made.update(seed=random.randrange(1000), repetitions=random.randint(2, 3))
    return made


def scenario(random):
    """A dictionary as format.md has it, with quantities as Rate, Time and Cost."""
    made = {"question": "How long?", "cluster": cluster(random), "library": library(random)}
    each = counts(random, hosts_of(made["cluster"]), random.choice([1, 2, 4, 8]))
    place = {"hosts": "-".join(map(str, each))}
    if random.random() < 0.2:
        place["map_by"] = random.choice(["node", "numa"])
    if random.random() < 0.2:
        place["bind"] = random.choice(["numa", "host"])
    made["placement"] = place
    made["job"] = job(random, sum(each))
    return made
