# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is each kept fit to published measurements what today's code makes of the same documents?

Usage: python3 -m validation.calibration.fit.kept_fits_test BUILD

A fit that is kept has its command in its head. Those of the lab are first outcomes, which stay as
they were; those of many ranks a host take minutes each.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import yaml

from common.quantities import parse_quantity

SAME = 0.01  # the last digits of a fit are those of a machine's linear algebra
KEPT = pathlib.Path(__file__).resolve().parents[2] / "results/published"


def command_of(path):
    """Arguments of the program that made the fit."""
    return shlex.split(re.search(r"^# Command: ringscope (.*)$", path.read_text(), re.M)[1])


def leaves(part, place=""):
    """(place, value) of all that stands in the part; quantities as numbers."""
    if isinstance(part, (dict, list)):
        for key, value in part.items() if isinstance(part, dict) else enumerate(part):
            yield from leaves(value, f"{place}.{key}")
    else:
        quantity = re.fullmatch(r"([0-9.]+) (\S+)", str(part))
        yield place, parse_quantity(part) if quantity else part


class KeptFits(unittest.TestCase):
    build = None

    def made_again(self, path):
        with tempfile.TemporaryDirectory() as folder:
            arguments = command_of(path)
            for option, name in (("-o", "fit.yaml"), ("--report", "report.txt")):
                arguments[arguments.index(option) + 1] = f"{folder}/{name}"
            arguments += ("--bootstrap", "1")  # refits move intervals alone, which are not compared
            done = subprocess.run([str(self.build / "ringscope"), *arguments], cwd=KEPT,
                                  capture_output=True, text=True, timeout=250, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return yaml.safe_load((pathlib.Path(folder) / "fit.yaml").read_text())

    def holds(self, name):
        path = KEPT / f"{name}.yaml"
        kept, made = yaml.safe_load(path.read_text()), self.made_again(path)
        for part in ("cluster", "library"):
            before, now = dict(leaves(kept[part])), dict(leaves(made[part]))
            self.assertEqual(list(now), list(before), f"{path}: made anew it has other keys")
            for key, value in before.items():
                if isinstance(value, float):
                    self.assertAlmostEqual(now[key], value, delta=SAME * abs(value), msg=key)
                else:
                    self.assertEqual(now[key], value, key)

    def test_fit_to_latency_over_tcp_is_reproduced(self):
        self.holds("tcp_latency")

    def test_fit_to_latency_and_4_hosts_is_reproduced(self):
        self.holds("tcp_4_nodes")

    def test_fit_to_latency_and_message_rate_is_reproduced(self):
        self.holds("ib")

    def test_fit_to_a_traced_ring_is_reproduced(self):
        self.holds("trace")


if __name__ == "__main__":
    KeptFits.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
