# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are recorded programs predicted as the tables of validation/results/README.md say?

Usage: python3 -m validation.tables.recorded.recorded_test BUILD
"""

import json
import pathlib
import sys
import unittest

from validation.tables.recorded import campaign, table

README = campaign.ROOT / "validation" / "results" / "README.md"
GUIDE = campaign.ROOT / "docs" / "how-to" / "record-my-program.md"


def shown(name: str) -> str:
    text = README.read_text(encoding="utf-8")
    return text.partition(f"<!-- {name}: begin -->\n")[2].partition(f"<!-- {name}: end -->")[0]


class Recorded(unittest.TestCase):
    build = None

    def test_the_tables_show_what_was_predicted_before_it_was_measured(self):
        for name in campaign.NAMES:
            asked = campaign.read(name)
            kept = json.loads(asked.predicted.read_text(encoding="utf-8"))
            self.assertEqual(shown(name), table.table(asked, kept))

    def test_the_guide_shows_the_least_and_the_largest_error(self):
        guide = GUIDE.read_text(encoding="utf-8")
        for name, words in (("recorded", "busy-wait, blind prediction"),
                            ("recorded_again", "sleep, second measurement")):
            asked = campaign.read(name)
            kept = json.loads(asked.predicted.read_text(encoding="utf-8"))
            rows = list(table.rows(asked, kept))
            cells = []
            for as_recorded in (True, False):
                errors = [100 * abs(error) for _, placement, _, _, error in rows
                          if (placement == asked.record) == as_recorded]
                cells.append(f"{min(errors):.1f} to {max(errors):.1f} %")
            self.assertIn(f"| {words} | {' | '.join(cells)} |\n", guide)

    def test_where_the_wire_decides_other_placements_are_within_ten_percent(self):
        """Predicted again, as the simulator is now: no rank of the second campaign spins."""
        asked = campaign.read("recorded_again")
        predicted = table.predictions(str(self.build / "ringscope"), asked)
        for program, placement, _, _, error in table.rows(asked, predicted):
            with self.subTest(program=program, placement=placement):
                self.assertLess(abs(error), 0.1)

    def test_each_program_was_launched_as_often_as_asked_on_each_placement(self):
        for name in campaign.NAMES:
            asked = campaign.read(name)
            launches = json.loads(asked.measured.read_text(encoding="utf-8"))
            for program in asked.programs:
                for placement in asked.placements:
                    same = [one for one in launches
                            if (one["program"], one["placement"]) == (program, placement)]
                    self.assertEqual(len(same), asked.launches)


if __name__ == "__main__":
    Recorded.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
