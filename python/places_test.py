# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is the search for a placement from Python that of the program?"""

import json
import pathlib
import subprocess
import sys
import time
import unittest

import ringscope


class Places(unittest.TestCase):
    def test_are_those_of_the_program(self):
        written = json.loads(subprocess.run(
            [BUILD / "ringscope", "place", "03-anomaly", "--no-store", "--verify", "0",
             "--json", "-"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual(ringscope.place("03-anomaly").document(), written)

    def test_the_best_is_a_placement_that_a_scenario_takes(self):
        places = ringscope.place("03-anomaly", rules={"slots": 4})
        again = ringscope.run("03-anomaly", set={"placement": places.best["placement"]})
        self.assertEqual(again[0].time_s, places.best["time_s"])
        self.assertLessEqual(places.best["time_s"], places.yours["time_s"])

    def test_rules_are_refused_with_what_is_known(self):
        with self.assertRaisesRegex(ringscope.InputError, "did you mean 'slots'"):
            ringscope.place("03-anomaly", rules={"slot": 4})

    def test_options_of_the_program_are_keyword_arguments(self):
        by_rules = ringscope.place("03-anomaly", set={"placement": "4-3-1"},
                                   rules={"slots": 4, "taken": ["host0"]})
        by_names = ringscope.place("03-anomaly", baseline="4-3-1", slots=4, exclude=["host0"])
        self.assertEqual(by_names.document()["placements"], by_rules.document()["placements"])
        self.assertEqual(by_names.yours, by_rules.yours)

    def test_options_are_enough_without_a_scenario(self):
        words = {"cluster": "star8", "library": "openmpi_tcp", "job": "allreduce/ring:1MiB",
                 "ranks": 4, "slots": 2}
        written = json.loads(subprocess.run(
            [BUILD / "ringscope", "place", "--no-store", "--verify", "0", "--json", "-",
             *(str(word) for name, one in words.items() for word in (f"--{name}", one)),
             "--exclude", "host0,host2"], capture_output=True, text=True, check=True).stdout)
        places = ringscope.place(**words, rules={"exclude": ["host0", "host2"]})
        self.assertEqual(places.document(), written)
        self.assertEqual(len(places.csv().splitlines()), 1 + len(places.frame()))
        exact = ringscope.place("03-anomaly", bytes="1 MiB", exact=True)
        self.assertEqual([one["placement"] for one in exact.document()["placements"]],
                         [one["placement"] for one in ringscope.place(
                             "03-anomaly", bytes="1 MiB").document()["placements"]])
        with self.assertRaisesRegex(ringscope.InputError, "'--ordr'; did you mean '--order'"):
            ringscope.place("03-anomaly", ordr="ring")

    def test_a_time_ends_the_search_with_the_best_so_far(self):
        scenario = {"question": "Where?", "cluster": "two_level", "library": "openmpi_tcp",
                    "placement": "8x4",
                    "job": {"collective": "allreduce", "algorithm": "ring", "bytes": "64 MiB",
                            "repetitions": 50, "skew": "1 us"}}
        begin = time.monotonic()
        places = ringscope.place(scenario, rules={"order": "any", "budget": 1_000_000}, time=1.0)
        self.assertLess(time.monotonic() - begin, 60)
        self.assertTrue(places.document()["stopped"])
        self.assertGreater(len(places.frame()), 0)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
