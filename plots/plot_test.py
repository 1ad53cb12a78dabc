# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `ringscope plot` know what a file is, and do its pictures show what stands there?

Usage: python3 -m plots.plot_test BUILD
"""

import itertools
import json
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

from plots.plots_test import SCALING, TIMELINE, InFolder, report, scaling_row, style
from plots import errors, loads
from plots.programs_for_test import run

BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build").resolve()
STARTS = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml", "eps": b"%!PS-Adobe"}
PLACEMENTS = "place,placement,time_s,held_up_by,yours\n1,4-4,0.5,link x,1\n"


def judged(error=0.1, **changes):
    return {"case": "c", "algorithm": "ring", "bytes": 1024, "measured_s": 1.0, "fitted": False,
            "predicted_s": 1 + error, "error": error, "marks": []} | changes


def verdict(*cases, level=None):
    document = {"schema": 1, "model": "fit.yaml", "pairs": [], "cases": list(cases)}
    return json.dumps(document | ({"interval": {"level": level}} if level else {}))


class Program(InFolder):
    def ringscope(self, *words):
        return subprocess.run([BUILD / "ringscope", *words], capture_output=True, text=True)

    def plot(self, source, output, *words):
        """The picture that `ringscope plot` draws, in this process."""
        with mock.patch.object(sys, "argv", ["plot", source, "-o", self.path(output), *words]):
            run("plot")
        return pathlib.Path(self.path(output)).read_bytes()

    def lesson(self, scenario="03-anomaly"):
        page = self.path("page.html")
        self.assertEqual(self.ringscope("lesson", scenario, "-o", page).returncode, 0)
        return page


class OneName(Program):
    def sources(self):
        return {"timeline": self.write(TIMELINE, "t"), "breakdown": self.write(report(), "b"),
                "scaling": self.write(SCALING + scaling_row(), "s"),
                "placements": self.write(PLACEMENTS, "p"), "loads": self.lesson(),
                "errors": self.write(verdict(judged(), judged(-0.2, bytes=4096)), "e")}

    def test_the_kind_follows_from_the_file(self):
        for kind, source in self.sources().items():
            with self.subTest(kind):
                self.assertEqual(self.plot(source, "a.svg"),
                                 self.plot(source, "b.svg", "--kind", kind))

    def test_with_a_key_a_report_becomes_a_line(self):
        source = self.path("r.json")
        self.ringscope("run", "02-ring-of-8", "--set", "job.bytes=[1 KiB, 1 MiB]", "--json", source)
        picture = self.path("a.svg")
        ran = self.ringscope("plot", source, "-o", picture, "--key", "job.bytes")
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", ""))
        self.assertIn(b"message size per rank", pathlib.Path(picture).read_bytes())

    def test_a_sweep_becomes_a_line_for_each_value_of_its_other_key(self):
        source, table = self.path("s.json"), self.path("s.csv")
        self.ringscope("sweep", "cores-or-wires", "--json", source, "--csv", table, "--no-store")
        how = ("--value", "busbw", "--title", "Which?")  # a table holds no question
        picture = self.plot(source, "a.svg", *how)
        self.assertEqual(self.plot(table, "b.svg", *how), picture)
        for words in (b"cluster link bandwidth", b"4-2-2", b"3-3-2", b"4-3-1"):
            self.assertIn(words, picture)

    def test_a_picture_has_the_format_of_its_name_and_the_same_bytes_again(self):
        source = self.lesson()
        for name in "ab":  # of two processes
            self.run_plots(*(["plot", source, "-o", self.path(f"{name}.{ending}")]
                             for ending in STARTS))
        for ending, start in STARTS.items():
            first, again = (pathlib.Path(self.path(f"{name}.{ending}")).read_bytes()
                            for name in "ab")
            self.assertTrue(first.startswith(start), ending)
            self.assertEqual(first, again)

    def refused(self, *words):
        said = self.complaint("plot", *words)
        self.assertNotIn("\n", said)
        return said

    def test_wrong_words_and_files_are_refused_in_one_line(self):
        source = self.write(report(), "b")
        ran = self.ringscope("plot", source)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr),
                         (1, "", self.refused(source) + "\n"))
        self.assertIn("a.gif: expected a name that ends in .png, .pdf, .svg or .eps, got '.gif'",
                      self.refused(source, "-o", self.path("a.gif")))
        self.assertIn("expected -o PICTURE", self.refused(source))
        self.assertIn("expected a file to draw", self.refused())
        self.assertIn("invalid choice: 'pie'", self.refused(source, "--kind", "pie"))
        self.assertIn("unrecognized arguments: --colour",
                      self.refused(source, "-o", self.path("a.png"), "--colour"))
        for text in ("a,b\n1,2\n", "{}"):
            self.assertIn("unknown content",
                          self.refused(self.write(text), "-o", self.path("a.png")))
        self.assertIn(":1:2: is not JSON", self.refused(self.write("{"), "-o", self.path("a.png")))
        table = self.refused(self.write("case,time\n1,2\n"), "-o", self.path("a.png"), "--kind",
                             "breakdown")
        self.assertIn("drawn from what `ringscope run --json` writes", table)
        for kind in ("timeline", "scaling", "placements"):
            self.assertIn("expected a table (CSV of `ringscope run --timeline`, `run --csv` or "
                          "`place --csv`), got JSON",
                          self.refused(source, "-o", self.path("a.png"), "--kind", kind))
        self.assertFalse(pathlib.Path(self.path("a.png")).exists())

    def test_each_kind_has_its_own_help(self):
        for kind in ("against", "loads"):
            ran = self.ringscope("plot", "--kind", kind, "--help")
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertIn(f"usage: {kind}", ran.stdout)


class Loads(Program):
    def drawn(self, scenario):
        figure = loads.draw(loads.read_page(self.lesson(scenario)), "Why?")
        figure.canvas.draw()
        return figure

    @staticmethod
    def words(axes):
        return [text.get_text() for text in axes.texts]

    def test_links_show_the_loads_of_the_report(self):
        source = self.path("r.json")
        self.ringscope("run", "13-neighbours", "--json", source)
        with open(source, encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        figure = self.drawn("13-neighbours")
        for case, axes in zip(cases, figure.axes):
            uplink = max(one["utilisation"] for one in case["resources"]
                         if one["name"] in ("rack0/switch->core", "core->rack0/switch"))
            self.assertIn(loads.percent(uplink), self.words(axes))

    def test_hosts_that_are_loaded_alike_stand_as_one(self):
        words = self.words(self.drawn("two-levels-or-one").axes[0])
        self.assertIn("host0\n8 such hosts", words)

    def test_no_two_words_overlap(self):
        for scenario in ("03-anomaly", "13-neighbours", "16-the-missing-nic"):
            figure = self.drawn(scenario)
            for axes in figure.axes:
                boxes = [text.get_window_extent() for text in axes.texts]
                for box, other in itertools.combinations(boxes, 2):
                    self.assertFalse(box.overlaps(other), (scenario, box, other))

    def test_many_hosts_are_shown_by_the_busiest_and_the_rest_are_counted(self):
        hosts = [loads.Host(f"host{i}", 1, 8, {"core": i / 100}, {"switch": [0.5]})
                 for i in range(100)]
        shown, others = loads.fewer(hosts)
        self.assertEqual([host.name for host in shown], [f"host{i}" for i in range(88, 100)])
        self.assertEqual(others, 88)

    def test_a_page_without_data_is_refused(self):
        with self.assertRaisesRegex(style.InputError, "it has no data"):
            loads.read_page(self.write("<html></html>"))
        text = '<script type="application/json" id="data">{"cases": []}</script>'
        with self.assertRaisesRegex(style.InputError, "expected the data of a lesson: KeyError"):
            loads.read_page(self.write(text))


class Errors(InFolder):
    def read(self, *cases, level=None):
        return errors.read_verdict(self.write(verdict(*cases, level=level)))

    def test_coverage_is_the_share_of_measured_times_in_the_interval(self):
        inside = judged(0.1, low_s=0.9, high_s=1.2)
        outside = judged(0.1, low_s=1.05, high_s=1.2)
        read = self.read(inside, inside, inside, outside, level=0.9)
        self.assertEqual([errors.covered(one) for one in read.errors], [True, True, True, False])
        self.assertEqual(errors.coverage_words(read),
                         "3 of 4 measured medians (75 %) lie in the model's interval; "
                         "of a right model 90 % would.")
        figure = errors.draw(read, "Why?")
        self.assertIn("3 of 4", "".join(text.get_text() for text in figure.texts))

    def test_a_model_without_intervals_says_so(self):
        for case in (judged(), judged(low_s=None, high_s=None)):
            self.assertIn("coverage is unknown", errors.coverage_words(self.read(case)))

    def test_the_curve_reaches_each_error_at_its_share(self):
        figure = errors.draw(self.read(*(judged(e) for e in (0.4, -0.1, 0.2, -0.3))), "Why?")
        x, y = figure.axes[1].lines[0].get_data()
        points = [(round(float(a), 6), float(b)) for a, b in zip(x, y)]
        self.assertEqual(points, [(0, 0), (10, 25), (20, 50), (30, 75), (40, 100)])
        self.assertEqual([text.get_text() for text in figure.axes[1].texts],
                         ["median: 25.0 %", "90th percentile: 37.0 %"])

    def test_labels_stand_inside_the_picture(self):
        for cases in ((0.4, -0.1, 0.2, -0.3), (0.01, 0.042, 0.043, 0.044), (0.5, 0, 0, 0)):
            figure = errors.draw(self.read(*(judged(error) for error in cases)), "Why?")
            figure.canvas.draw()
            for text in figure.axes[1].texts:
                self.assertLessEqual(text.get_window_extent().x1, figure.bbox.x1, text.get_text())
                self.assertGreaterEqual(text.get_window_extent().x0, figure.axes[1].bbox.x0)

    def test_fitted_and_noisy_cases_do_not_count(self):
        read = self.read(judged(), judged(fitted=True), judged(marks=["noisy"]))
        self.assertEqual(len(read.errors), 1)
        with self.assertRaisesRegex(style.InputError, "none is counted"):
            self.read(judged(fitted=True))


if __name__ == "__main__":
    unittest.main()
