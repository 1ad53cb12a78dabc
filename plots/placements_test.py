# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does plots/placements group by what holds a placement up, and refuse what it cannot draw?"""

import pathlib
import subprocess
import tempfile
import unittest

from plots import placements
import plots.plots_test  # noqa: F401  (skips where there is no matplotlib)

HERE = pathlib.Path(__file__).resolve().parent
HEAD = "place,placement,per_host,time_s,ratio,held_up_by,degraded,alike,yours\n"


def row(place, seconds, held_up_by, yours=0):
    return f'{place},4-3-1,4-3-1,{seconds},1,"{held_up_by}",,6,{yours}\n'


class Causes(unittest.TestCase):
    def test_are_the_words_before_the_place(self):
        for words, cause in (("CPU copy on host2/numa0/core0 (rank 7)", "CPU copy"),
                             ("link host0/nic0->switch", "link"),
                             ("link, most of it host0/nic0->switch", "link"),
                             ("", "not known")):
            self.assertEqual(placements.cause_of(words), cause)

    def test_beyond_the_colours_are_the_others(self):
        rows = [placements.Placed(i, "", 1, f"cause {i:02}", False) for i in range(12)]
        names, group = placements.causes(rows)
        self.assertEqual(len(names), len(placements.LINE_COLOURS))
        self.assertEqual((names[-1], group["cause 11"], group["cause 00"]),
                         (placements.OTHERS, placements.OTHERS, "cause 00"))


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def draw(self, text):
        source = self.folder / "placements.csv"
        source.write_text(text, encoding="utf-8")
        return subprocess.run(
            [str(HERE / "placements"), str(source), "-o", str(self.folder / "p.png")],
            check=False, capture_output=True, text=True)

    def test_are_drawn_and_not_empty(self):
        done = self.draw(HEAD + row(1, 0.2, "CPU copy on a", 1) + row(2, 0.4, "link b") +
                         row(3, "", "stuck"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        pixels = placements.plt.imread(self.folder / "p.png")[:, :, :3]
        self.assertGreater(pixels.std(), 0.02)

    def test_invalid_input_is_rejected_with_its_place(self):
        for text, message in ((HEAD, "no rows"), ("place,time_s\n1,2\n", "'placement' is missing"),
                              (HEAD + row(1, "long", "x"), "got 'long'"),
                              (HEAD + row(1, "", "x"), "no placement has a time")):
            done = self.draw(text)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.folder / "p.png").exists())


if __name__ == "__main__":
    unittest.main()
