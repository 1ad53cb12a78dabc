# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is the curve drawn where its ratios are, and can each command be copied into a shell?"""

import subprocess
import unittest
from types import SimpleNamespace

import numpy as np

from validation.doctor import telling, text
from validation.doctor.causes import CAUSES

GPUS = {"hosts": "8x2", "on": "gpu"}


def drawn(*ratios, normal=2.0) -> list:
    ends = np.full(len(ratios), np.log(normal))
    points = [SimpleNamespace(ratio=ratio) for ratio in ratios]
    return text.picture(SimpleNamespace(errors=SimpleNamespace(low=-ends, high=ends),
                                        curve=SimpleNamespace(points=points)), range(len(ratios)))


class Picture(unittest.TestCase):
    def test_a_ratio_has_its_place_on_a_logarithmic_scale(self):
        scale, *rows = drawn(1.0, 2.0, 0.25, 4.0)
        self.assertEqual(scale, "1/4       1         4")
        self.assertEqual([row.index("●") for row in rows], [10, 15, 0, 20])
        self.assertEqual([row.find("│") for row in rows], [-1, 10, 10, 10])
        self.assertEqual({row.count("░") for row in rows}, {9, 10})  # 5 to 15

    def test_the_scale_holds_the_largest_ratio_or_ends_at_100(self):
        self.assertEqual([drawn(ratio)[0].split() for ratio in (1.9, 4.1, 11.0, 5000.0)],
                         [["1/2", "1", "2"], ["1/10", "1", "10"], ["1/100", "1", "100"],
                          ["1/100", "1", "100"]])
        self.assertEqual(drawn(5000.0)[1].index("●"), text.CELLS - 1)


class Commands(unittest.TestCase):
    def test_the_check_of_each_cause_begins_with_a_line_of_shell(self):
        for one in CAUSES:
            line, _, hint = one.check.partition("  # ")
            self.assertTrue(hint, one.name)
            checked = subprocess.run(["bash", "-n", "-c", line], capture_output=True, check=False)
            self.assertEqual(checked.returncode, 0, (one.name, checked.stderr))
            self.assertLessEqual(len(line), text.WIDTH - 5, one.name)

    def test_threads_are_addresses(self):
        found = [one for cause in CAUSES for one in cause.addresses()]
        self.assertIn("https://github.com/NVIDIA/nccl/issues/1676", found)
        for one in found:
            self.assertRegex(one, r"^https://github\.com/[\w-]+/[\w-]+/issues/\d+$")

    def test_a_job_is_measured_by_the_program_that_has_its_collective(self):
        self.assertEqual(telling.benchmark({"collective": "allreduce"}, GPUS, 1024, 2048),
                         "mpirun -np 16 -N 8 all_reduce_perf -b 1024 -e 2048 -f 2")
        self.assertEqual(telling.benchmark({"collective": "alltoall"}, "2-2-2", 8, 8),
                         "mpirun -np 6 -N 2 osu_alltoall -m 8:8")


if __name__ == "__main__":
    unittest.main()
