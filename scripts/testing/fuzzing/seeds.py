# SPDX-License-Identifier: LGPL-2.1-or-later
"""Good inputs to start from: the project's own files, by kind, and those of the documentation."""

import ast
import glob
import gzip
import json
import os
import re

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))

# Small, so that most runs take milliseconds.
SMALL = b"""question: How long?
cluster: {network: star, hosts: 4, host: {type: simple, cores: 4, memory_bandwidth: 20 GB/s},
  link: {bandwidth: 10 Gbit/s, latency: 1 us}}
library:
  endpoints: 2
  reduce_cost: 0.2 ns/B
  self: {latency: 0.1 us, eager_limit: 4 KiB, send_cost: 0.1 ns/B}
  shm: {latency: 0.5 us, eager_limit: 4 KiB, send_cost: 0.2 ns/B, recv_cost: 0.2 ns/B}
  network: {latency: [{up_to: 1 KiB, time: 5 us}, {time: 9 us, cost: 0.1 ns/B}],
    eager_limit: 64 KiB, send_cost: 1 ns/B, recv_cost: 1 ns/B, jitter: 1 us}
placement: 2-2-1
job: {collective: allreduce, algorithm: ring, bytes: [1 KiB, 1 MiB], repetitions: 2, seed: 3,
  skew: 1 us, noise: {spread: 0.1, detours: {every: 1 ms, takes: 10 us},
  stragglers: {ranks: [1], slowdown: 2}}}
cases:
  - {name: one, set: {library.endpoints: 1}}
  - {name: two, set: {placement.bind: numa}}
"""
SWEEP = b"""question: Which is faster?
scenario: s.yaml
sweep:
  grid:
    job.algorithm: [ring, recursive_doubling]
    job.bytes: {from: 1 KiB, to: 64 KiB, steps: 3, scale: log}
metrics: [time_s, busbw, critical_path.copy]
"""
LATIN = b"""scenario: s.yaml
sweep:
  latin: {n: 5, seed: 2, keys: {library.network.send_cost: {from: 1 ns/B, to: 9 ns/B}}}
"""
POINTS = b"""scenario: s.yaml
sweep:
  points: [{placement: 2-2}, {placement: 4-0, job.bytes: 1 KiB}]
"""
PLACE = b"""question: Where to put them?
scenario: s.yaml
place: {slots: 4, budget: 20, order: any, seed: 2}
"""
ONE_JOB = b"""question: How long?
cluster: pair
library: openmpi_tcp
placement: 2-2
job: {collective: allreduce, algorithm: ring, bytes: 64 KiB}
"""
IBNETDISCOVER = b"""#
# Topology file: generated

switchguid=0x1(1)
Switch	36 "S-1"		# "MF0;leaf1:X/U1" enhanced port 0 lid 1 lmc 0
[1]	"H-1"[1](1) 		# "n1 mlx5_0" lid 2 4xNDR
[2]	"H-2"[1](2) 		# "n2 mlx5_0" lid 3 2xHDR
[35]	"S-2"[1]		# "MF0;spine1:X/U1" lid 9 4xNDR
[36][ext 1]	"S-2"[2]		# "MF0;spine1:X/U1" lid 9 4xNDR

Switch	36 "S-2"		# "MF0;spine1:X/U1" enhanced port 0 lid 9 lmc 0
[1]	"S-1"[35]		# "MF0;leaf1:X/U1" lid 1 4xNDR
[3]	"H-3"[1](3) 		# "Mellanox Technologies Aggregation Node" lid 4 4xNDR

caguid=0x1
Ca	1 "H-1"		# "n1 mlx5_0"
[1](1) 	"S-1"[1]		# lid 2 lmc 0 "MF0;leaf1:X/U1" lid 1 4xNDR
"""
SCHEDULED = b"""question: How long?
cluster: {network: star, hosts: 4, host: {type: simple, cores: 8},
  link: {bandwidth: 10 Gbit/s, latency: 1 us}}
library: openmpi_tcp
placement: PLACEMENT
job: {schedule: ./FILE, bytes: 96 KiB}
"""
RECORDED = [b"""ringscope-calls 1
rank %d of 2
host node%d
mpi Open MPI v4.1.4
program p
clock wall
communicator 0 0-1
communicator 1 0,1
7603 186795 split gives=1
3150 888 irecv from=any tag=any room=1000 request=0
249 2157 isend to=%d tag=1 bytes=1000 request=1
101757 156497 waitall done=0:%d:1:1000,1
634 211198 allreduce bytes=800
5 9 poll calls=3
953 6358 ibcast bytes=77 root=0 in=1 request=2
1 9 wait done=2
0 9 alltoallv parts=2x16
0 9 gatherv bytes=8 root=1
12222 34 finalize
""" % (rank, rank, 1 - rank, 1 - rank) for rank in range(2)]
ESCAPED = {b"n": b"\n", b"t": b"\t"}
BETWEEN = b"\n====\n"  # files of one input, as targets/target.hpp has it
MOST_RANKS = 128
NODE_LISTS = [
    b"NODELIST NODES PARTITION STATE\nhost[0-1] 2 all* idle~\nhost2 1 all* mix\n",
    b"JOBID USER ST NODES NODELIST(REASON)\n7 a R 2 host[0,2]\n8 b PD 1 (Resources)\n",
    b"NodeName=host0 CPUAlloc=1 CPUTot=4 Gres=gpu:a:4(S:0) GresUsed=gpu:a:1(IDX:0) State=MIXED\n",
    b'{"jobs": [{"job_state": ["RUNNING"], "nodes": "host[0-1]"}]}',
    b'{"items": [{"kind": "Node", "metadata": {"name": "host0"}, "spec": {"taints": []}, "status": '
    b'{"allocatable": {"cpu": "3900m", "nvidia.com/gpu": "4"}, "conditions": []}}]}']
HOSTFILE = b"host0 slots=2 # the first\nhost1:2\nhost1 slots=1 max_slots=4\n"


def read(*patterns):
    """{path in the project: bytes}, sorted by path."""
    found = {}
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path, "rb") as file:
                found[os.path.relpath(path, ROOT)] = file.read()
    return found


def in_tests(*patterns):
    """Texts of several lines that tests hold as strings, raw ones and pieces in a row."""
    found = []
    for path, text in read(*patterns).items():
        if path.endswith(".py"):
            found += [node.value.encode() for node in ast.walk(ast.parse(text))
                      if isinstance(node, ast.Constant) and isinstance(node.value, str)]
            continue
        found += [text for _, text in re.findall(rb'R"(\w*)\((.*?)\)\1"', text, re.DOTALL)]
        for row in re.findall(rb'(?:"(?:\\.|[^"\\\n])*"\s*)+', text):
            pieces = b"".join(re.findall(rb'"((?:\\.|[^"\\\n])*)"', row))
            found.append(re.sub(rb"\\(.)", lambda it: ESCAPED.get(it[1], it[1]), pieces))
    return [text for text in found if b"\n" in text]


def ranks_of_replay(text):
    """The most ranks of a case: thousands of them are simulated for minutes, as they should be."""
    return max(one["parameters"].get("ranks_count", 0) for one in json.loads(text)["measurements"])


def documented(language):
    """The blocks of one language in scenarios/format/."""
    text = b"\n".join(read("scenarios/format.md", "scenarios/format/*.md").values())
    return re.findall(rb"^```" + language + rb"[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def without_lesson(text):
    """A scenario without the lesson of the course, of which the program reads nothing."""
    return re.sub(rb"^lesson:\n(?:(?: .*)?\n)*", b"", text, flags=re.MULTILINE)


class Seeds:
    def __init__(self):
        whole = [text for text in documented(b"yaml") if b"question:" in text]
        lessons = map(without_lesson, read("scenarios/lessons/*.yaml").values())
        self.scenarios = [SMALL + b"lesson: {title: Any}\n", *[SMALL] * 7, *lessons, *whole]
        self.studies = list(read("scenarios/studies/*.yaml").values())
        self.clusters = list(read("topologies/clusters/*.yaml").values())
        self.libraries = list(read("scenarios/libraries/*.yaml").values())
        self.models = list(read("scenarios/models/*.yaml").values())
        machines = read("topologies/machines/*.xml", "topologies/machines/*.txt")
        self.machines = [text for text in machines.values() if len(text) < 150000]
        fabrics = read("topologies/fabrics/*.conf", "topologies/fabrics/*.yaml")
        self.fabrics = [*fabrics.values(), IBNETDISCOVER,
                        *in_tests("topologies/imports/fabrics/*_test.cpp")]
        self.clusters += in_tests("topologies/networks/*_test.cpp")
        self.schedules = read("scenarios/schedules/*.xml", "scenarios/schedules/*.json",
                              "scenarios/schedules/*.goal")
        self.calibrations = list(read("validation/results/published/*.yaml").values())
        self.probes = list(read("validation/results/published/*.probes.json",
                                "validation/results/published/ib.*.json").values())
        self.replays = [text for text in read("validation/results/published/*.replay.json",
                                              "validation/results/lab/anomaly/*.json").values()
                        if ranks_of_replay(text) <= MOST_RANKS]
        tables = read("validation/published/*.csv", "validation/published/*.log")
        self.tables = list(tables.values())
        self.traces = list(read("validation/traces/*.csv").values())


def by_target():
    """Texts to begin with, by the name of a fuzz target (targets/NAME_target.cpp; logs.py)."""
    seeds = Seeds()
    traces = read("scenarios/traces/all_reduce_4.*.et", "scenarios/traces/ring_8.*.et.gz")
    ring = [gzip.decompress(text) for path, text in traces.items() if path.endswith(".gz")]
    one = [text for path, text in traces.items() if path.endswith(".et")]
    profile = json.loads(gzip.decompress(*read("scenarios/traces/ddp.0.json.gz").values()))
    kinds = {(event.get("cat"), event["name"][:4]): event for event in profile["traceEvents"]}
    kineto = {"distributedInfo": {"world_size": 1}, "traceEvents": list(kinds.values())[:20]}
    return {
        "yaml": seeds.scenarios + seeds.studies + seeds.models,
        "scenario": [text for text in seeds.scenarios + in_tests(
            "sim/tests/*_test.cpp", "scenarios/*/*_test.cpp") if b"trace:" not in text],
        "cluster": seeds.clusters + in_tests("topologies/*_test.cpp"),
        "library": seeds.libraries + in_tests("scenarios/library/*_test.cpp"),
        "hostfile": [HOSTFILE, *NODE_LISTS],
        "machine": seeds.machines + in_tests("topologies/imports/*_test.cpp"),
        "fabric": seeds.fabrics,
        "nccl_rings": in_tests("nccl/logs/*_test.cpp"),
        **{name: list(read(f"scenarios/schedules/*.{ending}").values())
           for name, ending in (("msccl", "xml"), ("mscclpp", "json"), ("goal", "goal"))},
        "chakra": [BETWEEN.join(one), BETWEEN.join(ring)], "kineto": [json.dumps(kineto).encode()],
        "recorded": [BETWEEN.join(RECORDED)],
        "logs": seeds.tables + in_tests("validation/calibration/imports/*_test.py")}
