# SPDX-License-Identifier: LGPL-2.1-or-later
"""ringscope-cuda for tests: run on the GPUs of this machine or on fake ones, bounded in time."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest


ROOT = pathlib.Path(__file__).resolve().parents[3]
LIMIT_S = 100


class RunTest(unittest.TestCase):
    """Each test has a folder of its own."""

    build = program = None

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.output = self.folder / "out.json"

    def run_program(self, *words, fake=""):
        """(exit code, standard output, standard error); `fake`: what fake GPUs are like."""
        environment = {**os.environ, "RINGSCOPE_DATA": str(ROOT), "RINGSCOPE_FAKE": fake}
        try:
            ran = subprocess.run([str(self.program), *words], check=False, capture_output=True,
                                 text=True, timeout=LIMIT_S, env=environment,
                                 stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            self.fail(f"the program did not end within {LIMIT_S} s")
        return ran.returncode, ran.stdout, ran.stderr

    def replay(self, text, *more, fake=""):
        """Runs a replay with two samples."""
        file = self.folder / "x.yaml"
        file.write_text(text, encoding="utf-8")
        return self.run_program("replay", str(file), "--warmups", "1", "--repetitions", "2",
                                "--max-repetitions", "2", *more, fake=fake)

    def measured(self, text, *more, fake=""):
        """The document of a replay that must succeed."""
        code, out, err = self.replay(text, *more, fake=fake)
        self.assertEqual(code, 0, err)
        return json.loads(out)

    def algorithms(self, collective):
        """Those without non-blocking parts, whose steps no library's progress engine runs."""
        listed = subprocess.run(
            [str(self.build / "ringscope"), "list", "algorithms", "--json", "-"], check=True,
            capture_output=True, text=True, env={**os.environ, "RINGSCOPE_DATA": str(ROOT)}).stdout
        return [one["algorithm"] for one in json.loads(listed)["algorithms"]
                if one["collective"] == collective and not one["nonblocking"]]


def skip_where_there_is_no_gpu(program):
    """The program itself says why there is none."""
    ran = subprocess.run([str(program), "devices"], check=False, capture_output=True, text=True,
                         timeout=LIMIT_S)
    if ran.returncode != 0:
        print(f"SKIP: {ran.stderr.strip()}")
        sys.exit(77)


def main():
    """Runs the tests of the calling file; its arguments are BUILD PROGRAM."""
    RunTest.build = pathlib.Path(sys.argv[1]).resolve()
    RunTest.program = RunTest.build / sys.argv[2]
    if not sys.argv[2].endswith("-fake"):
        skip_where_there_is_no_gpu(RunTest.program)
    unittest.main(argv=sys.argv[:1])
