#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does every scenario still print the screen that stands beside it, and write the same bytes?

Usage: scenarios/lessons_test.py BUILD [--write | Screens | Verdicts | Files [I/N] | Runs]
A screen, screens/NAME.txt, is a command, what it prints on both outputs, and the exit code where
that is not 0. Of what `run` writes, files of up to SMALL bytes stand there as they are (NAME.json,
.csv, .timeline.csv, .trace.json), so that a change can be read; of larger ones digests.txt holds
the SHA-256. All builds are held to the same bytes. With --write they are made anew: read the diff
before you commit. Runs, for the sanitizers' build: half of the scenarios, without NOT_SANITIZED,
run once and write their files, which are not compared. I/N: the files of every Nth scenario, from
the Ith on.
"""

import difflib
import hashlib
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCREENS = HERE / "screens"
NAMES = sorted(path.stem for path in (HERE / "lessons").glob("*.yaml"))
# `run` explains a single case, `compare` the difference between several.
COMMANDS = {"05-deadlock": "run", "streaming-exchange": "run"}
ENDINGS = {"--json": ".json", "--csv": ".csv", "--timeline": ".timeline.csv",
           "--trace": ".trace.json"}
# A run that records each activity skips no repetition, so that last digits of its times differ.
RUNS = (("--json", "--csv"), ("--timeline", "--trace"))
# Cost of the simulation itself, the only values that differ between two runs; and the version, so
# that a release changes no screen.
MEASURED = re.compile(r'"(wall_s|peak_rss_bytes)": [^,\n]*')
VERSION = re.compile(r'"version": "[^"]*"')
# Seconds of Release, most of a minute each under the sanitizers, where suites run the same code.
NOT_SANITIZED = {"two-levels-or-one", "16-the-missing-nic", "cores-for-the-input",
                 "gigabit-is-not-enough", "ring-or-parameter-server"}
SMALL = 24_000  # bytes: the report of 03-anomaly, from which all began, is to be read
DIFF_LINES = 30


def ringscope(build, *arguments):
    return subprocess.run(
        [str(build / "ringscope"), *arguments],
        check=False, capture_output=True, text=True, cwd=HERE.parent, timeout=250,
    )


def screen_of(name, build):
    text = (HERE / "lessons" / f"{name}.yaml").read_text(encoding="utf-8")
    command = COMMANDS.get(name, "compare" if "\ncases:" in text else "run")
    done = ringscope(build, command, name)
    ending = f"[exit {done.returncode}]\n" if done.returncode else ""
    return f"$ ringscope {command} {name}\n{done.stdout}{done.stderr}{ending}"


def outputs_of(name, build, runs=None):
    """{option: text} of all files, from each of its runs, or from the given ones."""
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        for options in runs or RUNS:
            paths = {option: pathlib.Path(folder, name + ENDINGS[option]) for option in options}
            done = ringscope(build, "run", name,
                             *(str(word) for one in paths.items() for word in one))
            if done.returncode not in (0, 3):  # a crash is no result to hold to
                raise RuntimeError(f"run {name}: exit {done.returncode}\n{done.stderr}")
            texts |= {option: VERSION.sub('"version": ""', MEASURED.sub(
                r'"\1": 0', path.read_text(encoding="utf-8")))
                      for option, path in paths.items()}
    return texts


def digest_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


def digests():
    """{"NAME OPTION": digest} of what is too large to stand there."""
    lines = (SCREENS / "digests.txt").read_text(encoding="utf-8").splitlines()
    return {what: digest for digest, what in (line.split("  ", 1) for line in lines)}


def difference(path, got):
    """"" where `got` is what the file holds, else what differs, no longer than can be read."""
    expected = path.read_text(encoding="utf-8")
    if got == expected:
        return ""
    lines = difflib.unified_diff(expected.splitlines(), got.splitlines(), f"{path.name}, expected",
                                 "got", lineterm="", n=1)
    shown = list(itertools.islice(lines, DIFF_LINES + 1))
    more = ["... and more"] if len(shown) > DIFF_LINES else []
    return "\n".join(shown[:DIFF_LINES] + more) or f"{path.name}: only the line ends differ"


class Held(unittest.TestCase):
    build = None
    names = NAMES

    def assert_same(self, path, got):
        found = difference(path, got)
        self.assertFalse(found, "\n" + found)


class Screens(Held):
    def test_every_scenario_prints_its_screen(self):
        self.assertGreaterEqual(len(NAMES), 7)
        for name in NAMES:
            with self.subTest(name):
                self.assert_same(SCREENS / f"{name}.txt", screen_of(name, self.build))


class Files(Held):
    def test_every_screen_and_file_has_its_scenario_and_every_file_is_held_once(self):
        large = digests()
        held = {f"{name} {option}": name + ENDINGS[option] for name in NAMES
                for option in itertools.chain(*RUNS)}
        self.assertLessEqual(set(large), set(held))
        self.assertEqual({path.name for path in SCREENS.iterdir()},
                         {f"{name}.txt" for name in NAMES} | {"digests.txt"} |
                         {held[what] for what in set(held) - set(large)})

    def test_every_file_has_the_same_bytes_on_every_build(self):
        large = digests()
        for name in self.names:
            outputs = outputs_of(name, self.build)
            for option, got in outputs.items():
                with self.subTest(f"{name} {option}"):
                    if f"{name} {option}" in large:
                        self.assertEqual(digest_of(got), large[f"{name} {option}"])
                    else:
                        self.assert_same(SCREENS / (name + ENDINGS[option]), got)


class Runs(Held):
    def test_each_scenario_runs_and_writes_its_files(self):
        for name in NAMES[::2]:  # suites run the same code
            if name not in NOT_SANITIZED:
                with self.subTest(name):
                    self.assertEqual(set(outputs_of(name, self.build, [tuple(ENDINGS)])),
                                     set(ENDINGS))

    def test_the_long_ones_are_scenarios(self):
        self.assertLessEqual(NOT_SANITIZED, set(NAMES))


class Verdicts(Held):
    """Texts of lessons on the anomaly, whose numbers are times of 4-3-1 by times of 4-2-2."""
    # Cases of `suspects`: those without the suspect, then others that its text compares.
    RUNS = {"Blocking calls": [" posted together"], "NUMA": ["", " on the wrong socket"],
            "Files in /tmp": [" training", " training with checkpoints"],
            "A slow link": [" at 100 Gbit/s", " at 10 Gbit/s"], "One thread": [" with two threads"],
            "One lock": [" with two endpoints"], "TCP": [" with RDMA", " with chosen costs"],
            "MPI processes": [" with NCCL on GPUs"]}
    RULED_OUT, CONFIRMED = 1.1, 1.02  # the anomaly stays, and goes

    def seconds_of(self, lesson):
        """{name of a case: its time}"""
        done = ringscope(self.build, "compare", lesson, "--json", "-")
        return {case["name"].removeprefix(lesson + " "): case["time_s"]
                for case in json.loads(done.stdout)["cases"]}

    def texts_of(self, lesson):
        text = (HERE / "lessons" / f"{lesson}.yaml").read_text(encoding="utf-8")
        comment = re.match("(#.*\n)+", text)[0]
        return [re.sub(r"\s*\n?# ?", " ", paragraph).strip()
                for paragraph in comment.split("\n#\n")]

    def assert_ratios(self, text, seconds, names):
        for name in names:
            ratio = seconds["4-3-1" + name] / seconds["4-2-2" + name]
            self.assertIn(f"{ratio:.2f}", text, name)

    def test_each_verdict_on_a_suspect_follows_from_the_runs_without_it(self):
        before = os.times()
        seconds = self.seconds_of("suspects")
        after = os.times()
        self.assertLess(after.children_user + after.children_system - before.children_user -
                        before.children_system, 2)
        first, *texts, last = self.texts_of("suspects")
        self.assert_ratios(first, seconds, [""])
        self.assertEqual([text.split(":")[0] for text in texts], list(self.RUNS))
        for text, names in zip(texts, self.RUNS.values()):
            with self.subTest(text):
                self.assert_ratios(text, seconds, names)
                ratio = seconds["4-3-1" + names[0]] / seconds["4-2-2" + names[0]]
                ending = "Ruled out." if ratio > self.RULED_OUT else "Confirmed."
                self.assertTrue(text.endswith(ending))
                self.assertTrue(ratio > self.RULED_OUT or ratio < self.CONFIRMED)
        for placement in ("4-2-2", "4-3-1"):
            training = f"{placement} training"
            more = seconds[training + " with checkpoints"] - seconds[training]
            self.assertIn(f"{more:.2f} s longer", texts[2])
        self.assertIn(f"{2 * 0.25} ns for each byte", last)

    def test_measured_costs_have_the_anomaly_from_the_link_rate_of_one_core_both_ways_on(self):
        third = (HERE / "lessons/03-anomaly.yaml").read_text(encoding="utf-8")
        _, fourth = self.texts_of("anomaly-gone")
        self.assertIn(f"{8000 / (2 * 8):g} Mbit/s", fourth)
        self.assertIn(f"{8 / (2 * 0.25):g} Gbit/s", fourth)
        seconds = self.seconds_of("anomaly-gone")
        self.assert_ratios(third, seconds, [f" with measured costs at {rate} Gbit/s"
                                            for rate in (16, 25)])
        self.assert_ratios(fourth, seconds, [" with measured costs at 25 Gbit/s"])
        self.assertLess(seconds["4-3-1 with NCCL on GPUs"],
                        self.CONFIRMED * seconds["4-2-2 with NCCL on GPUs"])


class Differences(unittest.TestCase):
    def test_a_difference_shows_what_was_and_what_is(self):
        path = SCREENS / "05-deadlock.csv"
        text = path.read_text(encoding="utf-8")
        self.assertEqual(difference(path, text), "")
        self.assertIn("\n-case,", difference(path, text.replace("case", "name", 1)))
        self.assertIn("\n+name,", difference(path, text.replace("case", "name", 1)))
        self.assertEqual(difference(path, text.rstrip("\n")), f"{path.name}: only the line ends "
                         "differ")

    def test_a_long_difference_is_cut(self):
        found = difference(SCREENS / "03-anomaly.json", "other\n" * 100)
        self.assertEqual(len(found.splitlines()), DIFF_LINES + 1)


def write(build):
    """Makes all anew; what a run needs is written at the end, so that a failed one changes none."""
    files = {f"{name}.txt": screen_of(name, build) for name in NAMES}
    large = ""
    for name in NAMES:
        for option, text in outputs_of(name, build).items():
            if len(text.encode()) <= SMALL:
                files[name + ENDINGS[option]] = text
            else:
                large += f"{digest_of(text)}  {name} {option}\n"
    files["digests.txt"] = large
    for old in SCREENS.iterdir():
        if old.name not in files:
            old.unlink()
    for file, text in files.items():
        (SCREENS / file).write_text(text, encoding="utf-8")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if "--write" in sys.argv:
        write(build)
        return
    Held.build = build
    words = sys.argv[2:]
    if words and (part := re.fullmatch(r"(\d+)/(\d+)", words[-1])):
        Held.names = NAMES[int(part[1]) - 1::int(part[2])]
        words.pop()
    unittest.main(argv=sys.argv[:1] + words)


if __name__ == "__main__":
    main()
