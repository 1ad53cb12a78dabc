# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the doctor find the causes that it simulates, from a curve that has each alone?

Usage: python3 -m validation.doctor.faults_test BUILD
"""

import sys
import unittest

from validation.calibration.verdict.simulator import Simulator
from validation.doctor import diagnosis, ranking
from validation.doctor.causes import CAUSES
from validation.doctor.judge import machines_for_test as machines
from validation.doctor.what_if import WhatIf

BUILD = "."
TWO_HOSTS = machines.Machine("two H100 hosts", "h100_nvswitch", "nccl_h100",
                             {"hosts": "8x2", "on": "gpu"}, machines.NCCL, (12, 30))


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.what_if = WhatIf(Simulator(f"{BUILD}/ringscope"))

    def named(self, name: str) -> list:
        """Causes in their order, of the curve of this cause at its middle severity."""
        cause = next(one for one in CAUSES if one.name == name)
        found = machines.examined(self.what_if, TWO_HOSTS)
        values = cause.values(found.scene)
        changed = cause.scene(found.scene, values[len(values) // 2])
        for point, answer in zip(found.curve.points, self.what_if.answers(changed.scenarios())):
            point.seconds = answer["time_s"] / point.divide
        found.first = ranking.abnormal(found.curve.points, found.errors)
        self.assertFalse(found.normal, name)
        found.ranked = diagnosis.rank(self.what_if, found)
        return [one.name for one in found.causes]

    def test_each_is_first_or_second(self):
        for name in ("gpudirect-off", "acs-on", "far-nic", "tcp", "oversubscribed-uplinks",
                     "straggler", "nvlink-slow", "registration-missing", "no-peers-in-vm",
                     "nic-relinked"):
            with self.subTest(name):
                self.assertIn(name, self.named(name)[:2])


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    unittest.main()
