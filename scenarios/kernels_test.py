#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do all kernels, and a run whose steady periods are skipped, give every scenario the same times?

Usage: scenarios/kernels_test.py BUILD [MESSAGES]; on SimGrid run the cases of at most so many
messages, and of each scenario its smallest (default: all)
"""

import functools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from scripts.testing.fuzzing import parting

HERE = pathlib.Path(__file__).resolve().parent
NAMES = sorted(path.stem for path in (HERE / "lessons").glob("*.yaml"))
# Small enough for the reference kernel, which looks at everything at every instant.
PLAIN = ["01-two-hosts", "05-eager-and-rendezvous", "06-overlap", "11-the-wrong-socket"]
# Many messages that meet on links, where the last digit of a rate would become the second.
MEETINGS = """question: How long does an all-to-all over shared uplinks take?
cluster: two_level
library: openmpi_tcp
placement: {placement}
job: {{collective: alltoall, algorithm: pairwise, bytes: {bytes}}}
"""
# The same on a machine whose unit of time can be changed: rates times FASTER, times divided by it.
COUNTED = """question: How long does an all-to-all over shared uplinks take?
cluster: {{network: two_level, racks: 4, hosts_per_rack: 8, oversubscription: 4,
          link: {{bandwidth: {rate} Gbit/s, latency: {wire} us}}, host: {{type: simple, cores: 8}}}}
library:
  self: {{latency: {inside} us, eager_limit: unlimited}}
  shm: {{latency: {inside} us, eager_limit: 4 KiB, driver: receiver}}
  network: {{latency: {wire} us, send_overhead: {overhead} us, recv_overhead: {overhead} us,
            send_cost: {cost} ns/B, recv_cost: {cost} ns/B, eager_limit: 64 KiB, buffer: 1 MiB}}
placement: 8x16
job: {{collective: alltoall, algorithm: pairwise, bytes: 256 KiB}}
"""
TOLERANCE = 1e-9  # of the run's time
MOST_MESSAGES = None


def cases_of(name, *arguments):
    """The cases by their names, or the message of a run that cannot end."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.json"
        done = subprocess.run(
            [str(BUILD / "ringscope"), "run", name, "--json", str(file), *arguments],
            check=False, capture_output=True, text=True, cwd=HERE.parent, timeout=250,
        )
        if done.returncode:
            return done.returncode, done.stderr
        return {case["name"]: case for case in json.loads(file.read_text())["cases"]}


def small(cases):
    """Those of the cases that run on SimGrid, and the words that choose them."""
    if MOST_MESSAGES is None or isinstance(cases, tuple):
        return cases, ()
    most = max(MOST_MESSAGES, min(case["messages"] for case in cases.values()))
    cases = {name: case for name, case in cases.items() if case["messages"] <= most}
    return cases, [f"--case={name}" for name in cases]


def times_of(case):
    """Every time of a case, by what it is."""
    times = {"time": case["time_s"]}
    for rank in case["ranks"]:
        times[f"finish of rank {rank['rank']}"] = rank["finish_s"]
        for kind in ("seconds", "waited_for_s"):
            for what, seconds in rank[kind].items():
                times[f"{kind} of rank {rank['rank']}, {what}"] = seconds
    for phase in case["phases"]:
        times[f"start of {phase['name']}"] = phase["start_s"]
        times[f"end of {phase['name']}"] = phase["end_s"]
    return times


class KernelsTest(unittest.TestCase):
    def expect_same(self, reference, other):
        if isinstance(reference, tuple):
            self.assertEqual(other, reference)
            return
        self.assertEqual(list(other), list(reference))
        for case, expected in reference.items():
            got, wanted = times_of(other[case]), times_of(expected)
            self.assertEqual(got.keys(), wanted.keys())
            self.assertEqual(other[case]["messages"], expected["messages"])
            for what, seconds in wanted.items():
                self.assertAlmostEqual(
                    got[what], seconds, delta=TOLERANCE * expected["time_s"],
                    msg=f"{case}: {what}")

    def test_every_scenario_takes_as_long_on_both_kernels(self):
        for name in NAMES:
            with self.subTest(name):
                fluid = cases_of(name)
                self.expect_same(fluid, cases_of(name, "--no-skip"))
                chosen, words = small(fluid)
                self.expect_same(cases_of(name, "--kernel", "simgrid", *words), chosen)

    def test_small_scenarios_take_as_long_on_the_reference_kernel(self):
        for name in PLAIN:
            with self.subTest(name):
                self.expect_same(cases_of(name, "--kernel", "reference"), cases_of(name))

    def test_an_all_to_all_over_shared_uplinks_takes_the_same_to_the_last_digit(self):
        for placement, size, kernels in (("8x16", "256 KiB", ("fluid", "simgrid")),
                                         ("8x4", "64 KiB", ("fluid", "simgrid", "reference"))):
            with self.subTest(placement), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "meetings.yaml"
                file.write_text(MEETINGS.format(placement=placement, bytes=size))
                times = {cases_of(str(file), "--kernel", kernel)["meetings"]["time_s"]
                         for kernel in kernels}
                self.assertEqual(len(times), 1, times)

    @staticmethod
    @functools.cache
    def counted(faster):
        """(seconds, timeline's text) of COUNTED where all is `faster` times as fast."""
        with tempfile.TemporaryDirectory() as folder:
            file, timeline = (pathlib.Path(folder) / name for name in ("c.yaml", "t.csv"))
            file.write_text(COUNTED.format(
                rate=repr(10 * faster), wire=repr(5 / faster), inside=repr(0.3 / faster),
                overhead=repr(2 / faster), cost=repr(0.25 / faster)))
            case = cases_of(str(file), "--timeline", str(timeline))["c"]
            return case["time_s"], timeline.read_text()

    def test_a_unit_of_time_that_is_a_power_of_two_changes_no_digit(self):
        seconds, _ = self.counted(1.0)
        for faster in (0.5, 2.0, 4.0):
            self.assertEqual(self.counted(faster)[0] * faster, seconds)

    def test_with_another_unit_rounding_grows_from_message_to_message_and_by_no_jump(self):
        seconds, text = self.counted(1.0)
        ours = parting.rows_of(text)
        for faster in (3.0, 7.0, 10.0):
            other, text = self.counted(faster)
            parted = parting.apart(seconds, other * faster)
            self.assertIsNone(
                parting.begins_at_once(ours, parting.rows_of(text), faster, parted))
            self.assertLess(parted, 0.05)  # docs/explanation/determinism.md has this


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        MOST_MESSAGES = int(sys.argv.pop(1))
    unittest.main()
