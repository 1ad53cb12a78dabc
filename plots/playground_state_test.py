# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the playground keep what is right, and judge predictions fairly? Needs node, no page.

Usage: python3 -m plots.playground_state_test.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOADER = ROOT / "plots/playground/sources_for_test.js"
# In place of the program: rejects wrong keys, and a driver's lack as the program does.
PROGRAM = """
const asked = [];
const fails = async ({case: name, set}) => {
  asked.push(Object.keys(set).join());
  if (name === "4-3-9") return "unknown case";
  if ("job.bytez" in set) return "unknown key";
  if ((set["job.bytes"] || "").endsWith("Mb")) return "unknown unit";
  return set["library.progress"] === "nic" && !("library.network.driver" in set)
    ? "a driver is missing" : ""; };
const sort = (run, said) => sortedOut({refused: {}, ...run}, {case: "4-2-2"}, fails, said);
"""


def in_node(script, value=None):
    done = subprocess.run(["node", str(LOADER), script], input=json.dumps(value), text=True,
                          capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Keys(unittest.TestCase):
    def sorted_out(self, run, said=""):
        return in_node(f"{PROGRAM} return [await sort(input[0], input[1]), asked];", [run, said])

    def test_a_wrong_key_leaves_the_run_and_the_others_stay(self):
        (run, _) = self.sorted_out({"case": "4-2-2", "set": {
            "job.bytes": "1 MiB", "job.bytez": "2 MiB", "library": "offload"}})
        self.assertEqual(run["set"], {"job.bytes": "1 MiB", "library": "offload"})
        self.assertEqual(run["refused"],
                         {"job.bytez": {"text": "2 MiB", "words": "unknown key"}})

    def test_keys_that_were_answered_before_are_not_asked_about(self):
        good = {"case": "4-2-2", "set": {"job.bytes": "1 MiB", "library": "offload"}}
        run, asked = self.sorted_out(
            {**good, "good": good, "set": {**good["set"], "job.bytez": "1"}}, "known words")
        self.assertEqual(run["set"], good["set"])
        self.assertEqual(run["refused"]["job.bytez"]["words"], "known words")
        self.assertEqual(asked, [])

    def test_keys_below_a_rejected_one_come_back(self):
        good = {"case": "4-2-2", "set": {"job.bytez.unit": "1", "job.bytes": "1 MiB"}}
        run, _ = self.sorted_out({**good, "good": good, "set": {
            "job.bytes": "1 MiB", "job.bytez": "1"}})
        self.assertEqual(run["refused"]["job.bytez"]["text"], "1")
        self.assertEqual(run["set"], {"job.bytes": "1 MiB", "job.bytez.unit": "1"})

    def test_a_wrong_value_gives_way_to_the_good_one_before(self):
        good = {"case": "4-2-2", "set": {"job.bytes": "1 MiB"}}
        run, _ = self.sorted_out({**good, "good": good, "set": {"job.bytes": "10 Mb"}})
        self.assertEqual(run["refused"]["job.bytes"]["text"], "10 Mb")
        self.assertEqual(run["set"], {"job.bytes": "1 MiB"})

    def test_keys_that_need_each_other_are_kept_in_any_order(self):
        run, _ = self.sorted_out({"case": "4-2-2", "set": {
            "library.progress": "nic", "library.network.driver": "nic"}})
        self.assertEqual(run["refused"], {})
        self.assertEqual(len(run["set"]), 2)

    def test_an_unknown_case_gives_way_to_the_lessons_case(self):
        run, _ = self.sorted_out({"case": "4-3-9", "set": {"job.bytes": "1 MiB"}})
        self.assertEqual((run["case"], run["set"]), ("4-2-2", {"job.bytes": "1 MiB"}))
        self.assertEqual(run["refused"]["case"]["text"], "4-3-9")

    def test_a_rejected_key_is_in_the_own_address_and_not_in_a_shared_one(self):
        own, shared = in_node("""const state = freshState("03");
            state.runs[0].refused["job.bytez"] = {text: "1 MiB", words: "unknown key"};
            return [addressOf(state, true), addressOf(state, false)];""")
        self.assertIn("a.job.bytez=1+MiB", own)
        self.assertNotIn("bytez", shared)

    def test_a_good_value_beside_a_rejected_one_outlives_a_reload(self):
        run = in_node("""const state = freshState("03"), [run] = state.runs;
            run.set = {"job.bytes": "1 MiB", library: "offload"};
            run.refused = {"job.bytez": {text: "1"}, "job.bytes": {text: "10 Mb"}};
            return stateOf(addressOf(state, true)).runs[0];""")
        self.assertEqual(run["good"]["set"], {"job.bytes": "1 MiB", "library": "offload"})
        self.assertEqual(run["set"], {"job.bytes": "10 Mb", "library": "offload",
                                      "job.bytez": "1"})

    def test_one_change_takes_a_rejected_value_back_or_replaces_it(self):
        script = """const run = {case: "", set: {"job.bytes": "1 KiB"},
              refused: {"job.bytes": {text: "1 Mb"}}};
            changeRun(run, "job.bytes", input); return run;"""
        for text in (None, "1 MiB"):
            self.assertEqual(in_node(script, text), {
                "case": "", "set": {"job.bytes": text or "1 KiB"}, "refused": {}})

    def test_progress_by_the_nic_sets_its_driver_too_and_takes_it_back(self):
        runs = in_node("""const run = {case: "", set: {}, refused: {}};
            return ["nic", "thread", "nic", undefined].map(text => {
              changeRun(run, "library.progress", text); return {...run.set}; });""")
        both = {"library.network.driver": "nic", "library.progress": "nic"}
        self.assertEqual(runs, [both, {"library.progress": "thread"}, both, {}])


class Lessons(unittest.TestCase):
    def test_a_lesson_opens_with_its_runs_or_the_cases_that_its_scenario_compares(self):
        for lesson in in_node("return LESSONS"):
            path = ROOT / f"scenarios/lessons/{lesson['id']}.yaml"
            scenario = yaml.safe_load(path.read_text(encoding="utf-8"))
            names = [case["name"] for case in scenario.get("cases", [])]
            cases = [run.get("case") for run in lesson["runs"]]
            with self.subTest(lesson["id"]):
                if "runs" in scenario["lesson"]:
                    self.assertLessEqual(set(cases), {None, *names})
                else:
                    self.assertEqual(cases, scenario.get("compare", names[:2]) or [None])

    def test_a_lesson_is_found_by_its_number_and_an_unknown_one_is_the_first(self):
        found = in_node("return input.map(id => lessonNamed(id).id)", ["03", "03-anomaly", "x"])
        self.assertEqual(found, ["03-anomaly", "03-anomaly", in_node("return LESSONS[0].id")])

    def test_names_of_cases_are_read_from_blocks_and_braces(self):
        names = in_node("return caseNamesOf(input)", """question: Which?
cases:
# the first pair
  - {name: 4-2-2, set: {placement: 4-2-2}}
  - {name: "A, B"}

  - name: VGG-16, ring  # plain
    set: {neighbours: [{name: x}]}
    more:
      - name: nested
  - name: 'it is'
lesson:
  runs:
  - name: other
""")
        self.assertEqual(names, ["4-2-2", "A, B", "VGG-16, ring", "it is"])

    def test_runs_of_a_step_have_the_names_of_the_step(self):
        given, shown = in_node("""const named = runs => runs?.every(({name}) => name);
            const lesson = LESSONS.find(({steps}) => steps.some(({runs}) => named(runs)));
            const {runs} = lesson.steps.find(step => named(step.runs));
            const state = {...freshState(lesson.id), two: runs.length > 1,
              runs: runs.map(freshRun)};
            const labels = labelsOf(state);
            state.runs[0].set["job.seed"] = "7";
            return [runs.map(({name}) => name), [labels, labelsOf(state)[0]]];""")
        self.assertEqual(shown, [given, "A"])


class Predictions(unittest.TestCase):
    def judged(self, said, *seconds):
        return in_node("""const state = {lesson: LESSONS[0].id, text: "own", two: true,
              said: input.said};
            return predictionText(state, input.seconds.map((seconds, i) =>
              ({name: "AB"[i], seconds, report: {}})));""", {"said": said, "seconds": seconds})

    def test_no_difference_is_called_so(self):
        self.assertTrue(self.judged("a 1.5", 1, 1.01).endswith(
            "Not right: there is no difference."))
        self.assertTrue(self.judged("same 1", 1, 1.01).endswith("Right."))
        self.assertTrue(self.judged("same 1", 1, 2).endswith("Not right: there is a difference."))

    def test_the_other_run_is_called_the_other_way_round(self):
        self.assertIn("The other way round", self.judged("b 2", 1, 2))

    def test_a_factor_is_judged_as_a_ratio_and_in_words_that_can_be_read(self):
        self.assertIn("The right run. The factor is 5.5; you said 1.5.",
                      self.judged("a 1.5", 1, 5.5))
        self.assertIn("Right, and within 8 %.", self.judged("a 2", 1, 2.16))
        self.assertIn("Right, and within 8 %.", self.judged("a 2.16", 1, 2))
        self.assertIn("Right, and within 1 %.", self.judged("a 4", 1, 3.99))

    def test_a_prediction_is_about_the_runs_that_it_was_made_for(self):
        script = """const {id} = LESSONS.find(({predict}) => predict.faster);
            const state = stateOf(`#lesson=${id}&said=a+2`), before = isPredicted(state);
            state.runs[1].set["job.bytes"] = "3 MiB";
            return [before, isPredicted(state), pastPredictionText(state),
              labelsOf(freshState(id))];"""
        before, after, words, names = in_node(script)
        self.assertEqual((before, after), (True, False))
        self.assertEqual(words, f"Your first prediction, of {' and '.join(names)}, was: "
                                f"{names[0]}, 2 times as fast.")

    def test_subject_of_a_prediction_survives_a_reload(self):
        same = in_node("""const state = freshState("03");
            state.runs[1].set["job.bytes"] = "1 MiB";
            Object.assign(state, {said: "a 2", about: keyOf(state)});
            const again = stateOf(addressOf(state, true));
            return [isPredicted(again), again.about === state.about];""")
        self.assertEqual(same, [True, True])


class Pictures(unittest.TestCase):
    """Pictures and tables of both pages, plots/lesson."""

    def test_small_times_of_a_column_have_digits_and_nothing_is_a_dash(self):
        shown = in_node("""return input.map(times => times.map(time =>
            shownTime(time, scaleOf(times))));""", [
                [2.006, 0.0042, 0], [0.4715, 0.0001], [1.498e-3, 3.6e-6], [9.5e-6, 2e-8]])
        self.assertEqual(shown, [["2006.0 ms", "4.2 ms", "\u2013"], ["471.5 ms", "0.1 ms"],
                                 ["1498.0 us", "3.6 us"], ["9500.0 ns", "20.0 ns"]])
        self.assertEqual(in_node("return shownTime(-1e-9, 1, signedTime)"), "\u2013")

    def test_sizes_are_exact_where_four_digits_do_not_say_them(self):
        said = in_node("return input.map(sizeText)", [65537, 65536, 18750, 1023, 100e6, 3 << 29,
                                                      102_228_128])
        self.assertEqual(said, ["65537 B", "64 KiB", "18.75 kB", "1023 B", "100 MB", "1.5 GiB",
                                "97.49 MiB"])

    def test_numbers_with_units_and_short_brackets_stay_in_one_piece(self):
        whole = in_node("return input.match(WHOLE)", "At 10 Gbit/s (25 GB/s) the 4-3-1 run is "
                        "4 % off, and sends 2 (P - 1)/P S of 8 MiB, 3 of 14 steps")
        self.assertEqual(whole, ["10 Gbit/s", "(25 GB/s)", "4-3-1", "4 %", "2 (P - 1)/P",
                                 "8 MiB,"])

    def test_contributions_that_are_no_counts_are_called_means(self):
        words = in_node("""return input.map(contributions => {
            const chunks = new Chunks({ranks: 1, chunks: 1, goal: {where: "all"}, most_bytes: 1024,
              holdings: [[contributions, "0", 0, ""]], start: [0, 1], changes: ""});
            return CaseView.prototype.chunkText.call({one: {chunks}}); });""", [10, 10.3])
        self.assertTrue(words[0].endswith("contributions summed in each"), words[0])
        self.assertTrue(words[1].endswith("in each, the mean over its elements"), words[1])

    def test_borders_of_hosts_stand_clear_of_the_numbers_of_ranks(self):
        for height, hosts in ((6.5, [0, 1, 1, 2]), (19, [0, 1, 1, 2]), (19, [0, 1, 2, 3])):
            drawn = in_node("""const labels = [], lines = [], [height, hosts] = input;
                colours.of = () => "";
                TimelineView.prototype.rowLabels.call({rowHeight: height, left: 26,
                  y: rank => rank * height + 2,
                  one: {machine: {ranks: [0, 1, 2, 3], components: hosts.map(host =>
                    ({host}))}, spans: {rows: [0, 1, 2, 3]}}},
                  {fillText: (text, x, y) => labels.push([x, y]),
                   fillRect: (x, y) => lines.push([x, y])});
                return {labels, lines};""", [height, hosts])
            # A line at each number would tell nothing.
            self.assertEqual(len(drawn["lines"]), 2 if 3 not in hosts else 0)
            for right, middle in drawn["labels"]:
                for left, y in drawn["lines"]:  # numbers are 10 px high
                    self.assertTrue(left > right or abs(y - middle) > 5, (height, left, y))


def main():
    if not shutil.which("node"):
        print("SKIP playground: no node: run scripts/install_packages all")
        sys.exit(77)
    unittest.main()


if __name__ == "__main__":
    main()
