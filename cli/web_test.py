# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the program in WebAssembly print what the native one prints, byte for byte?

Usage: python3 -m cli.web_test BUILD, where BUILD holds the native program. Needs the page that
scripts/web makes, and node; skips where one is missing, or the page is older than its sources.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import unittest

from plots.playground.page_for_test import ROOT, WEB, skip_without_page

WASM = WEB / "wasm"
# Schedules and traces that other tools have written are read by the command line alone.
UNREAD = re.compile(r"\.xml\b|\btrace: ")
NAMES = sorted(path.stem for path in (ROOT / "scenarios/lessons").glob("*.yaml")
               if not UNREAD.search(path.read_text(encoding="utf-8")))
MEASURED = re.compile(r'"(wall_s|peak_rss_bytes)": [^,\n]*')
ANOMALY = {"scenario": "03-anomaly", "case": "4-3-1"}


def first_difference(one, other):
    """"" where texts differ in the last digits of sums alone: critical paths of many segments."""
    parts = [re.split(r"(-?[0-9.]+(?:e[-+]?[0-9]+)?)", text) for text in (one, other)]
    if len(parts[0]) != len(parts[1]):
        return "another number of numbers"
    for index, (ours, theirs) in enumerate(zip(*parts)):
        numbers = index % 2 == 1 and all(re.search("[0-9]", text) for text in (ours, theirs))
        if ours != theirs and not (numbers and math.isclose(float(ours), float(theirs),
                                                            rel_tol=1e-9,
                                                            abs_tol=1e-14)):
            return f"{ours!r} is {theirs!r} natively"
    return ""


class Program(unittest.TestCase):
    build = None

    def ask(self, *requests):
        """The answers of one process to these questions, each with its milliseconds."""
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        done = subprocess.run(
            ["node", str(ROOT / "plots/playground/ask.js"), str(WASM), str(ROOT)],
            input=lines, capture_output=True, text=True, timeout=280, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(requests))
        return answers

    def ringscope(self, *arguments):
        done = subprocess.run([str(self.build / "ringscope"), *arguments], capture_output=True,
                              text=True, cwd=ROOT, timeout=250, check=False)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return done.stdout


class SameBytes(Program):
    def test_every_scenario_prints_the_screen_that_the_native_program_prints(self):
        answers = self.ask(*({"ask": "screen", "scenarios": [name]} for name in NAMES))
        for name, answer in zip(NAMES, answers, strict=True):
            with self.subTest(name):
                self.assertEqual(answer["answer"].get("text"),
                                 self.ringscope("compare", name, "--kernel", "fluid"))

    def test_every_scenario_writes_the_native_report_but_for_last_digits_of_sums(self):
        answers = self.ask(*({"ask": "report", "scenarios": [name]} for name in NAMES))
        for name, answer in zip(NAMES, answers, strict=True):
            with self.subTest(name):
                native = self.ringscope("run", name, "--kernel", "fluid", "--json", "-")
                ours = MEASURED.sub("", answer["answer"].get("text", ""))
                self.assertEqual(first_difference(ours, MEASURED.sub("", native)), "")

    def test_overrides_mean_the_same(self):
        changes = ["job.bytes=1.5 MiB", "cluster.link.bandwidth=2.5 Gbit/s"]
        (answer,) = self.ask({"ask": "screen", "scenarios": ["03-anomaly"], "set": changes})
        options = [word for change in changes for word in ("--set", change)]
        self.assertEqual(answer["answer"]["text"],
                         self.ringscope("compare", "03-anomaly", *options))

    def test_a_wrong_word_is_answered_with_the_native_programs_error(self):
        (answer,) = self.ask({"ask": "screen", "scenarios": ["03-anomaly"],
                              "set": ["job.algorithm=rnig"]})
        done = subprocess.run([str(self.build / "ringscope"), "compare", "03-anomaly", "--set",
                               "job.algorithm=rnig"], capture_output=True, text=True, check=False)
        self.assertEqual(answer["answer"]["error"] + "\n",
                         re.sub("^ringscope: ", "", done.stderr))


class Play(Program):
    def test_a_run_of_a_page_takes_the_time_of_the_native_report(self):
        changes = [["placement", "4-4-0"], ["job.bytes", "1 MiB"]]
        (answer,) = self.ask({"ask": "play", "runs": [{**ANOMALY, "set": changes}]})
        native = json.loads(self.ringscope(
            "run", "03-anomaly", "--json", "-", "--no-skip",
            *(word for key, text in changes for word in ("--set", f"{key}={text}"))))
        report = answer["answer"]["cases"][0]["report"]
        self.assertEqual(report["time_s"], native["cases"][1]["time_s"])
        self.assertEqual(report["ranks"], native["cases"][1]["ranks"])

    def test_gains_are_those_of_what_if(self):
        (answer,) = self.ask({"ask": "gains", "run": ANOMALY, "top": 3})
        native = json.loads(self.ringscope("what-if", "03-anomaly", "--case", "4-3-1", "--top",
                                           "3", "--json", "-"))
        self.assertEqual(answer["answer"]["gains"], native["cases"][0]["gains"])

    def test_questions_that_cannot_be_answered_say_why(self):
        answers = self.ask(
            {"ask": "play", "runs": [{"scenario": "03-anomly"}]},
            {"ask": "play", "runs": [{"scenario": "03-anomaly", "case": "4-3-2"}]},
            {"ask": "dance"}, {}, {"ask": "play", "runs": []},
            {"ask": "play", "runs": [{**ANOMALY, "set": [["placement", "1x2000"]]}]},
            {"ask": "play", "runs": [{**ANOMALY, "text": "question: [" }]})
        words = [answer["answer"]["error"] for answer in answers]
        self.assertIn("did you mean '03-anomaly'?", words[0])
        self.assertIn("unknown case '4-3-2'", words[1])
        self.assertIn("unknown question 'dance'", words[2])
        self.assertNotIn("", words)

    def test_the_limit_of_ranks_holds_for_two_runs_and_for_numbers_alone(self):
        def run(ranks, size, algorithm="ring"):
            return {"scenario": "02-ring-of-8", "set": [["cluster.hosts", str(ranks // 8)],
                    ["placement", f"8x{ranks // 8}"], ["job.bytes", size],
                    ["job.algorithm", algorithm]]}
        # The ring sends the most messages: once is enough for the page's memory.
        few = [run(256, size, "recursive_doubling") for size in ("4 MiB", "8 MiB")]
        answers = self.ask({"ask": "play", "runs": [run(256, "1 MiB"), run(256, "2 MiB")]},
                           {"ask": "play", "runs": few},
                           {"ask": "quick", "runs": [run(264, "1 MiB")]},
                           {"ask": "play", "runs": [run(1024, "1 MiB")]})
        self.assertEqual([len(one["answer"].get("cases", [])) for one in answers], [2, 2, 0, 0])
        for one in answers[2:]:
            self.assertIn("a page shows at most 256 ranks", one["answer"]["error"])

    def test_answer_for_8_ranks_takes_at_most_a_tenth_of_a_second(self):
        """On a busy machine ten times as long passes: the figure is printed, not held."""
        changes = [["job.bytes", f"{size} MiB"] for size in range(1, 8)]
        answers = self.ask(*({"ask": "play", "runs": [{**ANOMALY, "set": [change]}]}
                             for change in changes))
        fastest = min(answer["ms"] for answer in answers)
        print(f"8 ranks: {fastest:.0f} ms")
        self.assertLess(fastest, 1000)


def main():
    skip_without_page("node")
    Program.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])


if __name__ == "__main__":
    main()
