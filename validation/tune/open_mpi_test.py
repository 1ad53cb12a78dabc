# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the Open MPI of this machine do what our rules say, and call its algorithms what we do?

Usage: python3 -m validation.tune.open_mpi_test BUILD
Ends with 77 where there is no Open MPI or no program for it. What it does is seen by the messages
that its component `monitoring` counts.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from validation.executors.mpi.jobs_for_test import ENVIRONMENT
from validation.tune.decision import Decided, Range
from validation.tune.formats import open_mpi
from validation.tune.formats.format import Target
from validation.tune.formats.way import Choice

SKIPPED = 77
BUILD = pathlib.Path(".")
RANKS = 8
SCENARIO = """question: Which algorithm runs?
cluster: pair
library: openmpi_tcp
placement: "8"
job: {{collective: allreduce, algorithm: open_mpi_tuned, bytes: {size} B}}
"""


def way(collective: str, says: str):
    return next(one for one in open_mpi.WAYS if (one.collective, one.says) == (collective, says))


class Names(unittest.TestCase):
    def test_our_numbers_are_those_that_ompi_info_lists(self):
        if not shutil.which("ompi_info"):
            self.skipTest("there is no ompi_info")
        listed = subprocess.run(["ompi_info", "--param", "coll", "tuned", "--level", "9",
                                 "--parsable"], check=True, capture_output=True, text=True).stdout
        for one in open_mpi.WAYS:
            name = {"broadcast": "bcast"}.get(one.collective, one.collective)
            self.assertRegex(listed, re.compile(
                rf"coll_tuned_{name}_algorithm:enumerator:value:{one.number}:{one.says}$", re.M))


class Rules(unittest.TestCase):
    def sent(self, size: int, rules: str) -> dict:
        """{receiver: bytes that rank 0 sent it}, less what rank 5 got, to which no algorithm sends
        and rank 0 does what it does with all, such as to check the sums."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "rules").write_text(rules, encoding="utf-8")
            (place / "x.yaml").write_text(SCENARIO.format(size=size), encoding="utf-8")
            mca = {"pml_monitoring_enable": "1", "pml_monitoring_enable_output": "3",
                   "pml_monitoring_filename": str(place / "counted"),
                   "coll_tuned_use_dynamic_rules": "1",
                   "coll_tuned_dynamic_rules_filename": str(place / "rules")}
            words = ["mpirun.openmpi", "-n", str(RANKS)]
            for key, value in mca.items():
                words += ["--mca", key, value]
            words += [str(BUILD / "ringscope-mpi"), "replay", str(place / "x.yaml"), "--call",
                      "MPI_Allreduce", "--warmups", "0", "--repetitions", "1",
                      "--max-repetitions", "1", "-o", str(place / "out.json")]
            ran = subprocess.run(words, check=False, capture_output=True, text=True, timeout=100,
                                 stdin=subprocess.DEVNULL, env=ENVIRONMENT, cwd=folder)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            lines = (place / "counted.0.prof").read_text(encoding="utf-8").splitlines()
        found: dict = {}
        for line in lines:
            parts = re.match(r"[EI]\t0\t(\d+)\t(\d+) bytes", line)
            if parts:
                found[int(parts[1])] = found.get(int(parts[1]), 0) + int(parts[2])
        return {rank: count - found.get(5, 0) for rank, count in found.items()}

    def rules(self, first: int, last: int, says: str, ranks: int = RANKS) -> str:
        choice = Choice(way("allreduce", says))
        ranges = [Range(0, first - 1, None), Range(first, last, choice),
                  Range(last + 1, None, None)]
        return open_mpi.write([Decided("allreduce", [], ranges)], Target(ranks, 1, "a test"))

    def test_a_ring_runs_in_its_range_and_the_library_s_own_choice_outside(self):
        # The own choice of 1 MiB on 8 ranks, Rabenseifner's, sends an eighth or more to rank 4;
        # a ring nothing, and 2 * 7/8 of the vector to rank 1.
        size = 1 << 20
        for first, last, ring in ((size, size, True), (size + 1, 2 * size, False),
                                  (1, size - 1, False)):
            sent = self.sent(size, self.rules(first, last, "ring"))
            if ring:
                self.assertLess(sent[4], size / 8)
                runs = sent[1] / (2 * size * 7 / 8)  # more than one where a start was missed
                self.assertGreaterEqual(round(runs), 1)
                self.assertAlmostEqual(runs, round(runs), delta=0.05)
            else:
                self.assertGreaterEqual(sent[4], size / 8)

    def test_rules_for_other_ranks_change_nothing(self):
        size = 1 << 20
        for ranks in (RANKS - 1, RANKS + 1):
            sent = self.sent(size, self.rules(1, 2 * size, "ring", ranks))
            self.assertGreaterEqual(sent[4], size / 8)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    if not (shutil.which("mpirun.openmpi") and os.access(BUILD / "ringscope-mpi", os.X_OK)):
        print("there is no Open MPI, or no ringscope-mpi")
        sys.exit(SKIPPED)
    unittest.main()
