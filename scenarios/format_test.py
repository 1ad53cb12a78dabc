#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does format.md name every key that the program reads and no other, and do its examples run?

Usage: scenarios/format_test.py BUILD
What the program reads is in its own words: an unknown key draws a list of the known ones.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TEXT = (HERE / "format.md").read_text(encoding="utf-8")
GOOD = {
    "question": "q",
    "cluster": {
        "network": "star", "hosts": 2, "host": {"type": "simple"},
        "link": {"bandwidth": "1 GB/s", "latency": "1 us"},
    },
    "library": {
        way: {"latency": "0 s", "eager_limit": "1 KiB"} for way in ("self", "shm", "network")
    },
    "placement": {"hosts": "1-1"},
    "job": {"collective": "allreduce", "algorithm": "ring", "bytes": "1 KiB"},
}
TRANSPORT = "{latency: 0 s, eager_limit: 1 KiB}"
GPU_WAYS = [f"library.{way}={TRANSPORT}" for way in ("p2p", "staged", "gdr")]
PROTOCOL = "{start: 0 s, hop: 0 s, block: 1 GB/s}"
BLOCKS = GPU_WAYS + [
    f"library.blocks={{launch: 0 s, generation: ampere, LL: {PROTOCOL}, "
    f"LL128: {PROTOCOL}, Simple: {PROTOCOL}}}"]
CABLE = "{bandwidth: 1 GB/s, latency: 1 us}"
FAMILIES = {
    "star": ["cluster.hosts=2"],
    "two_level": ["cluster={base: two_level}"],
    "fat_tree": ["cluster={base: fat_tree}"],
    "torus": ["cluster={base: torus}"],
    "dragonfly": ["cluster={network: dragonfly, routers: 1, hosts_per_router: 1, "
                  "global_ports: 1, link: {bandwidth: 1 GB/s, latency: 1 us}, "
                  "host: {type: simple}}"],
    "rails": ["cluster={network: rails, hosts_per_pod: 2, rails: 1, spines: 0, "
              "link: {bandwidth: 1 GB/s, latency: 1 us}, host: {type: simple}}"],
    "fabric": ["cluster.network=fabric", "cluster.switches=[a, b]",
               "cluster.hosts=[{name: host0, to: [a]}, {name: host1, to: [b]}]",
               "cluster.trunks=[{from: a, to: b}]"],
}
HOSTS = {
    "simple": ["cluster.host={type: simple}"],
    "numa": ["cluster.host={type: numa}"],
    "custom": [f"cluster.host={{type: custom, domains: [{{}}], "
               f"links: [{{from: numa0, to: nic0, {CABLE[1:-1]}}}]}}"],
    "pcie_tree": [f"cluster.host={{type: pcie_tree, switch_uplink: {CABLE}, gpu: {CABLE}}}"],
}
# Maps of a scenario: what to set first in each, and where it stands.
MAPS = {
    "scenario": ([], ""),
    "job": ([], "job."),
    "library": (["library.base=ideal"], "library."),
    "transport": ([], "library.shm."),
    "gpu_work": (GPU_WAYS, "library.gpu."),
    "blocks": (BLOCKS, "library.blocks."),
    "protocol": (BLOCKS, "library.blocks.LL."),
    "spread": (["library.spread={}"], "library.spread."),
    "neighbour": (["neighbours.x={placement: [{host: 0}, {host: 1}], job: "
                   "{collective: broadcast, algorithm: flat, bytes: 1 B}}"], "neighbours.x."),
    "storage": (["storage={bandwidth: 1 GB/s}"], "storage."),
    "noise": (["job.noise={spread: 0}"], "job.noise."),
    "detours": (["job.noise.detours={every: 1 s, takes: 1 s}"], "job.noise.detours."),
    "stragglers": (["job.noise.stragglers={ranks: [], slowdown: 1}"], "job.noise.stragglers."),
    **{family: (changes, "cluster.") for family, changes in FAMILIES.items()},
    **{host: (changes, "cluster.host.") for host, changes in HOSTS.items()},
    "cable": ([], "cluster.link."),
    "uplink": (FAMILIES["two_level"], "cluster.uplink."),
    "gpu": (HOSTS["pcie_tree"], "cluster.host.gpu."),
    "staging": ([*HOSTS["pcie_tree"], "cluster.host.staging={latency: 0 s}"],
                "cluster.host.staging."),
    "nvlink": (HOSTS["pcie_tree"] + [f"cluster.host.nvlink={CABLE}"], "cluster.host.nvlink."),
    "nvswitch": (HOSTS["pcie_tree"] + [f"cluster.host.nvswitch={CABLE}"], "cluster.host.nvswitch."),
    "socket_link": (HOSTS["numa"], "cluster.host.socket_link."),
    "nic": (HOSTS["numa"], "cluster.host.nic."),
    "switch_nic": (HOSTS["pcie_tree"] + ["cluster.host.nic={switch: 0}"], "cluster.host.nic."),
    "placement": ([], "placement."),
    "memory": (["placement.memory={bind: 0}"], "placement.memory."),
    **{form: ([f"placement={{{form}: x}}"], "placement.") for form in ("tf_config", "pinning")},
    "hostfile": (["placement={hostfile: hosts}"], "placement.")}
# Maps of a study, each around a key that is unknown.
STUDIES = {
    "study": lambda bad: {"scenario": "good.yaml", **bad},
    "sweep": lambda bad: {"scenario": "good.yaml", "sweep": bad},
    "latin": lambda bad: {"scenario": "good.yaml", "sweep": {"latin": {
        "n": 1, "keys": {}, **bad}}},
    "range": lambda bad: {"scenario": "good.yaml", "sweep": {"grid": {"job.bytes": {
        "from": "1 B", "to": "2 B", "steps": 2, **bad}}}},
}
LAYER = "{name: a, parameters: 1, flops: 1}"
MODEL = f"{{records: 1, record: 1 B, batch: 1, step: 1 s, layers: [{LAYER}]}}"
TRAINING = ["job.bytes=null", "job.collective=training", "job.algorithm=ddp",
            f"job.options.model={MODEL}"]
MAPS["model"] = (TRAINING, "job.options.model.")
MAPS["input"] = (TRAINING + ["job.options.input.rate=1"], "job.options.input.")
MAPS["stalls"] = (TRAINING + ["job.options.input={rate: 1, stalls: {every: 1 s, takes: 1 s}}"],
                  "job.options.input.stalls.")
MAPS["checkpoint"] = (TRAINING + ["job.options.checkpoint.every=1"], "job.options.checkpoint.")
LANGUAGE = "{experts: 4, layers: 2, hidden: 4, heads: 2, sequence: 8}"
CHIP = "{flops: 1e12, memory_bandwidth: 1 GB/s}"
PROGRAM = ["job.bytes=null", "job.collective=null", "job.algorithm=null", "job.program=llm",
           f"job.options.model={LANGUAGE}", f"job.options.gpu={CHIP}"]
MAPS["language_model"] = (PROGRAM, "job.options.model.")
MAPS["chip"] = (PROGRAM, "job.options.gpu.")
MAPS["sizes"] = (["job.collective=alltoallv", "job.algorithm=posted",
                  "job.options.sizes={imbalance: 1}"], "job.options.sizes.")
MAPS["compression"] = (TRAINING + ["job.options.compression.ratio=1"], "job.options.compression.")
MAPS["startup"] = (TRAINING + ["job.options.startup.broadcast=binomial"], "job.options.startup.")
SERVERS = TRAINING + ["job.algorithm=parameter_server", "job.options.serialisation.tensor=0 s"]
MAPS["serialisation"] = (SERVERS, "job.options.serialisation.")
MAPS["trace"] = (["job={trace: {files: all_reduce_4, every_rank_as: 0}}"], "job.trace.")
MAPS["routing"] = (PROGRAM + ["job.options.routing.imbalance=1"], "job.options.routing.")
MAPS["groups"] = (PROGRAM, "job.groups.")
STEPS = [{"compute": "1 s"}, {"delay": "1 s"}, {"load": "1 B"}, {"store": "1 B"}, {"wait": "a"},
         {"send": "1 B", "to": "next"}, {"receive": "1 B", "from": "next"}, {"allreduce": "1 B"},
         {"together": [{"send": "1 B", "to": 1}]}, {"repeat": 2, "steps": [{"wait": "a"}]}]
OPTIONS = {
    "segment": ["job.algorithm=ring_segmented"], "sizes": MAPS["sizes"][0][:2],
    "rounds": ["job.collective=pingpong", "job.algorithm=blocking"],
    "compute": ["job.collective=overlap", "job.algorithm=sender"],
    "root": ["job.collective=broadcast", "job.algorithm=binomial"],
    "rings": ["job.algorithm=parallel_rings"], "threads": ["job.algorithm=ring_threads"],
    **dict.fromkeys(("algorithm", "protocol", "channels", "sms", "gpus_per_thread"),
                    ["job.algorithm=nccl"]),
    **{option: ["job.algorithm=two_level"] for option in ("inside", "between", "item")},
    **dict.fromkeys(("servers", "steps", "update", "bound"),
                    ["job.collective=parameter_server", "job.algorithm=stale_synchronous"]),
    **dict.fromkeys(("model", "batch", "exchange", "overlap", "bucket", "input", "checkpoint",
                     "element", "compression", "startup", "epochs"), TRAINING),
    **{option: [*TRAINING, "job.algorithm=asynchronous_parameter_server"]
       for option in ("serialisation", "staging", "n_push", "n_fetch")},
    **dict.fromkeys(("pause", "default_stream", "push_share", "own_copy"),
                    ["job.collective=streaming_exchange", "job.algorithm=free_running"]),
    **dict.fromkeys(("fusion", "cycle"), [*TRAINING, "job.algorithm=horovod"]),
    "bytes_per_pack": [*TRAINING, "job.algorithm=multi_worker_mirrored"],
    **{option: PROGRAM for option in
       ("gpu", "efficiency", "sequence", "micro_batch", "micro_batches", "schedule",
        "sequence_parallel", "zero", "shard", "prefetch", "tensor_exchange", "expert_exchange",
        "routing")},
    "stage_parts": PROGRAM + ["placement=1x2", "job.groups={pp: 2}",
                              "job.options.schedule=interleaved", "job.options.micro_batches=2",
                              "job.options.model.layers=4"],
}


def rows():
    """The tables' rows as (map, key, default); a row may be of several maps."""
    of_table = None
    for line in TEXT.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            of_table = None
        elif of_table is None:
            of_table = cells[0]
        elif cells[0].startswith("`") and len(cells) > 2:
            maps, default = (cells[1], cells[3]) if of_table == "key" else (of_table, cells[2])
            for one in maps.split(", "):
                yield one, cells[0].strip("`"), default


def fabric(host, trunks):
    """A fabric of two switches whose only host has these keys, too."""
    return {**GOOD["cluster"], "network": "fabric", "switches": ["a", "b"],
            "hosts": [{"name": "n", "to": ["a"], **host}], "trunks": trunks}


def custom(parts):
    return {**GOOD["cluster"], "host": {"type": "custom", "domains": [{}], **parts}}


def documented(*maps):
    return {key for of_map, key, _ in rows() if of_map in maps}


class Format(unittest.TestCase):
    build = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("hosts", "host0 slots=1\nhost1 slots=1\n")
        self.write("good.yaml", json.dumps(GOOD))

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def run_file(self, name, changes=(), arguments=()):
        sets = [word for change in changes for word in ("--set", change)]
        return self.program("run", name, *sets, *arguments)

    def program(self, *words):
        return subprocess.run([str(self.build / "ringscope"), *words], check=False,
                              capture_output=True, text=True, cwd=self.folder, timeout=60)

    def known(self, changes, place):
        error = self.run_file("good.yaml", [*changes, f"{place}zzz=1"]).stderr
        found = re.search(r"unknown key 'zzz'.* \(known: ([^)]*)\)", error)
        self.assertTrue(found, error)
        return set(found[1].split(", "))

    def test_every_known_key_is_documented_and_no_other(self):
        for name, (changes, place) in MAPS.items():
            with self.subTest(name):
                if name in FAMILIES:  # a base is resolved before the rest is read
                    expected = documented("cluster", name) - {"base"}
                else:
                    expected = documented(name)
                self.assertEqual(self.known(changes, place), expected)

    def test_the_keys_of_options_cases_and_lists(self):
        self.assertEqual(documented("options"), set(OPTIONS))
        for option, changes in OPTIONS.items():
            self.assertIn(option, self.known(changes, "job.options."))
        for name, key, value in (
            ("case", "cases", [{"name": "a", "zzz": 1}]),
            ("list", "placement", [{"host": 0, "zzz": 1}]),
            ("uncached", "library", {**GOOD["library"], "uncached": [{"above": "1 B", "zzz": 1}]}),
            ("band", "library", {"base": "ideal", "spread": {"one_host": [{"low": 1, "high": 1,
                                                                       "a": 1}]}}),
            ("degraded", "cluster", {**GOOD["cluster"], "degraded": [
                {"link": "host0/nic0->switch", "share": 1, "zzz": 1}]}),
            ("unlike", "cluster", {**GOOD["cluster"], "unlike": [
                {"hosts": ["host0"], "host": {"cores": 2}, "zzz": 1}]}),
            ("domain", "cluster", custom({"domains": [{"zzz": 1}]})),
            ("custom_gpu", "cluster", custom({"gpus": [{"zzz": 1}]})),
            ("custom_link", "cluster", custom({"links": [
                {"from": "numa0", "to": "nic0", "bandwidth": "1 B/s", "latency": "0 s",
                 "zzz": 1}]})),
            ("fabric_host", "cluster", fabric({"zzz": 1}, [])),
            ("fabric_to", "cluster", fabric({"to": [{"switch": "a", "zzz": 1}]}, [])),
            ("trunks", "cluster", fabric({}, [{"from": "a", "to": "b", "zzz": 1}])),
        ):
            self.write("bad.yaml", json.dumps({**GOOD, key: value}))
            found = re.search(r"known: ([^)]*)", self.run_file("bad.yaml").stderr)
            self.assertEqual(set(found[1].split(", ")), documented(name))

    def test_a_missing_key_is_not_taken_for_another_misspelt(self):
        """Each other key of a map stands there, one by one, while a required one is missing."""
        for of_map in {one for one, _, _ in rows()} & set(MAPS):
            keys = {key: default for one, key, default in rows() if one == of_map}
            changes, place = MAPS[of_map]
            for key in (key for key, default in keys.items() if default == "**required**"):
                for other in keys.keys() - {key}:
                    error = self.run_file(
                        "good.yaml", [*changes, f"{place}{other}=1", f"{place}{key}=null"]).stderr
                    self.assertNotIn(f"unknown key '{other}'", error, f"{of_map}.{key}")

    def test_the_keys_of_steps(self):
        found = {"allreduce"}
        for step in STEPS:
            self.write("bad.yaml", json.dumps({**GOOD, "job": {"program": [{**step, "zzz": 1}]}}))
            found |= {*re.split(r"known: |\)", self.run_file("bad.yaml").stderr)[1].split(", ")}
        self.assertEqual(found, documented("step") | {"allreduce"})

    def test_the_keys_of_a_study(self):
        for name, around in STUDIES.items():
            with self.subTest(name):
                self.write("study.yaml", json.dumps(around({"zzz": 1})))
                error = self.program("sweep", "study.yaml", "--no-store").stderr
                found = re.search(r"unknown key 'zzz'.* \(known: ([^)]*)\)", error)
                self.assertTrue(found, error)
                self.assertEqual(set(found[1].split(", ")), documented(name))

    def test_every_map_in_the_tables_is_one_of_these(self):
        known = {*MAPS, "cluster", "options", "case", "band", "list", "layer", "degraded", "needs",
                 "uncached", "unlike", "domain", "custom_gpu", "custom_link", "fabric_host",
                 "fabric_to", "trunks", "step", *STUDIES}
        self.assertEqual({of_map for of_map, _, _ in rows() if of_map} - known, set())

    def test_every_key_of_place_is_documented_and_no_other(self):
        self.write("study.yaml", json.dumps({"scenario": GOOD, "place": {"zzz": 1}}))
        done = self.program("place", "study.yaml")
        found = re.search(r"unknown key 'zzz'.* \(known: ([^)]*)\)", done.stderr)
        section = TEXT[TEXT.index("## Studies of placements"):]
        keys = re.findall(r"^- `(\w+)`:", section[:section.index("## Examples")], re.M)
        self.assertEqual(sorted(found[1].split(", ")), sorted(keys))

    def resolved(self, changes, place):
        done = self.run_file("good.yaml", changes, ("--json", "-"))
        self.assertEqual(done.returncode, 0, done.stderr)
        here = json.loads(done.stdout)["cases"][0]["scenario"]
        for key in filter(None, place.split(".")):
            here = here[key]
        return here

    def test_every_default_is_the_one_that_is_resolved(self):
        maps = {**MAPS, "cluster": ([], "cluster."), "library": ([], "library.")}
        compared = 0
        for of_map, key, default in rows():
            if of_map not in maps and of_map != "options":
                continue
            changes, place = maps.get(of_map) or (OPTIONS[key], "job.options.")
            if default[:1] != "`" or default == "`{}`" or of_map in ("hostfile", "tf_config"):
                continue
            if of_map == "placement" or of_map in FAMILIES:  # a base has values of its own
                continue
            with self.subTest(f"{of_map}.{key}"):
                value = self.resolved(changes, place)[key]
                self.assertEqual(f"`{value}`", default)
                compared += 1
        self.assertGreater(compared, 30)

    def test_every_example_runs(self):
        for name, text in re.findall(r"^```hostfile (\S+)\n(.*?)^```", TEXT, re.M | re.S):
            self.write(name, text)
        examples = re.findall(r"^```yaml\n(question:.*?)^```", TEXT, re.M | re.S)
        self.assertGreaterEqual(len(examples), 3)
        for example in examples:
            self.write("example.yaml", example)
            done = self.run_file("example.yaml")
            self.assertEqual((done.returncode, done.stderr), (0, ""), example)


def main():
    Format.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
