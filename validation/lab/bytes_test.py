# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do real libraries run what our algorithms are said to be? Their bytes on the wire tell.

Usage: python3 -m validation.lab.bytes_test BUILD
"""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

from validation.lab import lab_test
from validation.tune.decision import Decided, Range
from validation.tune.formats import mpich
from validation.tune.formats.format import Target
from validation.tune.formats.way import Choice


class Bytes(lab_test.Lab):
    """Does a library send between hosts what the algorithm declares that it is said to run?"""

    def sent(self, placement, repetitions, size, *words, **environment):
        """Bytes that all hosts have put on their cables, but for what they sent again."""
        scenario = self.scenario("allreduce", "recursive_doubling", f"{size} B")
        output = self.folder / "out.json"
        ran = lab_test.lab(
            "replay", scenario, "--placement", placement, "--build", self.build, *words, "-o",
            output, "--timeout", 60, "--", "--set", self.hosts(placement), "--call",
            "MPI_Allreduce", "--start", "barrier", "--repetitions", repetitions,
            "--max-repetitions", repetitions, "--warmups", 0, **environment)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        where = json.loads(output.read_text())["where"]
        return sum(host["sent_bytes"] - lab_test.PACKET * host["sent_again"]
                   for host in where["lab"]["wire"])

    def hosts(self, placement):
        return f"cluster.hosts={placement.count('-') + 1}"

    def declared(self, placement, algorithm, size):
        scenario = self.scenario("allreduce", algorithm, f"{size} B")
        ran = subprocess.run([self.build / "ringscope", "run", scenario, "--set",
                              f"placement={placement}", "--set", self.hosts(placement), "--json",
                              "-"], check=True, capture_output=True, text=True)
        return json.loads(ran.stdout)["cases"][0]["bytes_between_hosts"]

    def expect(self, placement, algorithm, size, *words, **environment):
        more = 20  # repetitions; what a launch and its checks send is in both counts
        first, then = (self.sent(placement, count, size, *words, **environment)
                       for count in (5, 5 + more))
        ratio = (then - first) / more / self.declared(placement, algorithm, size)
        self.assertGreater(ratio, 1.0)
        self.assertLess(ratio, 1.1)  # headers, and what a busy machine sends again

    def require_mpich(self):
        if not shutil.which("mpirun.mpich") or not (self.build / "ringscope-mpich").exists():
            self.skipTest("no MPICH here, or no ringscope-mpich")

    def test_two_levels_as_open_mpi_s_han(self):
        # In place 4.1.4's crashes on a second segment: there is one, of 64 KiB.
        self.expect("2-2-2-2-2", "han", 65536, "--mca", "coll_han_priority=100")

    def test_two_levels_as_mpich_chooses(self):
        self.require_mpich()
        self.expect("2-2-2-2-2", "mpich_4", 65536, "--mpi", "mpich")

    def test_mpich_obeys_the_selection_that_tune_writes(self):
        # By itself it takes Rabenseifner's, which sends three quarters of that.
        self.require_mpich()
        size = 65536
        name = "MPIR_Allreduce_intra_recursive_doubling"
        way = next(one for one in mpich.WAYS if one.says == name)
        ranges = [Range(0, size - 1, None), Range(size, size, Choice(way)),
                  Range(size + 1, None, None)]
        selection = self.folder / "selection.json"
        selection.write_text(mpich.write([Decided("allreduce", [], ranges)],
                                         Target(4, 1, "a test")))
        self.expect("1-1-1-1", "recursive_doubling", size, "--mpi", "mpich",
                    more={"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(selection)})


if __name__ == "__main__":
    lab_test.begin(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
