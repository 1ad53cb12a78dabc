# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the MPICH of this machine read the selection that we write for it?

Usage: python3 -m validation.tune.mpich_test BUILD
Ends with 77 where there is no MPICH or no program for it.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from validation.executors.mpi.jobs_for_test import ENVIRONMENT
from validation.tune.decision import Decided, Range
from validation.tune.formats import mpich
from validation.tune.formats.format import Target
from validation.tune.formats.way import Choice

SKIPPED = 77
BUILD = pathlib.Path(".")
RANKS, SIZE = 3, 1 << 16
SCENARIO = f"""question: Does it run?
cluster: pair
library: openmpi_tcp
placement: "{RANKS}"
job: {{collective: allreduce, algorithm: recursive_doubling, bytes: {SIZE} B}}
"""


class Selection(unittest.TestCase):
    def ran(self, selection: str) -> int:
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "x.yaml").write_text(SCENARIO, encoding="utf-8")
            (place / "selection.json").write_text(selection, encoding="utf-8")
            name = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
            words = ["mpiexec.mpich", "-n", str(RANKS), str(BUILD / "ringscope-mpich"), "replay",
                     str(place / "x.yaml"), "--call", "MPI_Allreduce", "--warmups", "0",
                     "--repetitions", "1", "--max-repetitions", "1", "-o", str(place / "out.json")]
            done = subprocess.run(words, check=False, capture_output=True, timeout=100,
                                  stdin=subprocess.DEVNULL, cwd=folder,
                                  env=ENVIRONMENT | {name: str(place / "selection.json")})
            return done.returncode

    def test_mpich_accepts_our_file_and_rejects_unknown_names(self):
        for says in ("MPIR_Allreduce_intra_recursive_doubling",
                     "MPIR_Allreduce_intra_reduce_scatter_allgather"):
            choice = Choice(next(way for way in mpich.WAYS if way.says == says))
            text = mpich.write([Decided("allreduce", [], [
                Range(0, SIZE - 1, None), Range(SIZE, SIZE, choice), Range(SIZE + 1, None, None)])],
                Target(RANKS, 1, "a test"))
            self.assertEqual(self.ran(text), 0, says)
        self.assertNotEqual(self.ran(text.replace("MPIR_Allreduce_intra_", "MPIR_Allsum_intra_")),
                            0)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    if not (shutil.which("mpiexec.mpich") and os.access(BUILD / "ringscope-mpich", os.X_OK)):
        print("there is no MPICH, or no ringscope-mpich")
        sys.exit(SKIPPED)
    unittest.main()
