# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does whoever calibrates see on a terminal how far it is, and does a pipe stay quiet?

Usage: python3 -m validation.calibration.progress_test BUILD
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROBES = ROOT / "validation/results/lab/probes_cpu.json"
ENVIRONMENT = {**os.environ, "RINGSCOPE_DATA": str(ROOT)}
BAR = re.compile(r"fitting again for intervals \|[^|]*\| +\d+ %, \d\d:\d\d left")


class Waiting(unittest.TestCase):
    build = None

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        # Some seconds of drawing again: nothing is shown of what takes less than one.
        self.words = [self.build / "ringscope", "calibrate", PROBES, "--bootstrap", "100", "-o",
                      f"{place.name}/fitted.yaml", "--report", f"{place.name}/report.txt"]

    def test_sees_the_share_done_and_the_time_left_of_a_long_fit(self):
        here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        seen = b""
        with subprocess.Popen(self.words, stderr=there, stdout=subprocess.DEVNULL,
                              env=ENVIRONMENT) as run:
            os.close(there)
            while not BAR.search(seen.decode()):
                self.assertIsNone(run.poll(), seen)
                if select.select([here], [], [], 1)[0]:
                    seen += os.read(here, 4096)
            run.kill()
        os.close(here)

    def test_pipe_gets_no_progress_line(self):
        ran = subprocess.run(self.words, check=True, timeout=250, env=ENVIRONMENT, text=True,
                             capture_output=True)
        self.assertEqual((ran.stdout, ran.stderr), ("", ""))


if __name__ == "__main__":
    Waiting.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
