# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every kind of input that the program reads, each mutated: files of all its formats and words.

An Input is what is typed and the files that lie there. ALL holds (weight, kind): kinds that Python
reads take a hundred times as long as others, and have little weight.
"""

import os
from dataclasses import dataclass

from . import seeds as texts
from .mutations import mutated, mutated_words


@dataclass
class Input:
    words: list
    files: dict  # {name: bytes}


def pick_mutated(random, seeds):
    return mutated(random, random.choice(seeds), random.choice(seeds))


LIMIT = ["--time-limit", "5 s"]  # large inputs are meant to be refused, or ended with a word
ONE_SCENARIO = [
    ["run"], ["run", "--kernel", "both"], ["run", "--kernel", "simgrid"], ["run", "--no-skip"],
    ["run", "--json", "o.json", "--csv", "o.csv", "--trace", "t.json", "--timeline", "t.csv",
     "--paje", "p.trace"],
    ["compare", "--json", "o.json", "--csv", "o.csv"], ["explain"],
    ["explain", "--all", "--json", "o.json"], ["what-if", "--top", "3", "--json", "o.json"],
    ["check"], ["show", "--dot", "o.dot", "--simgrid", "o.xml", "--peers", "o.csv"],
    ["show", "--from", "0", "--to", "1"], ["lesson", "-o", "o.html"]]


def scenario(random, seeds):
    words = [*random.choice(ONE_SCENARIO), "s.yaml"]
    return Input(words + LIMIT * (words[0] not in ("check", "show")),
                 {"s.yaml": pick_mutated(random, seeds.scenarios)})


def study(random, seeds):
    text = mutated(random, random.choice([texts.SWEEP, texts.LATIN, texts.POINTS]),
                   random.choice(seeds.studies))
    files = {"s.yaml": texts.SMALL, "study.yaml": text}
    return Input(["sweep", "study.yaml", "--no-store", "--threads", "1", "--verify", "1", "--json",
                  "o.json", "--csv", "o.csv", *LIMIT], files)


def place(random, seeds):
    one = texts.ONE_JOB
    text = mutated(random, texts.PLACE, random.choice(seeds.studies))
    files = {"s.yaml": one, "study.yaml": text}
    if random.random() < 0.3:
        files = {"s.yaml": mutated(random, one, texts.SMALL), "study.yaml": texts.PLACE}
    words = ["place", "study.yaml", "--no-store", "--threads", "1", "--verify", "1", "--json",
             "o.json", "--rankfile", "o.rank", "--hostfile", "o.hosts", "--slurm", "o.slurm",
             "--time-limit", "3 s"]
    return Input(words, files)


def cluster(random, seeds):
    text = pick_mutated(random, seeds.clusters)
    if random.random() < 0.5:
        return Input([random.choice(["show", "check"]), "c.yaml"], {"c.yaml": text})
    return Input(["run", "s.yaml", *LIMIT], {
        "c.yaml": text, "s.yaml": texts.ONE_JOB.replace(b": pair", b": c.yaml")})


def library(random, seeds):
    one = texts.ONE_JOB.replace(b": openmpi_tcp", b": l.yaml")
    return Input(["run", "s.yaml", *LIMIT],
                 {"s.yaml": one, "l.yaml": pick_mutated(random, seeds.libraries)})


def calibration(random, seeds):
    one = texts.ONE_JOB.replace(b": openmpi_tcp", b": l.yaml").replace(b": pair", b": l.yaml")
    return Input(["run", "s.yaml", *LIMIT],
                 {"s.yaml": one, "l.yaml": pick_mutated(random, seeds.calibrations)})


def model(random, seeds):
    one = texts.ONE_JOB.replace(
        b"{collective: allreduce, algorithm: ring, bytes: 64 KiB}",
        b"{collective: training, algorithm: ddp, options: {model: m.yaml, steps: 1}}")
    return Input(["run", "s.yaml", *LIMIT],
                 {"s.yaml": one, "m.yaml": pick_mutated(random, seeds.models)})


def hostfile(random, seeds):
    one = texts.ONE_JOB.replace(b"2-2", b"{hostfile: hosts}")
    return Input(["run", "s.yaml", *LIMIT],
                 {"s.yaml": one, "hosts": mutated(random, texts.HOSTFILE, texts.HOSTFILE)})


def machine(random, seeds):
    words = ["import-machine", "m", "-o", "o.yaml"]
    if random.random() < 0.2:
        words += ["--format", random.choice(["hwloc", "nccl", "nvidia_smi", "rocm_smi"])]
    return Input(words, {"m": pick_mutated(random, seeds.machines)})


def fabric(random, seeds):
    words = ["import-fabric", "f", "-o", "o.yaml"]
    if random.random() < 0.2:
        words += ["--format", random.choice(["ibnetdiscover", "slurm_conf", "slurm_yaml",
                                             "topograph", "kubernetes", "nvidia_smi_q", "ec2"])]
    if random.random() < 0.2:
        words += ["--adapters"]
    return Input(words, {"f": pick_mutated(random, seeds.fabrics)})


def schedule(random, seeds):
    path = random.choice(sorted(seeds.schedules))
    name, kind = os.path.basename(path), os.path.splitext(path)[1]
    text = seeds.schedules[path]
    others = [other for other in seeds.schedules if other.endswith(kind)]
    known = {"ring_2.xml": "1-1", "ping_pong.goal": "1-1", "binary_tree_32.goal": "8-8-8-8"}
    placement = known.get(name, "2-2" if kind == ".xml" else "1-1")
    scenario_text = texts.SCHEDULED.replace(b"FILE", name.encode()).replace(
        b"PLACEMENT", placement.encode())
    if kind == ".goal":
        scenario_text = scenario_text.replace(b", bytes: 96 KiB", b"")
    if random.random() < 0.1:
        scenario_text = mutated(random, scenario_text, texts.SMALL)
    words = random.choice([["run", "s.yaml", *LIMIT], ["explain", "s.yaml", *LIMIT],
                           ["check", "s.yaml"], ["export", "s.yaml", "--goal", "o.goal"]])
    return Input(words, {"s.yaml": scenario_text,
                         name: mutated(random, text, seeds.schedules[random.choice(others)])})


COMMAND_LINES = [
    ["run", "s.yaml", *LIMIT, "--set", "placement=2-1", "--set", "job.bytes=[1 KiB, 1 MiB]"],
    ["run", "s.yaml", *LIMIT, "--set", "library.network.send_cost=2 ns/B", "--kernel", "fluid"],
    ["run", "s.yaml", "--json", "-", "--no-skip", *LIMIT], ["compare", "s.yaml", "s.yaml", *LIMIT],
    ["explain", "s.yaml", "--case", "s", "--all", *LIMIT],
    ["what-if", "s.yaml", "--top", "3", *LIMIT],
    ["show", "s.yaml", "--from", "0", "--to", "1"], ["show", "pair", "--dot", "o.dot"],
    ["check", "s.yaml", "pair"], ["list", "clusters"], ["list", "algorithms"], ["--version"],
    ["export", "s.yaml", "--goal", "o.goal"],
    ["lesson", "s.yaml", "-o", "o.html", *LIMIT], ["--help"], ["run", "--help"],
    ["place", "s.yaml", "--no-store", "--slots", "2", "--budget", "5", "--top", "3", "--csv", "-",
     "--time-limit", "3 s"],
    ["place", "--cluster", "pair", "--library", "ideal", "--ranks", "4", "--job",
     "allreduce/ring:1MiB", "--on", "core", "--baseline", "2-2", "--order", "ring", "--no-store",
     "--time-limit", "3 s"],
    ["sweep", "study.yaml", "--no-store", "--objective", "time_s", "--top", "5", "--verify", "1",
     *LIMIT],
    ["import-machine", "hosts", "--format", "nccl", "--hosts", "2", "--link", "100 Gbit/s"],
    ["import-fabric", "hosts", "--format", "slurm_conf", "--cores", "2", "--link", "100 Gbit/s",
     "--oversubscription", "2", "--host", "pair"]]


def command_line(random, seeds):
    lines = [[word.encode() for word in line] for line in COMMAND_LINES]
    files = {"s.yaml": texts.ONE_JOB, "study.yaml": texts.SWEEP, "hosts": texts.HOSTFILE}
    return Input(mutated_words(random, random.choice(lines), lines), files)


def measurement(random, seeds):
    if random.random() < 0.5:
        quick = ["--bootstrap", "1", "--rounds", "1"]  # a whole fit takes minutes
        return Input(["calibrate", "p.json", "-o", "o.yaml", *quick],
                     {"p.json": pick_mutated(random, seeds.probes)})
    return Input(["validate", "l.yaml", "r.json"],
                 {"l.yaml": random.choice(seeds.calibrations),
                  "r.json": pick_mutated(random, seeds.replays)})


def table(random, seeds):
    name = random.choice(["t.csv", "t.log"])
    return Input(["import", name, "-o", "o.json"], {name: pick_mutated(random, seeds.tables)})


ALL = [(40, scenario), (8, study), (8, place), (14, cluster), (8, library), (3, calibration),
       (4, model), (5, hostfile), (8, machine), (6, fabric), (8, schedule), (12, command_line),
       (0.3, measurement), (0.7, table)]


def make(random, seeds):
    weights, kinds = zip(*ALL)
    return random.choices(kinds, weights)[0](random, seeds)
