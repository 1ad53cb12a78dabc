# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the plots draw what the files say, with units, and refuse what they cannot draw?"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

PLOTS = os.path.dirname(os.path.abspath(__file__))
try:
    from common import style
    from plots import breakdown, scaling, timeline
    from plots.programs_for_test import run
except ImportError as error:
    print(f"SKIP plots: {error}; install python3-matplotlib")
    sys.exit(77)

TIMELINE = """case,rank,activity,phase,step,peer,start_s,end_s,cause
4-2-2,0,in_send,reduce-scatter,0,1,0,0.002,copy
4-2-2,0,reduce,reduce-scatter,0,,0.002,0.003,
4-2-2,0,in_wait,allgather,0,1,0.003,0.004,wire
4-2-2,1,in_wait,reduce-scatter,0,0,0,0.003,copy
4-2-2,1,copy,allgather,0,,0.003,0.0035,
4-2-2,1,idle,,,,0.0035,0.004,
4-3-1,0,compute,,,,0,0.008,
"""
HEAD = TIMELINE.splitlines()[0] + "\n"
SCALING = ("case,collective,algorithm,cluster,library,placement,ranks,bytes,time_s,"
           "algbw_bytes_per_s,busbw_bytes_per_s,messages,bytes_on_wire,bytes_between_hosts,seed,"
           "kernel\n")


def scaling_row(case="c", placement="4-4", library="tcp", ranks=8, size=1024, time=1e-5, busbw=1e9):
    return (f"{case},allreduce,ring_allreduce,rack,{library},{placement},{ranks},{size},{time},"
            f"{busbw},{busbw},1,1,1,1,simgrid\n")


def report(names=("4-2-2",), ranks=2, per_host=2, waited=None, **changes):
    seconds = dict.fromkeys(style.ACTIVITIES, 0.0) | {"reduce": 0.25, "in_wait": 0.75}
    case = {"question": "Why?", "time_s": 1.0,
            "ranks": [{"rank": rank, "host": f"host{rank // per_host}", "seconds": seconds,
                       "waited_for_s": waited or {"copy": 0.5, "wire": 0.25}}
                      for rank in range(ranks)]} | changes
    return json.dumps({"schema": 1, "cases": [{"name": name} | case for name in names]})


class InFolder(unittest.TestCase):
    def setUp(self):
        style.matplotlib.rcParams.update(style.SETTINGS)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(style.plt.close, "all")
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, text, name="in"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run_plots(self, *words):
        """Runs plots, [PLOT, WORD...] each, one after the other in a process of its own."""
        ran = subprocess.run([sys.executable, "-B", "-m", "plots.programs_for_test",
                              json.dumps(words)], capture_output=True, text=True,
                             cwd=os.path.dirname(PLOTS))
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", ""))

    def complaint(self, plot, *words):
        """The line with which a plot's program ends in this process: Python's exit code is 1."""
        with mock.patch.object(sys, "argv", [plot, *words]), \
                self.assertRaises(SystemExit) as ended:
            run(plot)
        return ended.exception.code


class Timeline(InFolder):
    def draw(self, text):
        return timeline.draw(timeline.read_timeline(self.write(text)), "Why?")

    def test_one_panel_per_case_with_one_row_per_rank_and_a_shared_axis_in_ms(self):
        first, second = self.draw(TIMELINE).axes
        self.assertEqual([label.get_text() for label in first.get_yticklabels()], ["0", "1"])
        self.assertEqual(first.get_title("left"), "4-2-2:  4 ms")
        self.assertEqual(second.get_title("left"), "4-3-1:  8 ms")
        self.assertEqual(second.get_xlabel(), "time (ms)")
        self.assertEqual(first.get_xlim(), second.get_xlim())

    def test_each_stream_of_a_rank_has_a_row(self):
        header, *lines = TIMELINE.splitlines()
        rows = [f"{line},{stream}" for line in lines for stream in ("main", "comm")]
        axes = self.draw("\n".join([f"{header},stream", *rows]) + "\n").axes[0]
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()],
                         ["0 main", "0 comm", "1 main", "1 comm"])

    def test_bars_lie_where_the_spans_are(self):
        axes = self.draw(TIMELINE).axes[0]
        extents = sorted((float(min(bar)), float(max(bar))) for collection in axes.collections
                         if isinstance(collection, timeline.PathCollection)
                         for path in collection.get_paths()
                         for bar in path.vertices[:, 0].reshape(-1, 5))
        self.assertEqual(extents, [(0, 2), (0, 3), (2, 3), (3, 3.5), (3, 4)])

    def test_phases_are_named_and_each_rank_has_a_tick_where_it_enters_the_next(self):
        axes = self.draw(TIMELINE).axes[0]
        self.assertEqual([text.get_text() for text in axes.texts], ["reduce-scatter", "allgather"])
        (ticks,) = [collection.get_segments() for collection in axes.collections
                    if isinstance(collection, timeline.LineCollection)]
        self.assertEqual([tick.tolist() for tick in ticks],
                         [[[3, -0.5], [3, 0.5]], [[3, 0.5], [3, 1.5]]])

    def test_the_legend_names_what_occurs_and_what_ranks_are_blocked_by(self):
        legend = self.draw(TIMELINE).legends[0]
        self.assertCountEqual([text.get_text() for text in legend.get_texts()],
                              ["computes", "reduces", "copies", "blocked: a core copies",
                               "blocked: network"])

    def test_the_unit_follows_the_longest_case(self):
        row = "a,0,reduce,,,,0,{},\n"
        header = TIMELINE.splitlines()[0] + "\n"
        for end, unit in ((2.5, "s"), (1e-3, "ms"), (9e-4, "us"), (3e-8, "ns"), (0, "s")):
            axes = self.draw(header + row.format(end)).axes[0]
            self.assertEqual(axes.get_xlabel(), f"time ({unit})")


class Scaling(InFolder):
    def draw(self, rows):
        return scaling.draw(scaling.read_points(self.write(SCALING + "".join(rows))), None)

    def labels(self, figure):
        return [text.get_text() for text in figure.legends[0].get_texts()]

    def test_lines_differ_by_what_their_cases_differ_in(self):
        figure = self.draw([scaling_row(placement=placement, size=size)
                            for placement in ("4-2-2", "4-3-1") for size in (1024, 4096)])
        self.assertEqual(self.labels(figure), ["4-2-2", "4-3-1"])
        self.assertEqual(len({line.get_marker() for line in figure.axes[0].lines}), 2)

    def test_axes_are_logarithmic_and_carry_units(self):
        left, right = self.draw([scaling_row(), scaling_row(size=4096, time=2e-4)]).axes
        self.assertEqual([left.get_xscale(), left.get_yscale()], ["log", "log"])
        self.assertEqual(left.get_xlabel(), "message size per rank (bytes)")
        self.assertEqual(left.get_ylabel(), "time (us)")
        self.assertEqual(right.get_ylabel(), "bus bandwidth (GB/s)")
        self.assertEqual([label.get_text() for label in left.get_xticklabels()],
                         ["1 KiB", "2 KiB", "4 KiB"])
        self.assertEqual(list(left.lines[0].get_ydata()), [1e-5 / 1e-6, 2e-4 / 1e-6])

    def test_labels_of_sizes_have_room(self):
        for sizes in ([2**power for power in range(2, 31)], [1 << 10, 1 << 19], [64, 1 << 28]):
            figure = self.draw([scaling_row(size=size) for size in sizes])
            figure.canvas.draw()
            boxes = [label.get_window_extent() for label in figure.axes[0].get_xticklabels()]
            self.assertGreaterEqual(len(boxes), 3)
            for box, after in zip(boxes, boxes[1:]):
                self.assertLess(box.x1 + 4, after.x0)

    def test_numbers_on_logarithmic_axes_are_plain(self):
        figure = self.draw([scaling_row(size=1 << i, time=10.0**i * 1e-7) for i in range(1, 8)])
        figure.canvas.draw()
        labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        self.assertIn("100", labels)
        self.assertNotIn("$", "".join(labels))

    def test_where_the_size_is_constant_x_is_the_number_of_ranks(self):
        left = self.draw([scaling_row(ranks=ranks, placement=str(ranks))
                          for ranks in (2, 4, 64)]).axes[0]
        self.assertEqual(len(left.lines), 1)
        self.assertEqual(left.get_xlabel(), "ranks")
        self.assertEqual([label.get_text() for label in left.get_xticklabels()], ["2", "4", "64"])

    def test_range_of_an_estimate_is_a_band_in_both_panels(self):
        text = (SCALING.rstrip() + ",low_s,high_s\n" + scaling_row(time=1e-5).rstrip()
                + ",5e-6,2e-5\n" + scaling_row(size=4096).rstrip() + ",,\n")
        drawn = scaling.draw(scaling.read_points(self.write(text)), None).axes
        for axes, ends in zip(drawn, ({5, 20}, {0.5, 2})):
            heights = [y for _, y in axes.collections[0].get_paths()[0].vertices]
            self.assertEqual({round(y, 9) for y in heights}, ends)
            self.assertIn("band: 90 % range", axes.get_ylabel())

    def test_cases_that_differ_in_nothing_shown_become_lines_by_name(self):
        figure = self.draw([scaling_row(case="wire"), scaling_row(case="nic", time=1e-6)])
        self.assertEqual(self.labels(figure), ["wire", "nic"])

    def test_a_collective_without_bandwidth_says_so(self):
        right = self.draw([scaling_row(size=0, busbw=0)]).axes[1]
        self.assertEqual(right.texts[0].get_text(), "not defined for this collective")


class Pictures(InFolder):
    INPUTS = {"timeline": (TIMELINE, timeline.read_timeline, timeline.draw),
              "breakdown": (report(), breakdown.read_report, breakdown.draw),
              "scaling": (SCALING + scaling_row(), scaling.read_points, scaling.draw)}

    def run_plot(self, plot, source, output):
        words = [sys.executable, "-B", os.path.join(PLOTS, plot), source, "-o", output]
        return subprocess.run(words, capture_output=True, text=True)

    def test_cells_are_escaped_for_the_terminal(self):
        source = self.write(SCALING + scaling_row() + scaling_row(ranks="\x1b[31m"))
        ran = self.run_plot("scaling", source, self.path("a.png"))
        self.assertNotEqual(ran.returncode, 0)
        self.assertNotIn("\x1b", ran.stderr)
        self.assertIn(r"\x1b[31m", ran.stderr)

    def test_a_picture_has_150_dots_per_inch_and_is_not_blank(self):
        for plot, (text, read, draw) in self.INPUTS.items():
            source = self.write(text)
            ran = self.run_plot(plot, source, self.path("a.png"))
            self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", ""))
            with open(self.path("a.png"), "rb") as file:
                png = file.read()
            inches = draw(read(source), "Why?").get_size_inches()
            self.assertEqual(struct.unpack(">II", png[16:24]), tuple((inches * 150).astype(int)))
            pixels = style.plt.imread(self.path("a.png"))[:, :, :3]
            self.assertGreater((pixels < 0.9).any(axis=2).mean(), 0.01)

    def test_the_same_input_gives_the_same_bytes(self):
        sources = {plot: self.write(text, plot) for plot, (text, _, _) in self.INPUTS.items()}
        for name in "ab":  # of two processes
            self.run_plots(*([plot, source, "-o", self.path(f"{plot}-{name}.{kind}")]
                             for plot, source in sources.items() for kind in style.FORMATS))
        for plot in sources:
            for kind in style.FORMATS:
                pictures = []
                for name in (f"a.{kind}", f"b.{kind}"):
                    with open(self.path(f"{plot}-{name}"), "rb") as file:
                        pictures.append(file.read())
                self.assertEqual(*pictures)
                self.assertNotIn(style.matplotlib.__version__.encode(), pictures[0])

    def test_a_picture_has_the_format_of_its_name(self):
        starts = {"a.png": b"\x89PNG", "a.pdf": b"%PDF", "a.svg": b"<?xml", "a.eps": b"%!PS-Adobe",
                  "B.PDF": b"%PDF"}
        source = self.write(report())
        self.run_plots(*(["breakdown", source, "-o", self.path(name)] for name in starts))
        for name, start in starts.items():
            with open(self.path(name), "rb") as file:
                self.assertTrue(file.read().startswith(start), name)

    def test_another_format_is_refused_with_those_that_are_known(self):
        for name, got in (("a.gif", "'.gif'"), ("picture", "a name without an ending")):
            self.assertEqual(
                self.complaint("breakdown", self.write(report()), "-o", self.path(name)),
                f"breakdown: {self.path(name)}: expected a name that ends in .png, .pdf, .svg "
                f"or .eps, got {got}")
            self.assertFalse(os.path.exists(self.path(name)))


class BadInput(InFolder):
    def refuses(self, read, text, message):
        source = self.write(text)
        with self.assertRaises(style.InputError) as raised:
            read(source)
        self.assertEqual(str(raised.exception), f"{source}{message}")

    def test_csv(self):
        columns = "case, rank, activity, phase, step, peer, start_s, cause"
        least = "expected a number of at least 0"
        for text, message in (
                ("", ": is empty"),
                (" \n", ": is empty"),
                (HEAD, ": has a header but no rows"),
                (HEAD.replace(",end_s", ""), f":1: column 'end_s' is missing (found: {columns})"),
                (HEAD + "a,0,reduce\n", ":2: expected 9 values, got 3"),
                (HEAD + "a,x,reduce,,,,0,1,\n",
                 ":2: rank: expected a whole number of at least 0, got 'x'"),
                (HEAD + "a,0,reduce,,,,0,nan,\n", f":2: end_s: {least}, got 'nan'"),
                (HEAD + "a,0,reduce,,,,-1,1,\n", f":2: start_s: {least}, got '-1'"),
                (HEAD + "a,0,reduce,,,,2,1,\n", ":2: end_s is before start_s"),
                (HEAD + "a,0,sleep,,,,0,1,\n",
                 ":2: unknown activity 'sleep' (known: compute, reduce, copy, overhead, in_send, "
                 "in_wait, idle)")):
            self.refuses(timeline.read_timeline, text, message)
        self.refuses(scaling.read_points, "x\n\n", ":1: column 'case' is missing (found: x)")
        self.refuses(scaling.read_points, ",".join(scaling.COLUMNS) + "\n",
                     ": has a header but no rows: all cases are deadlocked: nothing to "
                     "draw; `ringscope run` prints the reason")

    def test_json(self):
        nothing, rank = ": nothing to draw", ": cases[0].ranks[0].seconds: "
        for text, message in (
                ("", ": is empty"),
                ('{"cases": [\n}', ":2:1: is not JSON: Expecting value"),
                ("[]", ": key 'cases' is missing"),
                ('{"cases": []}', ": cases: is empty"),
                ('{"cases": [], "stuck": [{"name": "a", "deadlock": {"text": "deadlock\\nb"}}]}',
                 f": cases: is empty: the only case is deadlocked{nothing}: a: deadlock"),
                ('{"cases": [], "stuck": [1, 2]}',
                 f": cases: is empty: all 2 cases are deadlocked{nothing}"),
                ('{"cases": {}}', ": cases: expected a list, got {}"),
                ('{"cases": [1]}', ": cases[0]: key 'ranks' is missing"),
                (report(ranks=0), ": cases[0]: ranks: is empty"),
                (report(time_s="1"), ': cases[0]: time_s: expected a number, got "1"'),
                (report().replace('"reduce"', '"reduces"', 1), f"{rank}key 'reduce' is missing"),
                (report().replace("0.25", "NaN", 1),
                 f"{rank}reduce: expected a number, got NaN")):
            self.refuses(breakdown.read_report, text, message)

    def test_a_plot_ends_with_one_line_and_exit_code_1(self):
        words = ["absent", "-o", self.path("a.png")]
        ran = subprocess.run([sys.executable, "-B", os.path.join(PLOTS, "timeline"), *words],
                             capture_output=True, text=True)
        why = "absent: No such file or directory"
        self.assertEqual((ran.returncode, ran.stderr), (1, f"timeline: {why}\n"))
        for plot in ("timeline", "breakdown", "scaling"):
            self.assertEqual(self.complaint(plot, *words), f"{plot}: {why}")
        self.assertFalse(os.path.exists(self.path("a.png")))

    def test_a_binary_file_and_an_unwritable_picture_are_refused(self):
        with open(self.path("binary"), "wb") as file:
            file.write(b"\xff\xfe\x00")
        with self.assertRaisesRegex(style.InputError, "binary: is not a text file"):
            timeline.read_timeline(self.path("binary"))
        with self.assertRaisesRegex(style.InputError, "No such file or directory"):
            style.save(style.plt.figure(), self.path("none/a.png"))

    def test_a_picture_that_cannot_take_its_place_leaves_nothing_beside_it(self):
        os.mkdir(self.path("a.png"))
        with self.assertRaisesRegex(style.InputError, "a.png: cannot be written: Is a directory"):
            style.save(style.plt.figure(), self.path("a.png"))
        self.assertEqual(os.listdir(self.folder), ["a.png"])


if __name__ == "__main__":
    unittest.main()
