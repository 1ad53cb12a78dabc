#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does scripts/fuzz tell rounding that grows from dates that part at once?"""

import json
import unittest

from testing.fuzzing import meaning, parting
from testing.fuzzing.run import Ended


def timeline(dates, rank="0"):
    """One event after the other, each from a date to the next one."""
    return [{"rank": rank, "activity": "in_wait", "phase": "", "step": "", "peer": "",
             "cause": "wire", "start_s": repr(begin), "end_s": repr(end)}
            for begin, end in zip(dates, dates[1:])]


def later(dates, by):
    return [date * (1 + more) / 3 for date, more in zip(dates, by)]


class Runs(list):
    """A program whose runs take these times, in turn, and whose timelines are too long to read."""

    def run(self, words, *_, keep):
        report = {"cases": [{"times_s": [self.pop(0)]}]} if keep and self else None
        files = {"out.json": json.dumps(report).encode()} if report else {}
        return Ended(words, 0, b"", b"", False, files)


class Parting(unittest.TestCase):
    DATES = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]

    def at_once(self, by, parted):
        return parting.begins_at_once(timeline(self.DATES), timeline(later(self.DATES, by)), 3,
                                      parted)

    def test_gradual_difference_is_rounding(self):
        self.assertIsNone(self.at_once([0, 1e-15, 1e-14, 3e-13, 4e-11, 1e-9], 1e-9))

    def test_sudden_difference_is_a_fault(self):
        self.assertIn("apart, and before that", self.at_once([0, 0, 0, 1e-9, 1e-9, 1e-9], 1e-9))

    def test_ends_that_part_where_no_date_does_are_a_fault(self):
        self.assertIn("the ends are", self.at_once([0, 0, 0, 0, 1e-15, 1e-15], 1e-9))

    def test_another_order_among_dates_that_are_equal_is_a_fault(self):
        ours = timeline(self.DATES)
        theirs = timeline(later(self.DATES, [0] * 6))
        theirs[3]["peer"] = "7"
        self.assertIn("at 4.0 s the order changes", parting.begins_at_once(ours, theirs, 3, 1e-9))

    def test_an_event_more_is_a_fault(self):
        ours, theirs = timeline(self.DATES), timeline(later(self.DATES, [0] * 6))
        self.assertIn("the order changes", parting.begins_at_once(ours, theirs[:-1], 3, 1e-9))

    def test_a_rank_with_an_event_more_at_its_end_does_not_shift_those_of_the_next_one(self):
        by = [0, 1e-15, 1e-14, 3e-13, 4e-11, 1e-9]
        more = timeline(self.DATES + [7.0])
        ours = more + timeline(self.DATES, "1")
        theirs = timeline(later(self.DATES, by)) + timeline(later(self.DATES, by), "1")
        self.assertIsNone(parting.begins_at_once(ours, theirs, 3, 1e-9))

    def test_a_timeline_that_is_too_long_to_be_read_blames_nobody(self):
        check = meaning.Check(Runs([0.5, 0.4]), {"job": {}})
        check.scaling({"times_s": [1.0]})
        self.assertEqual(check.state, "long")

    def test_messages_of_other_threads_tell_how_what_a_rank_waits_for_grew(self):
        def seen(by, factor):
            """A rank that waits from 1 s to 6 s, while another thread of it sends four times."""
            rows = timeline([1.0 * factor, 6.0 * factor * (1 + by[-1])])
            sent = [{"ph": "s", "pid": 0, "tid": 7, "name": "message",
                     "ts": date * 1e6 * factor * (1 + more)}
                    for date, more in zip(self.DATES[1:], by)]
            # Its end decides where it comes from: no event that others follow.
            sent.append({"ph": "s", "pid": 0, "tid": 8, "name": "critical path",
                         "ts": by[-1] * 1e6})
            return rows, parting.messages_of(json.dumps({"traceEvents": sent}))

        growing = [1e-15, 1e-14, 3e-13, 4e-11, 1e-9]
        (ours, our_messages), (theirs, their_messages) = seen([0] * 5, 1), seen(growing, 1 / 3)
        self.assertIn("apart, and before that", parting.begins_at_once(ours, theirs, 3, 1e-9))
        self.assertIsNone(parting.begins_at_once(ours + our_messages, theirs + their_messages, 3,
                                                 1e-9))


if __name__ == "__main__":
    unittest.main()
