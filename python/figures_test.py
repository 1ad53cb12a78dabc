# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do figures of all kinds come from what calls give, without a file in between?"""

import sys
import unittest

import matplotlib

matplotlib.use("Agg")

import ringscope  # noqa: E402

SIZES = {"question": "How does a ring grow?", "cluster": "rack3", "library": "slow_tcp",
         "placement": "4-2-2",
         "job": {"collective": "allreduce", "algorithm": "ring", "bytes": ["1 MiB", "2 MiB"]}}


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cases = ringscope.run("03-anomaly", record=True)

    def titles(self, figure):
        return " ".join(text.get_text() for text in figure.findobj(matplotlib.text.Text))

    def test_a_timeline_has_the_cases_names(self):
        words = self.titles(ringscope.figure(self.cases))
        self.assertIn("4-2-2", words)
        self.assertIn("4-3-1", words)

    def test_a_breakdown_has_the_scenarios_question(self):
        self.assertIn("4-3-1", self.titles(ringscope.figure(self.cases, kind="breakdown")))

    def test_scaling_is_drawn_of_several_sizes(self):
        words = self.titles(ringscope.figure(ringscope.run(SIZES), "A title", kind="scaling"))
        self.assertIn("A title", words)

    def test_a_key_makes_it_against(self):
        figure = ringscope.figure(ringscope.run(SIZES), key="job.bytes", value="busbw")
        self.assertGreaterEqual(len(figure.axes), 1)

    def test_loads_have_the_links_of_the_lesson(self):
        self.assertIn("host0", self.titles(ringscope.figure(self.cases, kind="loads")))

    def test_a_width_is_that_of_the_figure(self):
        figure = ringscope.figure(self.cases, width="85mm")
        self.assertAlmostEqual(figure.get_figwidth(), 85 / 25.4)
        with self.assertRaisesRegex(ValueError, "figure: expected 64mm or more, .*, got 'narrow'"):
            ringscope.figure(self.cases, width="narrow")

    def test_placements_are_drawn_of_what_place_gives(self):
        places = ringscope.place("03-anomaly", case="4-3-1", set={"job.bytes": "64 KiB"},
                                 rules={"order": "fixed"}, progress=False)
        self.assertGreaterEqual(len(ringscope.figure(places).axes), 1)

    def test_invalid_kind_reports_the_expected_kinds(self):
        for arguments, words in (
                ({"kind": "pie"}, "unknown kind 'pie' .known: timeline"),
                ({"kind": "against"}, "expected key="),
                ({"kind": "placements"}, "placements: expected Places, got Cases")):
            with self.subTest(arguments), self.assertRaisesRegex(ValueError, words):
                ringscope.figure(self.cases, **arguments)
        with self.assertRaisesRegex(ValueError, "record=True"):
            ringscope.figure(ringscope.run("03-anomaly"))


if __name__ == "__main__":
    sys.argv[1:] = [word for word in sys.argv[1:] if word.startswith("-")]
    unittest.main()
