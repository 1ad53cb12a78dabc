# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a campaign's file mean the cases that it should, and is what it must not say refused?

Needs no root and starts no job.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import yaml

from validation.lab import cases, hosts, launch

HERE = pathlib.Path(__file__).resolve().parent

ONE = "placements: [4-3-1], algorithms: [ring], sizes: [1 MiB]"
LAB = str(HERE / "ringscope-lab")


class Plans(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.path = pathlib.Path(place.name) / "campaign.yaml"

    def read(self, text):
        self.path.write_text(text, encoding="utf-8")
        return cases.read(str(self.path), pathlib.Path("build"))

    def test_a_group_is_every_combination_of_its_lists(self):
        plan = self.read("groups: [{rates: [100 Mbit/s, 1 Gbit/s], placements: [4-2-2, 8], "
                         "algorithms: [ring, rabenseifner], sizes: [1 MiB, 64 KiB, 4 B]}]")
        self.assertEqual(len({case.name for case in plan.cases}), 2 * 2 * 2 * 3)
        self.assertEqual(plan.cases[0].name, "ring-4-2-2-100Mbit-1MiB")
        self.assertEqual(plan.cases[0].launch.placement, (4, 2, 2))

    def test_a_scenario_asks_the_simulator_the_same(self):
        case = self.read(f"groups: [{{{ONE}, rates: [1 Gbit/s], "
                         "costs: [4 ns/B + 12 ns/B]}]").cases[0]
        scenario = yaml.safe_load(case.scenario)
        self.assertEqual(scenario["placement"], "4-3-1")
        self.assertEqual(scenario["cluster"]["link"]["bandwidth"], "1 Gbit/s")
        self.assertEqual(scenario["job"],
                         {"collective": "allreduce", "algorithm": "ring", "bytes": "1 MiB"})
        self.assertEqual(case.launch.emulated(), "send 4 ns/B, receive 12 ns/B, slept")

    def test_the_example_is_a_plan(self):
        self.assertEqual(len(cases.read(str(HERE / "campaign.yaml"), pathlib.Path()).cases), 6)

    def test_invalid_campaign_is_rejected_with_its_place(self):
        for text, message in (
                ("", "the campaign: expected a map, got None"),
                ("groups: 3", "groups: expected a list, got 3"),
                ("{launches: 0, groups: []}", "launches: expected a number from 1, got 0"),
                (f"groups: [{{{ONE}, rate: 1}}]", "groups[0]: unknown key 'rate' (known: rates, "),
                ("groups: [{placements: [8], sizes: [1 B]}]",
                 "groups[0]: the key 'algorithms' is missing"),
                (f"groups: [{{{ONE}, costs: [8]}}]",
                 'groups[0].costs: expected cost such as "0.8 ns/B", got "8", which has no unit'),
                (f"groups: [{{{ONE}, mpi: lam}}]",
                 "groups[0].mpi: expected openmpi or mpich, got 'lam'"),
                (f"groups: [{{{ONE}}}, {{{ONE}}}]",
                 "two cases are called ring-4-3-1-unshaped-1MiB: give one group a label")):
            with self.subTest(text=text), self.assertRaises(hosts.InputError) as raised:
                self.read(text)
            self.assertIn(f"{self.path}: {message}", str(raised.exception))

    def test_invalid_yaml_is_rejected_with_its_line(self):
        with self.assertRaisesRegex(hosts.InputError, r":2:\d+: expected YAML, got no YAML"):
            self.read("launches: 1\ngroups: [3, }")


class Launches(unittest.TestCase):
    def test_a_placement_is_ranks_by_host(self):
        self.assertEqual(launch.parse_placement("8-0-0"), (8, 0, 0))
        for text in ("", "4--1", "4-x", "-4", "0-0", "513"):
            with self.subTest(text=text), self.assertRaises(hosts.InputError):
                launch.parse_placement(text)

    def test_a_placement_may_be_the_host_of_each_rank(self):
        text = "2,0,2"
        one = launch.Launch(launch.parse_placement(text), order=launch.parse_order(text))
        self.assertEqual(one.placement, (1, 0, 2))
        self.assertEqual(launch.host_lines(one), "host2\nhost0\nhost2\n")
        self.assertEqual(json.loads(one.scenario_placement()), [
            {"host": 2, "core": 0}, {"host": 0, "core": 0}, {"host": 2, "core": 1}])
        self.assertEqual((launch.parse_order("4-3-1"), launch.parse_order("8")), ((), ()))
        self.assertEqual(launch.Launch((4, 3, 1)).scenario_placement(), "4-3-1")

    def test_a_host_without_ranks_is_not_listed(self):
        self.assertEqual(launch.host_lines(launch.Launch((2, 0, 1))),
                         "host0 slots=2\nhost2 slots=1\n")

    def test_only_ranks_are_loaded_with_the_shim_and_ours_gives_way_to_the_user_s(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        build = pathlib.Path(place.name)
        (build / "libringscope_lab.so").touch()
        words = launch.openmpi_words(
            launch.Launch((1, 1), mca={"btl_tcp_sndbuf": "0"}, build=build), "hostfile")
        self.assertIn(f"LD_PRELOAD={build.resolve()}/libringscope_lab.so",
                      [after for word, after in zip(words, words[1:]) if word == "-x"])
        self.assertEqual([words[place + 1] for place, word in enumerate(words)
                          if word == "btl_tcp_sndbuf"], ["0"])


class NotRoot(unittest.TestCase):
    def test_missing_root_is_reported(self):
        words = [LAB, "up", "--hosts", "2"]
        if os.geteuid() == 0:
            if not shutil.which("setpriv"):
                self.skipTest("needs setpriv to stop being root")
            words = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *words]
        ran = subprocess.run(words, check=False, capture_output=True, text=True, timeout=20)
        self.assertEqual((ran.returncode, ran.stderr), (
            1, "ringscope-lab needs root, to make network namespaces: run it with sudo\n"))


if __name__ == "__main__":
    unittest.main()
