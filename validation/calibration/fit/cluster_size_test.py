# SPDX-License-Identifier: LGPL-2.1-or-later
"""How many hosts and cores has a fitted cluster of which nobody said it?

Usage: python3 -m validation.calibration.fit.cluster_size_test BUILD
"""

import dataclasses
import sys
import unittest

from validation.calibration.fit import calibration
from validation.calibration.fit.synthetic_for_test import TCP, Cluster
from validation.measurements import Document, Measurement

QUICK = calibration.Settings(bootstrap=20)


class HowMany(unittest.TestCase):
    def test_a_latency_between_two_hosts_says_nothing_of_how_many_there_are(self):
        cluster = Cluster()
        cluster.add_ping_pong(TCP, "network")
        for settings, hosts in ((QUICK, 128), (dataclasses.replace(QUICK, hosts=3), 3)):
            result = calibration.calibrate([cluster.document()], settings)
            self.assertEqual(result.hosts, hosts)
            self.assertEqual("cluster.hosts" in result.assumed, hosts == 128)

    def test_a_host_has_a_core_for_each_rank_that_ran_on_it(self):
        document = Document("replay.json", "replay", {"hosts": []}, [
            Measurement("allreduce", {"bytes": 8, "hosts_count": 2, "ranks_count": 71}, 1.0)])
        self.assertEqual(calibration.size_of([document], QUICK)[:2], (128, 36))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
