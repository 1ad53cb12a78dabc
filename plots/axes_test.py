# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do axes, titles and legends of the plots show what matters, and nothing else?"""

import itertools
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


def ends_in(figure):
    """Names at the ends of lines, and what they are."""
    return [text.get_text() for text in figure.axes[0].texts]


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
        self.assertEqual((names_in(figure), set(ends_in(figure)) - {""}),
                         ([], {"VGG-16, ring", "parameter_server"}))

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


def sweep_of(rows, **keys):
    """JSON of a sweep whose `rows` are (values of the keys, seconds)."""
    return json.dumps({"question": "", "keys": list(keys.values()), "rows": [
        {"case": "c", "set": dict(zip(keys.values(), values)), "metrics": {"time_s": seconds},
         "error": ""} for values, seconds in rows]})


class TwoKeys(InFolder):
    def figure(self, rows, second="cluster.link.bandwidth", **options):
        figure = against.figure_of(self.write(sweep_of(rows, x="job.bytes", y=second)), **options)
        self.addCleanup(style.plt.close, figure)
        figure.canvas.draw()
        return figure

    def grid(self, count):
        """Times of sizes in MiB over Gbit/s."""
        return [((f"{size} MiB", f"{rate} Gbit/s"), size / rate) for size in range(1, count + 1)
                for rate in range(1, count + 1)]

    def test_of_numbers_are_a_map_with_the_value_in_each_cell(self):
        figure = self.figure(self.grid(4))
        axes = figure.axes[0]
        shown = {(text.get_position()[0] - 0.5, text.get_position()[1] - 0.5): text.get_text()
                 for text in axes.texts}
        self.assertEqual(len(shown), 16)
        self.assertEqual((shown[0, 0], shown[3, 0], shown[0, 3]), ("1 s", "4 s", "250 ms"))
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()],
                         [f"{rate} Gbit/s" for rate in range(1, 5)])
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()),
                         ("message size per rank", "cluster link bandwidth"))

    def test_with_few_values_or_a_given_key_are_lines_named_at_their_ends(self):
        for figure in (self.figure(self.grid(3)), self.figure(self.grid(4), key="job.bytes")):
            names = ends_in(figure)
            self.assertEqual((len(names), names_in(figure)), (len(figure.axes[0].lines) + 1, []))
            self.assertEqual((names[0], names[-1]), ("3 Gbit/s" if len(names) == 4 else
                                                     "4 Gbit/s", "cluster link bandwidth"))

    def test_names_of_equal_lines_stand_clear_of_each_other(self):
        rows = [((f"{size} MiB", name), size) for name in "abcdef" for size in (1, 2)]
        figure = self.figure(rows, "placement")
        boxes = [style.matplotlib.text.Text.get_window_extent(text)  # without the line to it
                 for text in figure.axes[0].texts]
        for box, other in itertools.combinations(boxes, 2):
            self.assertFalse(box.overlaps(other))
        for box in boxes:
            self.assertLessEqual(box.x1, figure.bbox.x1)
            self.assertLessEqual(box.y1, figure.bbox.y1)

    def test_many_lines_have_a_legend(self):
        rows = [((f"{size} MiB", f"{name}"), size) for name in "abcdefgh" for size in (1, 2)]
        self.assertEqual(names_in(self.figure(rows, "placement")), list("abcdefgh"))


class Widths(InFolder):
    def test_are_read_in_millimetres_centimetres_and_inches(self):
        for words, expected in (("85mm", 85 / 25.4), ("8.5cm", 8.5 / 2.54), ("3.3 in", 3.3)):
            self.assertAlmostEqual(style.inches(words), expected)
        for words in ("85", "5mm", "3 ft", "", "..mm", "9999mm"):
            with self.subTest(words), self.assertRaisesRegex(
                    style.argparse.ArgumentTypeError, f"such as 85mm, .*, got '{words}'"):
                style.inches(words)

    def test_of_a_column_hold_all_words_in_letters_of_eight_points_or_more(self):
        """85 mm is the width of a column of IEEE's and ACM's conferences, about."""
        width = style.inches("85mm")
        placed = "place,placement,time_s,held_up_by,yours\n" + "".join(
            f"{i},4-{i},{i / 8},CPU copy on host{i},{int(i == 2)}\n" for i in range(1, 9))
        figures = [
            timeline.figure_of(self.write(TIMELINE), width=width),
            breakdown.figure_of(self.write(report()), width=width),
            scaling.figure_of(self.write(SCALING + scaling_row() + scaling_row(size=1 << 20)),
                              width=width),
            placements.figure_of(self.write(placed), width=width),
            against.figure_of(self.write(sweep_of(
                [((f"{size} MiB", "4-3-1"), size) for size in (1, 2)], x="job.bytes",
                y="placement")), width=width)]
        for figure in figures:
            self.addCleanup(style.plt.close, figure)
            figure.canvas.draw()
            self.assertAlmostEqual(figure.get_figwidth(), width)
            for text in figure.findobj(style.matplotlib.text.Text):
                box = text.get_window_extent()
                if text.get_text() and text.get_visible() and box.width:
                    self.assertGreaterEqual(text.get_fontsize(), 7.5, text.get_text())
            for text in figure.texts:
                self.assertLessEqual(text.get_window_extent().x1, figure.bbox.x1, text.get_text())


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

    def test_hosts_that_differ_too_much_are_strips_of_links(self):
        used = [(i / 100, f"host{i}/nic0->switch") for i in range(101)]
        many = 2 * loads.MOST_CELLS + 1
        strips = {"NIC to switch of level 1": used, "cores": [(0.5, "core")] * many}
        figure = loads.draw([loads.Case("c", [], 5, {}, [], strips)], "?")
        words = [text.get_text() for text in figure.axes[0].texts]
        self.assertEqual(words, [
            "c", "NIC to switch of level 1 (101): median 50 %, max 100 %, host100/nic0->switch",
            f"cores ({many}): median 50 %, max 50 %, core; 3 in a cell"])
        first, second = (strip.get_array() for strip in figure.axes[0].collections)
        self.assertEqual(list(first.ravel()), [load for load, _ in used])
        self.assertEqual(second.size, -(-many // 3))

    def test_each_heading_has_the_time_of_its_case(self):
        case = {"machine": {"components": [], "links": [], "hosts": [], "ranks": []},
                "loads": {"resources": []}, "report": {"time_s": 0.1888}}
        data = json.dumps({"names": ["alone"], "cases": [case]})
        page = self.write(f'<script type="application/json" id="data">{data}</script>')
        self.assertEqual(loads.read_page(page)[0].name, "alone:  188.8 ms")


if __name__ == "__main__":
    unittest.main()
