# SPDX-License-Identifier: LGPL-2.1-or-later
"""Can every scenario be drawn, and is no picture empty?

Usage: python3 -m plots.scenarios_test BUILD [I/N] [PANELS], for every Nth scenario, from the Ith
on, with the first PANELS cases where each case has a panel. By default all, and files are written.
"""

import gc
import itertools
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
DOTS_PER_INCH = 50  # plots_test.py looks at pictures with all of them, and at their size


class EveryScenario(unittest.TestCase):
    build = None
    names = NAMES
    panels = None

    def written(self, folder, name):
        """{option: path} of what one run writes."""
        paths = {option: folder / f"{name}{option}" for option, _, _ in PLOTS
                 if option != "--timeline" or name not in LONG}
        words = [str(word) for option in paths.items() for word in option]
        subprocess.run([self.build / "ringscope", "run", name, *words], check=True,
                       capture_output=True, cwd=ROOT)
        return paths

    def check_picture(self, plot, cases):
        if plot is not scaling:
            cases = type(cases)(itertools.islice(
                cases.items() if plot is timeline else cases, self.panels))
        figure = plot.draw(cases, "Why?")
        figure.set_dpi(DOTS_PER_INCH)
        figure.canvas.draw()
        pixels = timeline.numpy.asarray(figure.canvas.buffer_rgba())[:, :, :3]
        self.assertGreater(pixels.std(), 0.02 * 255)
        if self.panels is None:
            self.check_file(figure)
        style.plt.close("all")

    def check_file(self, figure):
        """The file has the size that its plot says."""
        with tempfile.NamedTemporaryFile(suffix=".png") as file, \
                mock.patch.object(style, "DOTS_PER_INCH", DOTS_PER_INCH):
            style.save(figure, file.name)
            size = struct.unpack(">II", pathlib.Path(file.name).read_bytes()[16:24])
        self.assertEqual(size, tuple(int(inch * DOTS_PER_INCH)
                                     for inch in figure.get_size_inches()))

    def test_gives_pictures(self):
        for name in self.names:
            with tempfile.TemporaryDirectory() as folder:
                paths = self.written(pathlib.Path(folder), name)
                for option, plot, read in PLOTS:
                    with self.subTest(scenario=name, plot=plot.__name__):
                        if option in paths:
                            self.check_picture(plot, read(str(paths[option])))

    def test_leaves_out_scenarios_that_there_are(self):
        self.assertLessEqual(LONG, set(NAMES))


if __name__ == "__main__":
    gc.disable()  # it would look at the rows of all timelines again and again
    EveryScenario.build = pathlib.Path(sys.argv.pop(1)).resolve()
    if len(sys.argv) > 1 and "/" in sys.argv[1]:
        first, step = map(int, sys.argv.pop(1).split("/"))
        EveryScenario.names = NAMES[first - 1::step]
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        EveryScenario.panels = int(sys.argv.pop(1))
    unittest.main()
