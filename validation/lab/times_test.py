# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are the lab's links and processes as slow as asked? Measures, so nothing else may run beside it.

Usage: python3 -m validation.lab.times_test BUILD
"""

import json
import sys
import unittest

from validation.lab import lab_test

PAYLOAD = 1448 / 1514  # of what is charged to a full frame: TCP over Ethernet at an MTU of 1500


class Times(lab_test.Lab):
    def test_both_directions_have_the_whole_rate(self):
        _, seconds = self.replay_by_hand(
            "1-1", self.scenario("exchange", "bidirectional", "4 MiB"), "--rate", "200Mbit/s",
            start="clock")
        expected = 4 * lab_test.MIB / (PAYLOAD * 200e6 / 8)
        self.assertLess(abs(seconds / expected - 1), 0.15)

    def test_a_process_that_sends_and_receives_pays_for_both(self):
        scenario = self.scenario("exchange", "bidirectional", "4 MiB")
        output = self.folder / "out.json"
        # Unequal costs are no test: two such ranks may fall into a step in which each waits for the
        # dearer half of the other.
        ran = lab_test.lab("replay", scenario, "--placement", "1-1", "--build", self.build,
                           "--send-cost", "8 ns/B", "--recv-cost", "8 ns/B", "-o", output, "--",
                           "--repetitions", 5, "--max-repetitions", 5)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        document = json.loads(output.read_text())
        self.assertEqual(document["where"]["emulated"], "send 8 ns/B, receive 8 ns/B, slept")
        self.assertIn("foreign_cores", document["where"])
        expected = 4 * lab_test.MIB * (8e-9 + 8e-9)
        measured = document["measurements"][0]["median_s"]
        self.assertGreater(measured, 0.98 * expected)
        self.assertLess(measured, 1.3 * expected)


if __name__ == "__main__":
    lab_test.begin(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
