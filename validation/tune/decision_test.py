# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do rules say only what was simulated and wins by more than the model's error?

Usage: python3 -m validation.tune.decision_test
"""

import argparse
import unittest

from validation.tune import decision, document, program, text
from validation.tune.decision import Range, Row, Timed
from validation.tune.formats import FORMATS, open_mpi
from validation.tune.formats.format import Target
from validation.tune.formats.way import Choice, Way, choices
from validation.tune.ground import Ground

RING = Choice(Way("allreduce", "ring", "ring", 4))
CUT = Choice(Way("allreduce", "ring_segmented", "segmented_ring", 5), 65536)
OWN = Choice(Way("allreduce", "open_mpi_tuned"))
LACKED = Choice(Way("allreduce", "two_level"))


def row(size: int, own: float, *ranked, error: float = 0.2, lacking=None) -> Row:
    found = sorted((Timed(choice, seconds) for choice, seconds in ranked),
                   key=lambda one: one.seconds)
    return Row("allreduce", size, Timed(OWN, own, "rabenseifner"), found,
               Timed(LACKED, lacking) if lacking else None, error)


def decided(*rows) -> decision.Decided:
    decision.decide(list(rows))
    return decision.Decided("allreduce", list(rows), decision.ranges_of(list(rows)))


class Decisions(unittest.TestCase):
    def test_a_win_within_the_model_s_error_stays_out_of_the_file(self):
        # 1.22 is below exp(0.2), 1.23 above it.
        found = decided(row(1024, 1.22, (RING, 1.0)), row(2048, 1.23, (RING, 1.0)))
        self.assertEqual([one.entry is not None for one in found.rows], [False, True])
        self.assertEqual(found.ranges, [Range(0, 2047, None), Range(2048, 2048, RING),
                                        Range(2049, None, None)])

    def test_without_a_win_there_is_no_entry(self):
        found = decided(row(1024, 1.0, (RING, 1.0)))
        self.assertEqual((found.entries, found.ranges), ([], [Range(0, None, None)]))
        self.assertEqual(found.rows[0].best, found.rows[0].own)

    def test_neighbours_with_one_choice_are_one_range_that_ends_where_simulation_does(self):
        found = decided(row(1024, 2.0, (RING, 1.0)), row(4096, 2.0, (RING, 1.0)))
        self.assertEqual(found.entries, [Range(1024, 4096, RING)])

    def test_two_entries_meet_at_the_geometric_mean(self):
        found = decided(row(1024, 9.0, (RING, 1.0), (CUT, 2.0)),
                        row(4096, 9.0, (RING, 2.0), (CUT, 1.0)))
        self.assertEqual(found.entries, [Range(1024, 2047, RING), Range(2048, 4096, CUT)])

    def test_a_size_that_the_library_does_best_divides_ranges(self):
        found = decided(row(1024, 2.0, (RING, 1.0)), row(2048, 1.0, (RING, 1.0)),
                        row(4096, 2.0, (RING, 1.0)))
        self.assertEqual(found.entries, [Range(1024, 1024, RING), Range(4096, 4096, RING)])

    def test_a_choice_stays_while_it_is_about_as_fast(self):
        kept = decided(row(1024, 9.0, (RING, 1.0), (CUT, 2.0)),
                       row(2048, 9.0, (RING, decision.KEPT * 0.999), (CUT, 1.0)))
        self.assertEqual(kept.entries, [Range(1024, 2048, RING)])
        left = decided(row(1024, 9.0, (RING, 1.0), (CUT, 2.0)),
                       row(2048, 9.0, (RING, decision.KEPT * 1.001), (CUT, 1.0)))
        self.assertEqual(left.entries[-1].choice, CUT)

    def test_missing_algorithm_is_reported_and_not_written(self):
        found = decided(row(1024, 2.0, (RING, 1.0), lacking=0.5))
        self.assertTrue(found.rows[0].would_be_faster)
        self.assertEqual(found.entries[0].choice, RING)
        self.assertIn("Open MPI does not have it: two_level", text.lacking(found, "Open MPI")[0])
        self.assertFalse(decided(row(1024, 2.0, (RING, 1.0), lacking=0.9)).rows[0].would_be_faster)

    def test_segments_that_do_not_cut_the_vector_are_not_asked_for(self):
        way = Way("broadcast", "chain", "pipeline", 3, segments=(0, 8192, 32768))
        self.assertEqual([one.segment for one in choices(way, 32768)], [0, 8192])
        self.assertEqual(Choice(way, 0).job(100)["options"], {"segment": "100 B"})


class Words(unittest.TestCase):
    def test_sizes_are_a_range_of_powers_of_two_or_a_list(self):
        self.assertEqual(program.sizes("1KiB-4KiB").bytes, [1024, 2048, 4096])
        self.assertEqual(program.sizes("3KiB-9KiB").bytes, [3072, 4096, 8192, 9216])
        self.assertEqual(program.sizes("3MiB,1MiB").bytes, [1 << 20, 3 << 20])
        for words in ("", "1KiB-", "4KiB-1KiB", "0B", "1KiB,x", "-1KiB", "5"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=words):
                program.sizes(words)

    def test_json_has_what_the_screen_has(self):
        ground = Ground({}, {}, "4-4", "a", "b", "fitted")
        found = decided(row(1024, 2.0, (RING, 1.0), lacking=0.5))
        said = document.json_text(ground, open_mpi.FORMAT, [found])
        self.assertIn('"entry": {', said)
        self.assertIn('"gain": 0.75', said)


class OpenMpi(unittest.TestCase):
    def test_rules_hold_for_these_ranks_and_no_others(self):
        found = decided(row(1024, 2.0, (CUT, 1.0)), row(2048, 2.0, (RING, 1.0)))
        lines = open_mpi.write([found], Target(8, 3, "said")).splitlines()
        numbers = [line.split("#")[0].split() for line in lines]
        self.assertEqual([[int(one) for one in line] for line in numbers if line], [
            [1], [2], [3],
            [0], [1], [0, 0, 0, 0],
            [8], [4], [0, 0, 0, 0], [1024, 5, 0, 65536], [1448, 4, 0, 0], [2049, 0, 0, 0],
            [9], [1], [0, 0, 0, 0]])

    def test_every_way_has_a_collective_with_a_number_and_a_rule(self):
        for form in FORMATS.values():
            for way in form.ways:
                self.assertIn(way.collective, form.own)
        for name in open_mpi.OWN:
            self.assertIn(name, open_mpi.COLLECTIVES)


if __name__ == "__main__":
    unittest.main()
