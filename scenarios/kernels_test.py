#!/usr/bin/python3
"""Do all kernels, and a run whose steady periods are skipped, give every scenario the same times?

Usage: scenarios/kernels_test.py BUILD
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

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
TOLERANCE = 1e-9  # of the run's time


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
    def expect_same(self, name, reference, other):
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
                simgrid = cases_of(name, "--kernel", "simgrid")
                for arguments in ((), ("--no-skip",)):
                    self.expect_same(
                        name, simgrid, cases_of(name, "--kernel", "fluid", *arguments))

    def test_small_scenarios_take_as_long_on_the_reference_kernel(self):
        for name in PLAIN:
            with self.subTest(name):
                self.expect_same(name, cases_of(name, "--kernel", "reference"),
                                 cases_of(name, "--kernel", "fluid"))

    def test_an_all_to_all_over_shared_uplinks_takes_the_same_to_the_last_digit(self):
        for placement, size, kernels in (("8x16", "256 KiB", ("fluid", "simgrid")),
                                         ("8x4", "64 KiB", ("fluid", "simgrid", "reference"))):
            with self.subTest(placement), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "meetings.yaml"
                file.write_text(MEETINGS.format(placement=placement, bytes=size))
                times = {cases_of(str(file), "--kernel", kernel)["meetings"]["time_s"]
                         for kernel in kernels}
                self.assertEqual(len(times), 1, times)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
