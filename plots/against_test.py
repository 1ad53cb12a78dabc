# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does plots/against read quantities, find where lines cross, and refuse what it cannot draw?"""

import json
import pathlib
import subprocess
import tempfile
import unittest

from plots import against
import plots.plots_test  # noqa: F401  (skips where there is no matplotlib)

HERE = pathlib.Path(__file__).resolve().parent


def case(algorithm, bandwidth, seconds, **more):
    return {"algorithm": algorithm, "placement": "1-1", "library": "ideal", "cluster": "pair*",
            "bytes": 1024, "time_s": seconds,
            "scenario": {"cluster": {"link": {"bandwidth": bandwidth}}}, **more}


class Quantities(unittest.TestCase):
    def test_are_read_with_their_units(self):
        for text, expected in (("10 Gbit/s", (10e9, "bit/s")), ("1.5 GB/s", (1.5e9, "B/s")),
                               ("64 KiB", (65536, "B")), ("20 us", (20e-6, "s")), (8, (8, ""))):
            value, unit = against.quantity(text)
            self.assertAlmostEqual(value / expected[0], 1)
            self.assertEqual(unit, expected[1])

    def test_others_are_refused(self):
        for text in ("ring", "10 furlongs", ""):
            self.assertRaises(ValueError, against.quantity, text)


class Crossings(unittest.TestCase):
    def line(self, function):
        return [against.Point("", x, function(x)) for x in (1, 10, 100)]

    def test_crossing_of_falling_and_level_line_follows_the_formula(self):
        (x, y), = against.crossings(self.line(lambda x: 20 / x), self.line(lambda x: 1.0))
        self.assertAlmostEqual(x, 20)
        self.assertAlmostEqual(y, 1)

    def test_separate_lines_have_no_crossing(self):
        self.assertEqual(against.crossings(self.line(lambda x: x), self.line(lambda x: 2 * x)), [])


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def draw(self, cases, *arguments):
        source = self.folder / "report.json"
        source.write_text(json.dumps({"cases": cases}), encoding="utf-8")
        return subprocess.run(
            [str(HERE / "against"), str(source), "-o", str(self.folder / "p.png"), *arguments],
            check=False, capture_output=True, text=True)

    def test_are_drawn_and_not_empty(self):
        cases = [case(name, f"{rate} Gbit/s", rate ** power) for name, power in
                 (("ring", -1), ("two_level", -0.2)) for rate in (1, 10, 100)]
        done = self.draw(cases, "--key", "cluster.link.bandwidth")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        pixels = against.style.plt.imread(self.folder / "p.png")[:, :, :3]
        self.assertGreater(pixels.std(), 0.02)

    def test_titles_and_axes_are_words_with_units(self):
        source = self.folder / "report.json"
        source.write_text(json.dumps({"cases": [
            case("ring", f"{rate} Gbit/s", 1 / rate, training={"records_per_s": 100 * rate},
                 busbw=1e9 * rate) for rate in (1, 10, 100)]}), encoding="utf-8")
        for value, axis in (("time_s", "time (s)"), ("busbw", "bus bandwidth (GB/s)"),
                            ("training.records_per_s", "records per second")):
            _, points, unit = against.read_points(str(source), "cluster.link.bandwidth", value)
            figure = against.draw(points, unit, "cluster.link.bandwidth", value, None)
            figure.canvas.draw()
            (axes,) = figure.axes
            self.assertEqual(axes.get_xlabel(), "cluster link bandwidth (bit/s)")
            self.assertEqual(axes.get_ylabel(), axis)
            self.assertEqual(figure.texts[0].get_text().replace("\n", " "),
                             f"{axis.split(' (')[0]} against cluster link bandwidth".capitalize())
            labels = "".join(label.get_text() for label in axes.get_yticklabels())
            self.assertNotIn("$", labels)
            against.style.plt.close(figure)

    def test_a_case_without_the_key_is_a_level_line(self):
        cases = [case("ring", "1 GB/s", 2), case("ring", "2 GB/s", 1), case("none", "1 GB/s", 3)]
        cases[2]["scenario"] = {}
        done = self.draw(cases, "--key", "cluster.link.bandwidth")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        _, points, _ = against.read_points(str(self.folder / "report.json"),
                                           "cluster.link.bandwidth", "time_s")
        self.assertEqual([point.x for point in points], [1e9, 2e9, None])

    def test_lines_are_told_apart_by_what_differs(self):
        rows = [(case("ring", "1 GB/s", 1), 1, 1), (case("bruck", "1 GB/s", 1), 1, 1)]
        names = [point.label for point in against.named(rows, "cluster.link.bandwidth")]
        self.assertEqual(names, ["ring", "bruck"])

    def test_invalid_input_is_rejected_with_its_place(self):
        for cases, arguments, message in (
            ([case("ring", "1 GB/s", 1)], ("--key", "cluster.lnik"), "no key 'cluster.lnik'"),
            ([case("ring", "fast", 1)], ("--key", "cluster.link.bandwidth"), "got 'fast'"),
            ([case("ring", "1 GB/s", "long")], ("--key", "cluster.link.bandwidth"), "no number"),
            ([case("ring", "1 GB/s", 1), case("ring", "1 Gbit/s", 1)],
             ("--key", "cluster.link.bandwidth"), "different units"),
        ):
            done = self.draw(cases, *arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.folder / "p.png").exists())


if __name__ == "__main__":
    unittest.main()
