# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which tables of an MPI stay possible, and what follows for its predictions?

Usage: python3 -m validation.calibration.fit.tables_test
"""

import json
import types
import unittest
import unittest.mock

import numpy as np

from validation.calibration.fit import tables
from validation.calibration.verdict import interval, model

NEW, OLD = tables.TUNED[:2]


def result():
    return types.SimpleNamespace(assumed={}, notes=[], tables={})


class Loop:
    """A loop whose simulated times go by the table: `seconds` of {table: times}."""

    def __init__(self, seconds, ranks=(8,), mpi=""):
        self.seconds, self.result, self.algorithms = seconds, result(), {}
        self.known = {"allreduce": [NEW, OLD]}
        self.cases = [types.SimpleNamespace(
            is_posted=False, parameters={"collective": "allreduce", "algorithm": ""},
            series=types.SimpleNamespace(mpi=mpi), placement=types.SimpleNamespace(ranks=count),
            measured=None) for count in ranks]
        self.simulator = self

    def measured(self):
        return np.ones(2)

    def predict(self, _):
        return np.array(self.seconds[self.algorithms["allreduce"]])

    def scenarios(self, _, once):
        return [{"job": {"bytes": "1 B"}} for _ in self.cases] if once else []

    def run(self, _library, asked, _names, *_):
        """Only 16 KiB tells the tables apart: 4 s by one of them."""
        slow = 4.0 if self.algorithms["allreduce"] == OLD else 1.0
        return json.dumps({"cases": [
            {"time_s": slow if one["job"]["bytes"] == "16384 B" else 1.0} for one in asked]})


def chosen(loop):
    with unittest.mock.patch.object(tables, "library_of", lambda _: {}), \
            unittest.mock.patch.object(tables.cases, "place_of", lambda _: "here"):
        tables.choose_algorithms(loop)
    return loop


class Choice(unittest.TestCase):
    # Errors are means of |log|: e**0.1 against e**0.3 is three times as far off.
    FAR, NEAR = {NEW: np.exp([0.3, -0.3]), OLD: np.exp([0.1, 0.1])}, \
        {NEW: np.exp([0.15, 0.15]), OLD: np.exp([0.1, -0.1])}

    def test_a_table_with_twice_the_error_of_the_best_is_ruled_out(self):
        loop = chosen(Loop(self.FAR))
        self.assertEqual((loop.algorithms, loop.result.tables), ({"allreduce": OLD}, {}))
        self.assertEqual(loop.result.assumed["algorithm of allreduce"],
                         f"{OLD}, which errs least before the fit ({NEW} 35%, {OLD} 11%)")

    def test_two_that_stay_on_one_number_of_ranks_are_a_guess_with_the_size_that_tells(self):
        loop = chosen(Loop(self.NEAR))
        self.assertEqual((loop.algorithms, loop.result.tables),
                         ({}, {"allreduce": [NEW, OLD]}))
        self.assertRegex(loop.result.assumed["algorithm of allreduce"],
                         r"a guess: .*; allreduce of 16 KiB on the same ranks would tell them "
                         r"apart, by a factor of 4$")

    def test_two_that_stay_on_several_numbers_of_ranks_leave_the_better_one_chosen(self):
        loop = chosen(Loop(self.NEAR, ranks=(8, 16)))
        self.assertEqual((loop.algorithms, loop.result.tables),
                         ({"allreduce": OLD}, {"allreduce": [NEW, OLD]}))

    def test_a_version_that_the_log_names_is_no_question(self):
        loop = chosen(Loop(self.NEAR, mpi="Open MPI 4.0.5"))
        self.assertEqual((loop.algorithms, loop.result.tables), ({}, {}))


class Ensemble(unittest.TestCase):
    def test_a_drawn_table_is_taken_unless_the_user_sets_one(self):
        fitted = model.Model("", {}, {}, {"algorithms": {"allreduce": NEW}})
        drawn = {"algorithms": {"allreduce": OLD}}
        self.assertEqual(interval.other_model(fitted, drawn).algorithms, {"allreduce": OLD})
        fitted.algorithms = {"allreduce": "ring"}
        self.assertEqual(interval.other_model(fitted, drawn).algorithms, {"allreduce": "ring"})


if __name__ == "__main__":
    unittest.main()
