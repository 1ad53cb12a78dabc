# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do axes, titles and legends of the plots show what matters, and nothing else?"""

import json
import pathlib
import re
import unittest

from plots.plots_test import (  # skips without matplotlib
    SCALING, TIMELINE, InFolder, breakdown, report, scaling, scaling_row, style, timeline)
from plots import against, errors, loads, placements

PAGES = pathlib.Path(__file__).resolve().parent


def names_in(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def server_case(name, servers, records):
    options = {} if servers is None else {"servers": servers}
    return {"name": f"s {name}", "question": "Ring or server?", "algorithm":
            "ddp" if servers is None else "parameter_server", "bytes": 1, "time_s": 1.0,
            "scenario": {"job": {"options": options}}, "training": {"records_per_s": records}}


class Scales(InFolder):
    def labels(self, axes):
        axes.figure.canvas.draw()
        low, high = axes.get_ylim()
        return [label.get_text() for label in axes.get_yticklabels()
                if low <= label.get_position()[1] <= high and label.get_text()]

    def test_a_bandwidth_starts_at_0(self):
        rows = [scaling_row(size=1 << i, busbw=rate) for i, rate in ((10, 1e6), (20, 9e8),
                                                                     (24, 1.1e9))]
        right = scaling.draw(scaling.read_points(self.write(SCALING + "".join(rows))), None).axes[1]
        self.assertEqual((right.get_yscale(), right.get_ylim()[0]), ("linear", 0))

    def test_an_axis_has_three_labels_or_more_whatever_its_values(self):
        for most in (1.01, 1.5, 3, 9.9, 10, 15, 30, 99, 499, 501, 1e5):
            for least in (1, 2.1, 4.9, 9.9):
                axes = style.plt.figure().add_subplot()
                style.set_y(axes, [least, most * least])
                with self.subTest(most=most, least=least):
                    self.assertGreaterEqual(len(self.labels(axes)), 3)
                style.plt.close("all")

    def test_lines_on_a_linear_axis_cross_where_they_are_drawn(self):
        lines = [[against.Point("", x, y) for x, y in ((1, first), (100, last))]
                 for first, last in ((1, 9), (5, 5))]
        ((x, y),) = against.crossings(*lines, float, float)
        self.assertAlmostEqual(x, 10)  # half of the way between 1 and 100, whose logarithms count
        self.assertAlmostEqual(y, 5)


class References(InFolder):
    def draw(self, cases, title=None):
        source = self.write(json.dumps({"cases": cases}))
        return against.figure_of(source, title, "job.options.servers", "training.records_per_s")

    def test_a_case_without_the_key_is_a_line_without_marks_under_its_own_name(self):
        figure = self.draw([server_case("VGG-16, ring", None, 900)] +
                           [server_case(f"VGG-16, {n} servers", n, 100 * n) for n in (1, 2, 4)])
        level, line = figure.axes[0].lines
        self.assertIn(level.get_marker(), ("", "None", None))
        self.assertEqual(set(level.get_ydata()), {900})
        self.assertEqual(list(line.get_xdata()), [1, 2, 4])
        self.assertEqual(names_in(figure), ["VGG-16, ring", "parameter_server"])

    def test_the_title_is_the_question_of_the_scenario(self):
        cases = [server_case(f"{n} servers", n, n) for n in (1, 2)]
        self.assertEqual(self.draw(cases).texts[0].get_text(), "Ring or server?")
        self.assertEqual(self.draw(cases, "Mine").texts[0].get_text(), "Mine")

    def test_the_title_of_a_sweep_is_its_question(self):
        rows = [{"case": "c", "set": {"job.bytes": f"{n} MiB"}, "metrics": {"time_s": n},
                 "error": ""} for n in (1, 2)]
        source = self.write(json.dumps({"question": "How long?", "keys": ["job.bytes"],
                                        "rows": rows}))
        self.assertEqual(against.figure_of(source).texts[0].get_text(), "How long?")


class Legends(InFolder):
    def test_a_sweep_is_drawn_by_its_first_metric(self):
        rows = [{"case": "c", "set": {"job.options.bucket": f"{n} MiB"}, "error": "",
                 "metrics": {"step_s": n, "records_per_s": 9}} for n in (1, 2)]
        table = ("case,job.options.bucket,step_s,records_per_s,held_up_by,error\n"
                 "c,1 MiB,1,9,,\nc,2 MiB,2,9,,\n")
        for text in (json.dumps({"keys": ["job.options.bucket"], "rows": rows}), table):
            source = self.write(text)
            (line,) = against.figure_of(source).axes[0].lines
            self.assertEqual(list(line.get_ydata()), [1, 2])
            with self.assertRaisesRegex(style.InputError,
                                        r"'time_s' is no number \(known: step_s, records_per_s\)"):
                against.figure_of(source, value="time_s")

    def test_one_line_has_no_legend(self):
        points = scaling.read_points(self.write(SCALING + scaling_row() + scaling_row(size=4096)))
        placed = [placements.Placed(i, "4-4", 1.0, "CPU copy", False) for i in (1, 2)]
        judged = errors.Judged([errors.Error("ring", 8, 0.1, None, None)], None)
        for figure in (scaling.draw(points, None), placements.draw(placed, "?"),
                       errors.draw(judged, "?")):
            self.assertEqual(names_in(figure), [])

    def test_causes_of_less_than_half_a_percent_of_all_ranks_are_not_named(self):
        waited = {"copy": 0.7455, "lock": 0.0045}
        self.assertEqual(names_in(breakdown.draw(breakdown.read_report(
            self.write(report(waited=waited))), "?")), ["reduces", "blocked: a core copies"])
        text = TIMELINE + "4-3-1,0,overhead,,,,0.008,0.008039,\n"
        self.assertNotIn("overhead", names_in(timeline.draw(
            timeline.read_timeline(self.write(text)), "?")))

    def test_kinds_have_the_words_of_the_page(self):
        page = (PAGES / "lesson/format.js").read_text(encoding="utf-8")
        words = re.search(r"KIND_WORDS = \{(.*?)\};", page, re.S)[1]
        self.assertEqual(re.findall(r'"?[\w-]+"?: "([^"]*)"', words),
                         [words for _, _, words in style.KINDS.values()])

    def test_waiting_has_a_lighter_colour_than_its_cause(self):
        def light(kind):
            return sum(style.matplotlib.colors.to_rgb(style.KINDS[kind][0]))
        for cause in ("by copy", "by wire", "by memory", "by lock"):
            self.assertGreater(light("by partner"), light(cause) + 0.2, cause)


class Loads(InFolder):
    def draw(self, hosts, cases):
        case = loads.Case("c:  1.5 ms", [loads.Host(f"h{i}", 1, 1, {}, {"s": [0.5]})
                                         for i in range(hosts)], 0, {"s": 1}, [])
        return loads.draw([case] * cases, "?")

    def test_few_hosts_stand_two_cases_beside_each_other(self):
        corners = {tuple(axes.get_position().p0.round(3)) for axes in self.draw(2, 4).axes[:4]}
        self.assertEqual([len({corner[i] for corner in corners}) for i in (0, 1)], [2, 2])
        wide = self.draw(loads.MOST_BESIDE + 1, 4)
        self.assertEqual(len({axes.get_position().x0 for axes in wide.axes[:4]}), 1)
        self.assertLess(self.draw(2, 4).get_figheight(), 0.6 * wide.get_figheight())

    def test_each_heading_has_the_time_of_its_case(self):
        case = {"machine": {"components": [], "links": [], "hosts": [], "ranks": []},
                "loads": {"resources": []}, "report": {"time_s": 0.1888}}
        data = json.dumps({"names": ["alone"], "cases": [case]})
        page = self.write(f'<script type="application/json" id="data">{data}</script>')
        self.assertEqual(loads.read_page(page)[0].name, "alone:  188.8 ms")


if __name__ == "__main__":
    unittest.main()
