# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are the figures of a verdict the formulas that they claim to be?"""

import unittest

from common.programs import InputError
from validation.calibration.verdict import accuracy, cases, judge, order, placements
from validation.measurements import Document, Measurement, case_key, spread_of


def measured(name="x", samples=(1.0, 1.0, 1.0), placement="4-2-2", size=1024, **more):
    spread = spread_of(samples)
    place = placements.parse(placement, "here")
    parameters = {"bytes": size, "collective": "allreduce", "algorithm": "ring",
                  "ranks_count": place.ranks, "hosts_count": place.hosts, "placement": placement}
    return Measurement("allreduce", parameters | more, spread.median_s, list(samples), spread.p10_s,
                       spread.p90_s, name)


def gathered(*measurements, fitted=(), limits=accuracy.Limits(), **where):
    return cases.gather([Document("real.json", "replay", where, list(measurements))], set(fitted),
                        limits)


def predicted(case, seconds):
    case.predicted_s = seconds
    return case


class Figures(unittest.TestCase):
    def test_an_error_is_signed_and_relative_to_the_measurement(self):
        self.assertAlmostEqual(accuracy.relative_error(0.9, 1.0), -0.1)
        self.assertAlmostEqual(accuracy.relative_error(3.0, 2.0), 0.5)

    def test_median_and_90th_percentile_are_of_the_absolute_error(self):
        judged = [predicted(case, 1 + error) for case, error in zip(
            gathered(*(measured(str(i), size=4 << i) for i in range(5))),
            (-0.4, 0.1, 0.0, -0.2, 0.3))]
        found = accuracy.figures(judged)
        self.assertEqual(found.count, 5)
        self.assertAlmostEqual(found.median, 0.2)
        self.assertAlmostEqual(found.p90, 0.3 + 0.6 * (0.4 - 0.3))  # place 0.9 * (5 - 1) = 3.6
        self.assertAlmostEqual(found.bias, 0.0)

    def test_no_case_has_no_figures(self):
        self.assertEqual(accuracy.figures([]), accuracy.Figures(0, None, None, None, None))

    def test_the_spread_is_half_of_p10_to_p90(self):
        self.assertAlmostEqual(accuracy.spread_of(2.0, 1.9, 2.3), (2.3 - 1.9) / 2 / 2.0)
        self.assertIsNone(accuracy.spread_of(2.0, None, 2.3))

    def test_inside_is_between_the_percentiles_and_unknown_without_them(self):
        case, = gathered(measured(samples=(0.9, 1.0, 1.1)))
        for seconds, inside in ((0.92, True), (1.08, True), (0.91, False), (1.09, False)):
            self.assertEqual(predicted(case, seconds).inside, inside)
        case.measured.p10_s = None
        self.assertIsNone(case.inside)


    def test_groups_come_in_the_order_asked_for(self):
        judged = [predicted(case, 1.1) for case in gathered(
            measured("a", size=4096), measured("b", size=64), measured("c", placement="4-3-1"))]
        found = accuracy.figures_by(judged, lambda case: case.bytes, lambda case: case.bytes)
        self.assertEqual([(size, one.count) for size, one in found.items()],
                         [(64, 1), (1024, 1), (4096, 1)])


class Marks(unittest.TestCase):
    def test_a_case_that_spreads_more_than_the_limit_is_noisy(self):
        wide = measured(samples=(0.7, 1.0, 1.3))  # p10..p90 is 0.76..1.24
        self.assertEqual(gathered(wide)[0].marks, ["noisy"])
        self.assertEqual(gathered(wide, limits=accuracy.Limits(spread=0.25))[0].marks, [])

    def test_foreign_load_above_the_limit_is_marked_and_the_measurements_own_comes_first(self):
        one, other = measured("a"), measured("b", size=2048)
        other.extra["foreign_cores"] = 0.1
        marks = [case.marks for case in gathered(one, other, foreign_cores=0.5)]
        self.assertEqual(marks, [["background load 0.5 cores"], []])

    def test_cases_of_the_fit_do_not_count(self):
        one, other = measured("a"), measured("b", size=2048)
        document = Document("real.json", "replay", {}, [one, other])
        found = cases.gather([document], {case_key(one)}, accuracy.Limits())
        self.assertEqual([case.counts for case in found], [False, True])

    def test_launches_of_one_case_are_pooled(self):
        documents = [Document(path, "replay", {"date": f"2026-01-0{day}T10:00:00Z"},
                              [measured(samples=samples)])
                     for path, day, samples in (("a", 1, (1.0, 1.02)), ("b", 2, (1.04, 1.06)))]
        case, = cases.gather(documents, set(), accuracy.Limits())
        self.assertEqual(case.launches, 2)
        self.assertAlmostEqual(case.measured.median_s, (1.02 + 1.04) / 2)

    def test_cases_on_other_links_are_others(self):
        documents = [Document(link, "replay", {"link_bandwidth": link}, [measured()])
                     for link in ("1 Gbit/s", "500 Mbit/s")]
        self.assertEqual(len(cases.gather(documents, set(), accuracy.Limits())), 2)


class Order(unittest.TestCase):
    def pair(self, times, predictions, spread=0.0):
        found = gathered(*(measured(placement, (time * (1 - spread), time, time * (1 + spread)),
                                    placement)
                           for placement, time in zip(("4-2-2", "4-3-1"), times)))
        for case, seconds in zip(found, predictions):
            predicted(case, seconds)
        pair, = order.pairs(found)
        return pair

    def test_ratios_are_the_second_over_the_first(self):
        pair = self.pair((1.0, 1.8), (1.0, 1.62))
        self.assertAlmostEqual(pair.measured, 1.8)
        self.assertAlmostEqual(pair.predicted, 1.62)
        self.assertAlmostEqual(pair.error, -0.1)

    def test_the_order_is_right_when_the_same_one_is_faster(self):
        for times, predictions, right in (((1, 2), (1, 1.1), True), ((1, 2), (1, 0.9), False),
                                          ((2, 1), (1, 0.9), True), ((2, 1), (1, 1), False)):
            self.assertEqual(self.pair(times, predictions).right, right)

    def test_closer_than_their_spreads_is_equal_and_wants_an_equal_prediction(self):
        # p10..p90 of three samples t (1 - s), t, t (1 + s) is t (1 +- 0.8 s): the margin is 1.6 s.
        pair = self.pair((1.0, 1.05), (1.0, 0.95), spread=0.05)
        self.assertAlmostEqual(pair.margin, 1.6 * 0.05)
        self.assertTrue(pair.equal and pair.right)
        pair = self.pair((1.0, 1.05), (1.0, 1.2), spread=0.05)
        self.assertTrue(pair.equal and not pair.right)

    def test_only_otherwise_equal_cases_are_compared(self):
        found = gathered(measured("a"), measured("b", placement="4-3-1", size=2048),
                         measured("c", placement="4-3-1", algorithm="rabenseifner"),
                         measured("d", placement="4-4-4"))
        self.assertEqual(order.pairs(found), [])

    def test_lists_with_equal_counts_are_two_placements(self):
        listed = measured("rows"), measured("columns")
        for host, one in enumerate(listed):
            one.scenario = {"placement": [{"host": host, "core": 0}]}
        found = gathered(*listed)
        self.assertEqual(len(order.pairs(found)), 1)
        self.assertEqual([case.shown_placement for case in found], ["rows", "columns"])

    def test_pairs_apart_and_equal_pairs_are_counted_by_themselves(self):
        pairs = [self.pair((1, 2), (1, 1.1)), self.pair((1, 2), (1, 0.9)),
                 self.pair((1, 1), (1, 1)), self.pair((1, 1), (1, 1.3))]
        self.assertEqual(judge.order_figures(pairs),
                         judge.OrderFigures(apart=2, right=1, equal=2, equal_too=1))


class Placements(unittest.TestCase):
    def test_counts_rules_and_bindings_are_read(self):
        for text, hosts, ranks, most, value in (
                ("8", 1, 8, 8, "8"), ("4-3-1", 3, 8, 4, "4-3-1"), ("4x64-1", 65, 257, 4, "4x64-1"),
                ("4-2 by node", 2, 6, 4, {"hosts": "4-2", "map_by": "node"}),
                ("2-1 by numa on host", 2, 3, 2,
                 {"hosts": "2-1", "map_by": "numa", "bind": "host"})):
            found = placements.parse(text, "here")
            self.assertEqual((found.hosts, found.ranks, found.most, found.value),
                             (hosts, ranks, most, value))

    def test_an_empty_host_may_be_counted_or_not(self):
        self.assertEqual(placements.parse("8-0-0", "here").used, 1)
        for hosts in (1, 3):
            case, = gathered(measured(placement="8-0-0", hosts_count=hosts))
            self.assertEqual(case.placement.hosts, 3)
        with self.assertRaisesRegex(InputError, "hosts_count: expected 3"):
            gathered(measured(placement="8-0-0", hosts_count=2))

    def test_anything_else_is_refused(self):
        for text in ("", "four", "4--1", "4-x", "-4", "4x", "4 by chance", "0-0", "1x99999999",
                     "2000000"):
            with self.assertRaises(InputError, msg=text) as raised:
                placements.parse(text, "real.json: x")
            self.assertTrue(str(raised.exception).startswith("real.json: x: expected "))


if __name__ == "__main__":
    unittest.main()
