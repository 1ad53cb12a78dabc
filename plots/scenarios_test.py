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

from plots.plots_test import breakdown, scaling, style, timeline

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A scenario that ends in a deadlock has nothing to draw.
NAMES = sorted(path.stem for path in (ROOT / "scenarios/lessons").glob("*.yaml")
               if "deadlock" not in path.stem)
MOST_BYTES = 64 << 20  # of a file: to draw a million spans more takes a minute and shows no more
PLOTS = (("--timeline", timeline, timeline.read_timeline),
         ("--json", breakdown, breakdown.read_report),
         ("--csv", scaling, scaling.read_points))


class EveryScenario(unittest.TestCase):
    build = None
    names = NAMES

    def draw(self, folder, name, option, plot, read):
        source, picture = folder / f"{name}{option}", folder / f"{name}{option}.png"
        subprocess.run([self.build / "ringscope", "run", name, option, source], check=True,
                       capture_output=True, cwd=ROOT)
        if source.stat().st_size > MOST_BYTES:
            return None
        figure = plot.draw(read(str(source)), "Why?")
        inches = figure.get_size_inches()
        style.save(figure, str(picture))
        return inches, picture

    def check_picture(self, inches, picture):
        size = struct.unpack(">II", picture.read_bytes()[16:24])
        self.assertEqual(size, tuple(int(inch * 150) for inch in inches))
        pixels = style.plt.imread(picture)[:, :, :3]
        self.assertGreater(pixels.std(), 0.02)
        style.plt.close("all")

    def test_gives_pictures_of_the_expected_size(self):
        left_out = []
        with tempfile.TemporaryDirectory() as folder:
            for name in self.names:
                for option, plot, read in PLOTS:
                    with self.subTest(scenario=name, plot=plot.__name__):
                        drawn = self.draw(pathlib.Path(folder), name, option, plot, read)
                        if drawn:
                            self.check_picture(*drawn)
                        else:
                            left_out.append(name)
        self.assertLessEqual(len(left_out), 1, left_out)


if __name__ == "__main__":
    EveryScenario.build = pathlib.Path(sys.argv.pop(1)).resolve()
    if len(sys.argv) > 1 and "/" in sys.argv[-1]:
        first, step = map(int, sys.argv.pop().split("/"))
        EveryScenario.names = NAMES[first - 1::step]
    unittest.main()
