# SPDX-License-Identifier: LGPL-2.1-or-later
"""Good inputs to start from: the project's own files, by kind, and those of the documentation."""

import glob
import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

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
SLURM_YAML = b"""- topology: fat
  cluster_default: true
  tree:
    switches:
      - {switch: core, children: "leaf[1-2]"}
      - {switch: leaf1, nodes: "n[1-4]"}
      - {switch: leaf2, nodes: "n[05-08],gpu1"}
- topology: blocks
  block: {block_sizes: [2], blocks: [{block: b1, nodes: "n[1-2]"}]}
"""
FABRIC = b"""network: fabric
link: {bandwidth: 50 GB/s, latency: 300 ns}
trunk: {latency: 130 ns}
host: {type: numa, sockets: 1, cores: 4, nics: [{}, {}]}
switches: [leaf1, leaf2, spine]
hosts:
  - {name: n1, to: [leaf1, leaf2]}
  - {name: n2, to: [{switch: leaf1, link: {bandwidth: 25 GB/s}}]}
trunks:
  - {from: leaf1, to: spine, cables: 2}
  - {from: leaf2, to: spine, link: {bandwidth: 25 GB/s}}
"""
SCHEDULED = b"""question: How long?
cluster: {network: star, hosts: 4, host: {type: simple, cores: 8},
  link: {bandwidth: 10 Gbit/s, latency: 1 us}}
library: openmpi_tcp
placement: PLACEMENT
job: {schedule: ./FILE, bytes: 96 KiB}
"""
MOST_RANKS = 128
HOSTFILE = b"host0 slots=2 # the first\nhost1:2\nhost1 slots=1 max_slots=4\n"


def read(*patterns):
    """{path in the project: bytes}, sorted by path."""
    found = {}
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path, "rb") as file:
                found[os.path.relpath(path, ROOT)] = file.read()
    return found


def ranks_of_replay(text):
    """The most ranks of a case: thousands of them are simulated for minutes, as they should be."""
    return max(one["parameters"].get("ranks_count", 0) for one in json.loads(text)["measurements"])


def documented(language):
    """The blocks of one language in scenarios/format.md."""
    with open(os.path.join(ROOT, "scenarios/format.md"), "rb") as file:
        text = file.read()
    return re.findall(rb"^```" + language + rb"[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


class Seeds:
    def __init__(self):
        whole = [text for text in documented(b"yaml") if b"question:" in text]
        self.scenarios = [SMALL] * 8 + list(read("scenarios/lessons/*.yaml").values()) + whole
        self.studies = list(read("scenarios/studies/*.yaml").values())
        self.clusters = list(read("topologies/clusters/*.yaml").values())
        self.libraries = list(read("scenarios/libraries/*.yaml").values())
        self.models = list(read("scenarios/models/*.yaml").values())
        machines = read("topologies/machines/*.xml", "topologies/machines/*.txt")
        self.machines = [text for text in machines.values() if len(text) < 150000]
        fabrics = read("topologies/fabrics/*.conf", "topologies/fabrics/*.yaml")
        self.fabrics = [*fabrics.values(), IBNETDISCOVER, SLURM_YAML]
        self.clusters += [FABRIC] * 2
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
