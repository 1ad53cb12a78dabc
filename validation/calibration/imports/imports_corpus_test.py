# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does each input of the corpus come out as it must, and never a number that is not in the text?"""

import sys
import unittest

from common.programs import InputError
from validation.calibration.imports.testing import corpus, fuzz

SEED, TRIES = 20261128, 2000


class Corpus(unittest.TestCase):
    def test_each_input_comes_out_as_it_must(self):
        cases = corpus.all_cases()
        self.assertGreaterEqual(len(cases), 150)
        self.assertEqual(len({case.name for case in cases}), len(cases))
        for case in cases:
            with self.subTest(case.name):
                try:
                    rows = [corpus.row_of(one) for one in corpus.read(case.text, case.given)]
                except InputError as error:
                    self.assertTrue(case.refused, error)
                    self.assertIn(case.refused, str(error))
                    continue
                self.assertFalse(case.refused, "was read")
                self.assertEqual(corpus.shown(rows), corpus.shown(case.rows))


class Fuzzed(unittest.TestCase):
    def test_each_number_of_changed_inputs_is_in_the_text(self):
        print(f"seed {SEED}", file=sys.stderr)
        self.assertEqual(fuzz.faults(SEED, TRIES), [])


if __name__ == "__main__":
    unittest.main()
