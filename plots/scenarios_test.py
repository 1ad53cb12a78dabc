# SPDX-License-Identifier: LGPL-2.1-or-later
"""Can every scenario be drawn, each picture not empty and of the size that its plot says?

Usage: python3 -m plots.scenarios_test BUILD [I/N], for every Nth scenario, from the Ith on.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from plots.plots_test import breakdown, scaling, style, timeline

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A scenario that ends in a deadlock has nothing to draw.
NAMES = sorted(path.stem for path in (ROOT / "scenarios/lessons").glob("*.yaml")
               if "deadlock" not in path.stem)
# No timeline is drawn of these: a million spans more take a minute and show no more.
LONG = {"two-levels-or-one"}
PLOTS = (("--timeline", timeline, timeline.read_timeline),
         ("--json", breakdown, breakdown.read_report),
         ("--csv", scaling, scaling.read_points))
DOTS_PER_INCH = 50  # plots_test.py looks at pictures with all of them


class EveryScenario(unittest.TestCase):
    build = None
    names = NAMES

    def written(self, folder, name):
        """{option: path} of what one run writes."""
        paths = {option: folder / f"{name}{option}" for option, _, _ in PLOTS
                 if option != "--timeline" or name not in LONG}
        words = [str(word) for option in paths.items() for word in option]
        subprocess.run([self.build / "ringscope", "run", name, *words], check=True,
                       capture_output=True, cwd=ROOT)
        return paths

    def draw(self, source, plot, read):
        figure = plot.draw(read(str(source)), "Why?")
        inches, picture = figure.get_size_inches(), source.with_suffix(".png")
        with mock.patch.object(style, "DOTS_PER_INCH", DOTS_PER_INCH):
            style.save(figure, str(picture))
        return inches, picture

    def check_picture(self, inches, picture):
        size = struct.unpack(">II", picture.read_bytes()[16:24])
        self.assertEqual(size, tuple(int(inch * DOTS_PER_INCH) for inch in inches))
        pixels = style.plt.imread(picture)[:, :, :3]
        self.assertGreater(pixels.std(), 0.02)
        style.plt.close("all")

    def test_gives_pictures_of_the_expected_size(self):
        for name in self.names:
            with tempfile.TemporaryDirectory() as folder:
                paths = self.written(pathlib.Path(folder), name)
                for option, plot, read in PLOTS:
                    with self.subTest(scenario=name, plot=plot.__name__):
                        if option in paths:
                            self.check_picture(*self.draw(paths[option], plot, read))

    def test_leaves_out_scenarios_that_there_are(self):
        self.assertLessEqual(LONG, set(NAMES))


if __name__ == "__main__":
    EveryScenario.build = pathlib.Path(sys.argv.pop(1)).resolve()
    if len(sys.argv) > 1 and "/" in sys.argv[-1]:
        first, step = map(int, sys.argv.pop().split("/"))
        EveryScenario.names = NAMES[first - 1::step]
    unittest.main()
