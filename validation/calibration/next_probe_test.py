# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `ringscope calibrate --next` name the probe that tells an unknown value, with its width?

Usage: python3 -m validation.calibration.next_probe_test BUILD
"""

import itertools
import json
import math
import pathlib
import subprocess
import sys

import numpy as np
import yaml

from common.quantities import parse_quantity
from validation.calibration import next_probe
from validation.calibration.fit import profile
from validation.calibration.fit.observations import FLOOR
from validation.calibration.fit.synthetic_for_test import SHM, TCP, everything
from validation.calibration.verdict import round_trip_test
from validation.calibration.verdict.round_trip_test import (CLUSTER, LIBRARY, VALIDATION,
                                                            WithPrograms)
from validation.measurements import write

COSTS = (1, 1.5, 2, 4, 6)  # ns/B of a reduction
SEND_COSTS = (3, 6, 12)  # ns/B


class Next(WithPrograms):
    def fit(self, draws: list, **calibration) -> pathlib.Path:
        path = self.folder / "mycluster.yaml"
        path.write_text(yaml.safe_dump({
            "cluster": CLUSTER | {"hosts": 4}, "library": LIBRARY,
            "calibration": {"draws": [{"library": one} for one in draws]} | calibration}),
            encoding="utf-8")
        return path

    def scenario(self) -> pathlib.Path:
        path = self.folder / "question.yaml"
        path.write_text(yaml.safe_dump({
            "question": "How long?", "cluster": "mycluster.yaml", "library": "mycluster.yaml",
            "placement": "1-1-1-1",
            "job": {"collective": "allreduce", "algorithm": "ring", "bytes": "1 MiB"}}))
        return path

    def ran(self, *words):
        return subprocess.run([VALIDATION / "calibrate", *map(str, words), "--next",
                               self.scenario()], text=True, capture_output=True, check=False,
                              env=self.environment)

    def rows(self, *words) -> list:
        """[name, width now, width after, command] of each line of the table."""
        ran = self.ran(*words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        lines = ran.stdout.split("\n\n")[1].splitlines()[1:]
        return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]

    def seconds(self, library: dict) -> float:
        """Time of the scenario that the simulator reports for a member of the ensemble."""
        words = [f"library={json.dumps(LIBRARY | library)}"]
        ran = subprocess.run([self.build / "ringscope", "run", self.scenario(), "--set", *words,
                              "--json", "-"], check=True, capture_output=True, text=True,
                             env=self.environment)
        return json.loads(ran.stdout)["cases"][0]["time_s"]

    @staticmethod
    def width(variance: float) -> str:
        return f"±{100 * math.expm1(1.645 * math.sqrt(variance)):.1f} %"

    def test_the_only_probe_that_tells_the_unknown_value_is_first_with_the_formula_s_width(self):
        draws = [{"reduce_cost": f"{cost} ns/B"} for cost in COSTS]
        [[name, now, after, command]] = self.rows(self.fit(draws))
        y, x = np.log([self.seconds(one) for one in draws]), np.log(COSTS)
        rho, variance = np.corrcoef(x, y)[0, 1], np.var(x, ddof=1)
        left = np.var(y, ddof=1) * (1 - rho ** 2 * variance / (variance + FLOOR ** 2))
        self.assertEqual([name, now, after], [
            "reduction", self.width(np.var(y, ddof=1)), self.width(left)])
        self.assertEqual(command, "ringscope-mpi probe --only reduction --sizes "
                                  "64KiB,1MiB,16MiB -o next.json")

    def test_the_second_measurement_tells_what_the_first_leaves_open(self):
        draws = [{"reduce_cost": f"{cost} ns/B",
                  "network": LIBRARY["network"] | {"send_cost": f"{send_cost} ns/B"}}
                 for cost, send_cost in itertools.product(COSTS, SEND_COSTS)]
        (first, *_), *_, (last, *_) = self.rows(self.fit(draws))
        self.assertEqual((first, last), ("send_call network", "then reduction"))

    def test_measured_sizes_are_no_candidates(self):
        draws = [{"reduce_cost": f"{cost} ns/B"} for cost in COSTS]
        seen = [f'reduction bytes={size} ranks=1 link="1 Gbit/s" emulated=""'
                for size in (1 << 16, 1 << 24)]
        [[*_, command]] = self.rows(self.fit(draws, fitted=seen))
        self.assertIn("--sizes 1MiB ", command)
        seen.append("reduction bytes=1048576 ranks=2")
        ran = self.ran(self.fit(draws, fitted=seen))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("expected a probe that goes with its time", ran.stderr)
        self.assertIn("ringscope-mpi replay", ran.stderr)

    def test_where_all_is_measured_the_error_says_so(self):
        sizes = {*next_probe.SIZES, *(size for one in next_probe.BY_WAY.values()
                                      for size in one["sizes"])}
        seen = [f'{what} bytes={parse_quantity(size):.0f} way="{way}"' for size in sizes
                for what, ways in [*((key, one["ways"]) for key, one in next_probe.BY_WAY.items()),
                                   *((key, [""]) for key in next_probe.COSTS)] for way in ways]
        ran = self.ran(self.fit([{"reduce_cost": f"{cost} ns/B"} for cost in COSTS], fitted=seen))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("mycluster.yaml, got none: all are measured. Measure the", ran.stderr)

    def test_fit_without_an_ensemble_is_rejected(self):
        ran = self.ran(self.fit([]))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("mycluster.yaml: expected alternative fits that the measurements allow, got "
                      "none: `ringscope calibrate` writes them", ran.stderr)

    def test_errors_of_a_fit_to_documents_name_the_document(self):
        path = self.folder / "probes.json"
        write(str(path), everything())
        self.fit([])
        ran = self.ran(path, "--bootstrap", "0")
        self.assertEqual(ran.returncode, 1)
        self.assertIn(f"{path}: expected alternative fits", ran.stderr)

    def test_output_stays_required_without_next(self):
        ran = subprocess.run([VALIDATION / "calibrate", self.fit([])], text=True, check=False,
                             capture_output=True, env=self.environment)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the following arguments are required: -o/--output", ran.stderr)

    def test_conditioning_is_that_of_a_normal_distribution(self):
        before = np.array([[4.0, 3.0, 1.0], [3.0, 9.0, 2.0], [1.0, 2.0, 5.0]])
        after = next_probe.conditioned(before, 1, 4.0)
        self.assertAlmostEqual(after[0, 0], 4 - 3 * 3 / (9 + 16))
        self.assertAlmostEqual(after[0, 2], 1 - 3 * 2 / (9 + 16))

    def test_transport_is_read_as_it_is_written(self):
        for one in (TCP, SHM):
            read = profile.transport_of(profile.transport_map(one), one.wire)
            for size in np.array([[1.0], [1024.0], [1 << 20]]):
                np.testing.assert_allclose(next_probe.closed_forms.ping_pong(read, size),
                                           next_probe.closed_forms.ping_pong(one, size), rtol=1e-3)


if __name__ == "__main__":
    WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    round_trip_test.unittest.main()
