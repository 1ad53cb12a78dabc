# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random jobs: any algorithm that the program lists, with values for the options that it reads."""

import json

from .quantities import PerSecond, Time, cost, number, rate, size, time

# Messages that may be in flight at once: whenever one begins or ends, all that share a link with it
# get another rate, and pause where its rank leaves MPI. So time goes by the square of them.
MOST_IN_FLIGHT = 300


class Catalogue:
    """Algorithms as `ringscope list algorithms --json` tells of them."""

    def __init__(self, listed):
        self.of = {}  # {collective: [algorithm]}
        for one in listed:
            self.of.setdefault(one["collective"], []).append(one)

    @classmethod
    def ask(cls, program):
        ended = program.run(["list", "algorithms", "--json", "-"], {})
        return cls(json.loads(ended.out)["algorithms"])

    def pick(self, random):
        collective = random.choice(["allreduce", "alltoall", *self.of])
        return random.choice(self.of[collective])

    def exchanges(self):
        """Names of the allreduces that another algorithm can be made of."""
        return [one["algorithm"] for one in self.of["allreduce"]
                if one["threads"] == 1 and not one["selects"] and "inside" not in one["options"]]


def segment(random, job):
    pieces = random.choice([1, 2, 3, 8, 16, 64, 256])
    least = -(-job.bytes // max(1, min(pieces, MOST_IN_FLIGHT // job.ranks)))
    return f"{max(least, random.choice([1, 1000, 4096]))} B"


def layer(random, name):
    tensors = [random.choice([10, 1000, round(number(random, 1, 1e5))])
               for _ in range(random.randint(1, 3))]
    return {"name": name, "parameters": tensors, "flops": number(random, 1e3, 1e9)}


def model(random, job):
    if "gpu" in job.algorithm["options"]:
        return {"layers": random.randint(1, 3), "hidden": 8, "heads": 2,
                "sequence": random.randint(1, 64), "vocabulary": random.choice([0, 100])}
    return {"name": "drawn", "records": 1000, "record": f"{size(random)} B", "batch": 8,
            "step": Time(number(random, 1e-5, 1e-3)),
            "layers": [layer(random, f"layer{i}") for i in range(random.randint(1, 5))]}


def overlap(random, job):
    kinds = ["none", "thread"] + ["nonblocking"] * (job.algorithm["nonblocking"] > 0)
    return random.choice(kinds)


def chip(random, _):
    return {"flops": PerSecond(number(random, 1e6, 1e12)), "memory_bandwidth": rate(random)}


def exchange(random, job):
    if "gpu" in job.algorithm["options"]:
        return "ring"
    return random.choice(job.catalogue.exchanges())


def bucket(random, _):
    return random.choice(["0 B", "1 KiB", "100 kB", "1 MB"])


def records_per_second(random, _):
    return {"rate": PerSecond(number(random, 1e4, 1e7)), "prefetch": random.randint(1, 3)}


# By the name of an option: (how often it is drawn, how). One that is not known here keeps its
# default.
OPTIONS = {
    "segment": (1, segment),
    "item": (0.3, lambda random, job: random.choice(["1 B", "8 B"])),
    "compute": (0.8, lambda random, job: time(random, 1e-6, 1e-3)),
    "rounds": (0.8, lambda random, job: random.randint(1, 5)),
    "root": (1, lambda random, job: random.randrange(job.ranks)),
    "rings": (1, lambda random, job: random.randint(1, 3)),
    "algorithm": (0.5, lambda random, job: random.choice(["auto", "ring", "tree"])),
    "protocol": (0.7, lambda random, job: random.choice(["auto", "LL", "LL128", "Simple"])),
    "channels": (0.7, lambda random, job: random.randint(0, 3)),
    "sms": (0.5, lambda random, job: random.randint(0, 2)),
    "gpus_per_thread": (0.3, lambda random, job: random.randint(1, 8)),
    "threads": (0.8, lambda random, job: random.randint(2, 3)),
    "servers": (0.8, lambda random, job: random.randint(1, min(2, job.ranks - 1))),
    "steps": (0.8, lambda random, job: random.randint(1, 4)),
    "update": (0.8, lambda random, job: cost(random)),
    "bound": (0.8, lambda random, job: random.randint(0, 2)),
    "inside": (0.6, exchange),
    "between": (0.6, exchange),
    "exchange": (0.6, exchange),
    "model": (1, model),
    "gpu": (1, chip),
    "micro_batches": (0.8, lambda random, job: random.randint(1, 4)),
    "schedule": (0.5, lambda random, job: random.choice(["gpipe", "1f1b"])),
    "batch": (0.5, lambda random, job: random.choice([1, 3, 8, 16])),
    "overlap": (0.7, overlap),
    "fusion": (0.7, bucket),
    "bucket": (0.7, bucket),
    "bytes_per_pack": (0.7, bucket),
    "cycle": (1, lambda random, job: Time(number(random, 1e-5, 1e-3))),
    "input": (0.3, records_per_second),
    "checkpoint": (0.3, lambda random, job: {"every": random.randint(1, 2)}),
}


class Job:
    """One job on so many ranks; made() is what stands in the scenario."""

    def __init__(self, random, catalogue, algorithm, ranks, least_bytes=1):
        self.catalogue = catalogue
        self.algorithm = algorithm
        self.ranks = ranks
        self.bytes = max(least_bytes, size(random))
        options = {}
        for name in algorithm["options"]:
            often, draw = OPTIONS.get(name, (0, None))
            if random.random() < often:
                options[name] = draw(random, self)
        self.made = {"collective": algorithm["collective"], "algorithm": algorithm["algorithm"],
                     "options": options}
        if "model" not in options and algorithm["collective"] != "barrier":
            self.made["bytes"] = f"{self.bytes} B"
