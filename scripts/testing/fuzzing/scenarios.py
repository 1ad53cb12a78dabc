# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random scenarios that are valid: machine, library, placement, job, background jobs.

Each is small enough for an instant, and made to contend: few links, many ranks, sizes around the
limits where protocols change. Numbers are as often round, so that much happens at one instant, as
not.
"""

from . import programs
from .jobs import Job
from .machines import cluster, gpus_of, hosts_of, library
from .quantities import rate, time

MOST_NEIGHBOURS = 2
# Beside jobs that loop, a job that waits for ever is told after 100,000 of their rounds: minutes.
MAY_WAIT_FOR_EVER = "head_to_head"
# A GPU as slow as it may be drawn computes for seconds: jobs of a millisecond loop for minutes.
MAY_COMPUTE_LONG = "llm"
PROGRAMS = 0.15  # of all jobs
RANKS_OF_NEIGHBOUR = 4  # most of each on a host: beside eight of the job there is room for two


def counts(random, hosts, most, least=2):
    """Ranks per host; at least so many in all."""
    while True:
        kind = random.random()
        if kind < 0.5:
            each = [random.randint(1, most)] * random.randint(1, hosts)
        else:
            each = [random.randint(0, most) for _ in range(random.randint(1, hosts))]
        while each and each[-1] == 0:
            each.pop()
        if sum(each) >= least:
            return each


def placement(random, hosts, most, on_gpus):
    each = counts(random, hosts, most)
    made = {"hosts": "-".join(map(str, each))}
    if on_gpus:
        made["on"] = "gpu"
    elif random.random() < 0.2:
        made["map_by"] = random.choice(["node", "numa"])
    if random.random() < 0.2:
        made["bind"] = random.choice(["numa", "host"])
    return made, sum(each)


def neighbour(random, catalogue, hosts):
    place, ranks = placement(random, hosts, random.randint(1, RANKS_OF_NEIGHBOUR), False)
    algorithm = catalogue.pick(random)
    while algorithm["one_host"]:
        algorithm = catalogue.pick(random)
    made = {"placement": place,
            # Not too small: it goes round and round until the job has ended.
            "job": Job(random, catalogue, algorithm, ranks, least_bytes=10_000).made,
            "repeat": random.choice(["loop", 1, 3])}
    if random.random() < 0.5:
        made["start"] = time(random, 1e-6, 1e-3)
    return made


def job(random, catalogue, algorithm, ranks):
    if random.random() < PROGRAMS and not algorithm["one_host"]:
        made = programs.job(random, catalogue, ranks)
    else:
        made = Job(random, catalogue, algorithm, ranks).made
    if random.random() < 0.3:
        made["skew"] = time(random, 1e-6, 1e-4)
    if random.random() < 0.1:
        made["noise"] = {"spread": random.choice([0.1, 0.5])}
    if random.random() < 0.3:
        made.update(seed=random.randrange(1000), repetitions=random.randint(2, 3))
    return made


def scenario(random, catalogue):
    """A dictionary as format.md has it, with quantities as quantities.py has them."""
    made = {"question": "How long?", "cluster": cluster(random)}
    hosts, gpus = hosts_of(made["cluster"]), gpus_of(made["cluster"])
    algorithm = catalogue.pick(random)
    on_gpus = gpus > 1 and random.random() < 0.8
    most = random.choice([1, 2, 4, 8])
    if on_gpus:
        most = min(most, gpus)
    used = 1 if algorithm["one_host"] else hosts
    made["library"] = library(random, gpus > 0)
    made["placement"], ranks = placement(random, used, most if used > 1 else max(2, most), on_gpus)
    made["job"] = job(random, catalogue, algorithm, ranks)
    if random.random() < 0.15:
        made["neighbours"] = {f"job{i}": neighbour(random, catalogue, hosts)
                              for i in range(random.randint(1, MOST_NEIGHBOURS))}
        if algorithm["algorithm"] in (MAY_WAIT_FOR_EVER, MAY_COMPUTE_LONG):
            for one in made["neighbours"].values():
                one["repeat"] = 1 if one["repeat"] == "loop" else one["repeat"]
    if made["job"].get("collective") == "training" and random.random() < 0.5:
        made["storage"] = {"bandwidth": rate(random)}
        if random.random() < 0.5:
            made["storage"]["host"] = 0
    if random.random() < 0.2:
        made["cluster"]["routing"] = "adaptive"
    if random.random() < 0.2:
        made["library"]["network"]["eager_piece"] = random.choice(["1 B", "512 B", "8 KiB"])
    return made
