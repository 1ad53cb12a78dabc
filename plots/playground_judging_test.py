# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the course judge, fit and draw what is right? Needs node, no page.

Usage: python3 -m plots.playground_judging_test.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from plots.course_test import quantity, value_of
from plots.playground_state_test import ROOT, in_node, main

SIZES = [2 ** power for power in range(0, 24, 3)]


class Judging(unittest.TestCase):
    def test_an_order_is_judged_by_pairs(self):
        wrong, right = in_node("""return [[2, 0, 1], [2, 1, 0]].map(values =>
            orderJudged({values}, ["ring", "tree", "linear"], [3e-3, 2e-3, 1e-3]));""")
        self.assertTrue(wrong.startswith("2 of 3 pairs in the right order. Fastest first: "
                                         "linear (1.000 ms); tree (2.000 ms); ring"), wrong)
        self.assertTrue(right.startswith("Right. Fastest first: linear"), right)

    def test_a_number_is_judged_by_its_share(self):
        right, above, below = in_node("""return [10.4, 20, 5].map(value => numberJudged(
            {values: [value]}, {measure: "time_s", scale: 1e-3, unit: "ms", within: 0.05},
            {time_s: 0.01}));""")
        self.assertEqual(right, "Right. You said 10.4 ms. It is 10 ms.")
        self.assertTrue(above.endswith("It is 10 ms: yours is above it by 100 %."), above)
        self.assertTrue(below.endswith("yours is below it by 50 %."), below)

    def test_a_wrong_reason_is_answered_and_the_right_one_named(self):
        wrong, right, none = in_node("""return [0, 1, -1].map(chosen => reasonJudged(chosen,
            [{say: "The link.", why: "It is idle."}, {say: "The core.", right: true}]));""")
        self.assertEqual(wrong, "You said: \u201cThe link.\u201d It is idle. The reason: The core.")
        self.assertEqual(right, "And the right reason: The core.")
        self.assertEqual(none, "")
        wrong, right = in_node("""return [0, 1].map(chosen => reasonJudged(chosen,
            [{say: "One.", why: "No."}, {say: "Two.", right: true}], true));""")
        self.assertEqual((wrong, right), ("You said: \u201cOne.\u201d No. The answer: Two.",
                                          "Right: Two."))

    def test_reasons_and_cases_stand_in_an_order_that_tells_nothing(self):
        places, cases = in_node("""const shown = LESSONS.map(({predict: {reason, order}}) => [
              reason && scattered(reason.map(one => one.say)).findIndex(([i]) => reason[i].right),
              order && scattered(order, order.join(" "))]);
            return [shown.map(([place]) => place).filter(place => place !== undefined),
              shown.map(([, order]) => order).filter(Boolean)];""")
        self.assertEqual(set(places) - {3, 4}, {0, 1, 2})
        for place in set(places):
            self.assertLess(places.count(place), 0.6 * len(places))
        for order in cases:
            self.assertEqual(sorted(index for index, _ in order), list(range(len(order))))

    def test_what_was_said_is_judged_with_its_reason_for_each_kind_of_question(self):
        judged = in_node("""const said = {faster: "same 1", number: "number 2"};
            const all = LESSONS.map(({id, predict}) => {
              const kind = ["faster", "order", "number"].find(one => predict[one]) || "reason";
              const right = (predict.reason || []).findIndex(one => one.right);
              said.order = `order ${(predict.order || []).map((_, i) => i).join(" ")}`;
              const text = (said[kind] || "reason") + (right < 0 ? "" : ` because ${right}`);
              const cases = ["A", "B"].map((name, i) => ({name, seconds: 1 + i,
                report: {[predict.number?.measure]: 2 * (predict.number?.scale || 1)}}));
              return predictionText({...freshState(id), two: true, said: text}, cases,
                async names => names.map((_, i) => i + 1)).then(words => [kind, right, words]); });
            return Promise.all(all);""")
        begins = {"faster": "You said: both the same.", "order": "Right. Fastest first: ",
                  "number": "Right. You said 2 ", "reason": "Right: "}
        for kind, right, words in judged:
            self.assertTrue(words.startswith(begins[kind]), words)
            self.assertEqual("ight reason: " in words or "Right: " in words, right >= 0, words)

    def test_runs_solve_an_exercise_by_ratio_range_or_an_end(self):
        said = in_node("""return input.map(([exercise, seconds, more = {}]) =>
            Exercise.prototype.checkRuns.call({checkValue: Exercise.prototype.checkValue,
              exercise: {hint: "Hint.", ...exercise}, runsNow: () => seconds.map((time, i) =>
                ({name: "AB"[i], seconds: time, hosts: [0, 1], places:
                  [0, 0, 1].map(host => ({host})), resolved: {job: {algorithm: "x", n: 4 + i}},
                  report: {busbw: 2e9, ranks: [{numa: 0}], ...more}}))}));""", [
            [{"ratio": [0, 1.1]}, [1, 1.05]], [{"keep": {"counts": "1-1-1"}}, [1, 1]],
            [{"ratio": [0, 1.1]}, [1, 2]], [{"keep": {"numa": 1}}, [1, 1]],
            [{"ratio": [0, 1]}, [1]], [{"keep": {"same": "job.n"}}, [1, 1]],
            [{"keep": {"product": ["job.n", "job.n"], "is": 16, "what": "m"}}, [1, 1]],
            [{"between": [1, 3], "measure": "busbw", "scale": 1e9, "unit": "GB/s"}, [1]],
            [{"between": [3, 4], "measure": "busbw", "scale": 1e9, "unit": "GB/s"}, [1, 1]],
            [{"ends": "x"}, [1]], [{"ends": "x"}, [1], {"deadlock": True}], [{"ends": "y"}, [1]]])
        self.assertEqual(said, [
            "Right: B takes 1.05 times as long as A.", "Not yet: run B has to be placed 1-1-1.",
            "Not yet: B takes 2 times as long as A. Hint.",
            "Not yet: the ranks of run B have to stay on socket 1.", "Show two runs side by side.",
            "Not yet: job.n has to be the same in both runs, but is 4 in A and 5 in B.",
            "Not yet: run B has 25 m instead of 16.", "Right: A has 2 GB/s.",
            "Not yet: B has 2 GB/s, less than 3 GB/s. Hint.", "Right: it ends.",
            "Not yet: it deadlocks. Hint.", "Not yet: the algorithm has to be y."])

    def test_lines_to_hand_in_are_verified_and_a_damaged_one_is_rejected(self):
        lesson, name = in_node("return LESSONS[0].id"), "Zo\u00eb | \U0001f600"
        lines, solved = in_node("""const results = new Results();
            results.add(LESSONS[0].id, {said: "a 1.5 because 0"});
            results.add(LESSONS[0].id, {solved: true});
            results.add(LESSONS[0].id, {said: "b 3"});
            return [results.lines(input), results.has(LESSONS[0].id)];""", name)
        self.assertTrue(solved)
        self.assertIn("| a 1.5 because 0 | solved |", lines)  # the first prediction stays
        for text, code, said in ((lines, 0, f"Zo\u00eb / \U0001f600: 1 exercises solved, "
                                  f"1 lessons begun: {lesson}\n"),
                                 (lines.replace("1.5", "1.6"), 1, "")):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "lines.txt")
                path.write_text(f"Dear lecturer,\n{text}\n", encoding="utf-8")
                done = subprocess.run([sys.executable, "-B", str(
                    ROOT / "plots/playground/check_results.py"), str(path)], text=True,
                    capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (code, said), done.stderr)
            self.assertEqual("damaged line" in done.stderr, bool(code))


class Fitting(unittest.TestCase):
    def fit(self, rows):
        return in_node("const fit = fitOf(input); return fit && {...fit, "
                       "words: survives(fit, input)};", rows)

    def test_a_line_is_found_with_intervals_that_contain_it(self):
        for noise in (0, 0.01):
            rows = [{"bytes": size, "seconds": (12e-6 + 0.8e-9 * size) * (1 + noise * sign)}
                    for size, sign in zip(SIZES, [1, -1, -1, 1, -1, 1, 1, -1])]
            fit = self.fit(rows)
            for key, right in (("latency", 12e-6), ("perByte", 0.8e-9)):
                self.assertAlmostEqual(fit[key] / right, 1, delta=1e-9 + noise)
                self.assertGreaterEqual(fit[key + "Half"] + 1e-9 * right, abs(fit[key] - right))
            self.assertGreater(fit["latencyHalf"] / 12e-6, noise / 4)
            self.assertIn("explain all times", fit["words"])

    def test_two_protocols_are_no_line(self):
        rows = [{"bytes": size, "seconds": 1e-6 + size * 1e-9 + (20e-6 if size > 4096 else 0)}
                for size in SIZES]
        self.assertIn("a line does not explain these times", self.fit(rows)["words"])

    def test_one_size_is_no_line(self):
        self.assertIsNone(in_node("return fitOf(input) || null;",
                                  2 * [{"bytes": 8, "seconds": 1e-6}]))

    def test_rows_of_osu_and_nccl_tests_are_read(self):
        rows = in_node("return rowsOf(input)", """# OSU MPI Latency Test v5.9
# Size          Latency (us)
1024                    2.35
64 KiB  60 us
1e6 870\u00b5s
     1048576        262144     float     sum      -1    145.2    7.22   12.64      0
nonsense

""")
        self.assertEqual([row["bytes"] for row in rows], [1024, 65536, 1e6, 1048576])
        for row, right in zip(rows, [2.35e-6, 60e-6, 870e-6, 145.2e-6]):
            self.assertAlmostEqual(row["seconds"] / right, 1)


class Formulas(unittest.TestCase):
    def test_an_expression_has_its_value(self):
        names = {"P": 8, "L": 2, "n12": 3}
        texts = ["2*(P-1)*L", "P-1-2", "P/L/2", "-L+P*-1", "max(1, log2(P)) - ceil(1.2)",
                 "1e-3*2+n12", "sqrt(min(P, 4))*floor(2.9)", "2-(P-(L-1))"]
        values = in_node("return input[0].map(text => calculated(text, input[1]))", [texts, names])
        self.assertEqual(values, [28, 5, 2, -10, 1, 3.002, 4, -5])

    def test_formulas_of_lessons_have_the_value_that_the_test_of_the_course_computes(self):
        formulas = in_node("""return LESSONS.filter(one => one.formula).map(({formula}) => {
            const {symbols} = new Formula({...formula, measure: "none"}, () => 1, () => {});
            return [formula, Formula.prototype.values.call({formula, symbols})]; });""")
        self.assertGreater(len(formulas), 0)
        for formula, values in formulas:
            names = {name: quantity(one["is"]) for name, one in formula["where"].items()}
            for one, text in zip(values, formula["terms"].values(), strict=True):
                right = value_of(str(text), names)
                self.assertAlmostEqual(one["value"], right, delta=1e-9 * abs(right))

    def test_a_formula_follows_the_settings_of_a_run(self):
        values = in_node("""const formula = new Formula({text: "", terms: {transfer: "S*r*k"},
              where: {S: {is: "64 MiB", what: "", key: "job.bytes"}, k: {is: 0.5, what: ""},
                r: {is: "1 ns/B", what: "", key: "library.reduce_cost"}},
              measure: "busbw"}, () => 1, () => {});
            return input.map(([bytes, cost]) => {
              formula.follow({job: {bytes}, library: {reduce_cost: cost}});
              return formula.values()[0].value; });""", [
            ["1 KiB", "2 us/B"], ["2 KiB", "0 s/B"], [["1 B", "2 B"], "1 s/B"],
            ["1 KiB", "1 parsec"]])
        self.assertEqual([round(value, 9) for value in values], [1.024e-3, 0, 1024, 512])

    def test_keys_change_a_number_by_a_factor_of_two(self):
        numbers = in_node("""const told = [], formula = new Formula({text: "",
              terms: {wait: "n*s*t"}, where: {n: {is: 8, what: ""}, s: {is: 0.1, what: "",
                key: "job.noise.spread"}, t: {is: "5 us", what: "", key: "job.skew"}},
              measure: "busbw"}, () => 1, (...change) => told.push(change));
            const press = (name, key) => {
              formula.symbols[name].words.onkeydown({key, preventDefault() {}});
              return formula.symbols[name].number; };
            return [press("n", "ArrowLeft"), press("s", "ArrowRight"), press("s", "ArrowDown"),
              press("t", "ArrowUp"), press("t", "a"), told];""")
        self.assertEqual(numbers, [4, 0.2, 0.1, 10, 10, [
            ["job.noise.spread", "0.2"], ["job.noise.spread", "0.1"], ["job.skew", "10 us"]]])

    def test_the_largest_terms_cross_where_they_are_equal(self):
        crossing, none = in_node("""const sizes = Array.from({length: 21}, (_, i) => 2 ** i);
            const cross = cost => crossingOf(sizes.map(size =>
              [{kind: "copy", value: 3e-6}, {kind: "latency", value: 5e-6},
               {kind: "transfer", value: size * cost}]), sizes);
            return [cross(1e-9), cross(1e-13) ?? null];""")
        self.assertEqual((crossing, none),
                         ({"size": 5000, "kinds": ["latency", "transfer"]}, None))

    def test_bytes_of_a_formula_have_the_units_of_the_pictures_too(self):
        texts = in_node("""return [6e9, 67998e6].map(bytes => new Formula({text: "S",
              terms: {transfer: "S"}, where: {S: {is: "2 GB", what: ""}}, measure: "bytes_on_wire"},
              () => bytes, () => {}).total.textContent);""")
        # 67998e6 / 2^30 = 63.328
        self.assertEqual(texts, ["Simulated: 6 GB.", "Simulated: 68 GB (63.33 GiB)."])


# A timeline without a canvas, of `path` on eight ranks, 500 pixels wide, over ten seconds
TIMELINE = """const timeline = path => Object.assign(Object.create(TimelineView.prototype),
  {whole: 10, left: 26, wide: 500, rowHeight: 19, rowsEnd: 156, height: 200, zoomed() {},
   one: {path, loads: [], spans: {rows: Array.from({length: 8}, () => [])}, seconds: 10,
     tick: seconds => seconds / 10 * TICKS, inSeconds: tick => tick / TICKS * 10}});
Object.assign(zoom, {from: 0, to: 10});
colours.of = name => name;
const pieces = (count, causes) => Array.from({length: count}, (_, i) => [i / count * TICKS,
  (i + 1) / count * TICKS, causes[i % causes.length], i % 8, ""]);"""
# An allreduce of a ring of eight with one chunk a rank: 100 ticks to arrive, 20 to add. A rank is
# in each send for `input` ticks
RING = """const P = 8, holdings = [], numbers = new Map(), rows = [...Array(P)].map(() => []);
const holding = (runs, waitingRuns = "") => {
  const key = `${runs} ${waitingRuns}`;
  if (!numbers.has(key)) {
    numbers.set(key, holdings.length);
    holdings.push({contributions: runs.split(",").length, runs, waitingRuns,
      waiting: waitingRuns ? 1 : 0}); }
  return numbers.get(key); };
const cells = Array.from({length: P * P}, (_, i) => holding(String(Math.floor(i / P))));
const start = [...cells], changes = [];
const set = (at, cell, to) => {
  changes.push({at, cell, before: cells[cell], after: to});
  cells[cell] = to; };
for (let step = 0; step < 2 * P - 2; ++step) {
  const arrivals = rows.map((row, to) => {
    const from = (to + P - 1) % P, chunk = (from - step + 2 * P) % P;
    rows[from].push({start: 120 * step, end: 120 * step + input, activity: 4, peer: to});
    return [to * P + chunk, holdings[cells[from * P + chunk]].runs]; });
  for (const [cell, runs] of arrivals) {
    const now = holdings[cells[cell]].runs;
    set(120 * step + 100, cell, step < P - 1 ? holding(now, runs) : holding(runs)); }
  for (const [cell, runs] of step < P - 1 ? arrivals : [])
    set(120 * step + 120, cell, holding([...runs.split(","), holdings[cells[cell]].runs]
      .sort().join())); }
changes.sort((a, b) => a.at - b.at);
const column = name => changes.map(one => one[name]);
const {list} = new Flights({follows: "chunks", spans: {rows}, chunks: {count: P, next: 0,
  cells: start, holdings,
  ...Object.fromEntries(["at", "cell", "before", "after"].map(name => [name, column(name)]))}});
return list;"""


class Pictures(unittest.TestCase):
    def test_each_message_of_a_ring_flies_from_its_sender_to_its_receiver(self):
        for sends in (100, 120):  # with 120 ticks sends are one span: when its chunk came counts
            flights = in_node(RING, sends)
            for step in range(14):
                start = 120 * step if sends == 100 or step < 8 else 120 * step - 20
                for rank in range(8):
                    flights.remove({"start": start, "end": 120 * step + 100, "from": rank,
                                    "to": (rank + 1) % 8, "chunk": (rank - step) % 8, "count": 1})
            self.assertEqual(flights, [])

    def test_a_zoom_keeps_the_time_under_the_pointer_and_the_run_in_view(self):
        before, after, parts, ends, scrolled = in_node(TIMELINE + """const view = timeline([]);
            let scrolled = true;
            const wheel = (offsetX, deltaY, ctrlKey) => view.wheel({offsetX, deltaY, ctrlKey,
              preventDefault() { scrolled = false; }});
            wheel(226, 1, false);
            const page = scrolled, before = [], after = [], parts = [];
            for (const x of [226, 100, 400]) {
              before.push(view.secondsAt(x));
              wheel(x, -1, true);
              after.push(view.secondsAt(x));
              parts.push(zoom.to - zoom.from); }
            const ends = [];
            for (let i = 1; i < 99; ++i) {
              view.show(10 - i / 7, 10 + i / 11);
              ends.push([zoom.from, zoom.to]); }
            return [before, after, parts, ends, page];""")
        self.assertTrue(scrolled)
        for one, other in zip(before, after):
            self.assertAlmostEqual(one, other)
        for part, times in zip(parts, (1, 2, 3)):
            self.assertAlmostEqual(part, 10 / 1.2 ** times)
        for start, end in ends:
            self.assertTrue(0 <= start < end <= 10, (start, end))

    def test_a_band_stands_where_a_twentieth_of_the_path_has_no_row(self):
        banded = in_node(TIMELINE + """return [0.04, 0.06].map(unknown => timeline([
            [0, unknown * TICKS, "wire", -1, "a"],
            [unknown * TICKS, TICKS, "compute", 0, ""]]).isThicket());""")
        self.assertEqual(banded, [False, True])

    def test_a_band_stands_in_place_of_a_path_in_a_thicket(self):
        drawn = in_node(TIMELINE + """globalThis.Path2D = class {};
            return [100, 1000].map(count => {
            const view = timeline(pieces(count, ["wire"])), drawn = [];
            for (const name of ["arrows", "band", "critical", "rowLabels", "axis"])
              view[name] = () => drawn.push(name);
            view.banded = view.isThicket();
            view.paint(new Proxy({}, {get: () => () => {}, set: () => true}));
            return drawn; });""")
        self.assertEqual([("band" in names, "critical" in names) for names in drawn],
                         [(False, True), (True, False)])

    def test_a_band_shows_the_share_of_each_cause(self):
        high = in_node(TIMELINE + """const sums = {}, pen = {fillRect(x, y, wide, high) {
              sums[this.fillStyle] = (sums[this.fillStyle] || 0) + high; }};
            timeline(pieces(2000, ["wire", "copy", "wire", "protocol"])).band(pen);
            return Object.entries(sums).map(([name, sum]) => [name, sum / 500 / BAND]);""")
        self.assertEqual({name: round(share, 3) for name, share in high},
                         {"wait-copy-line": 0.25, "wait-wire-line": 0.5,
                          "wait-latency-line": 0.25})


if __name__ == "__main__":
    main()
