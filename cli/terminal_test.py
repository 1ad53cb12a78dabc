# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are answers at a terminal as wide as it is, coloured, with the next useful command below, and
in a pipe the same bytes as ever?

Usage: python3 -m cli.terminal_test BUILD
"""

import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAM = BUILD / "ringscope"
LOOK = re.compile(r"\x1b\[\d*m")
# The test writes this when the run has ended: a terminal that its last writer closes may lose what
# has not been read.
END = b"\x04"
# Answers with tables, sentences and lists, and the command that each of them suggests.
SUGGESTED = {
    ("run", "03-anomaly"): "ringscope explain 03-anomaly",
    ("compare", "03-anomaly", "--set", "job.bytes=[1 MiB]"):
        "ringscope explain 03-anomaly --set 'job.bytes=[1 MiB]'",
    ("explain", "03-anomaly"): "ringscope what-if 03-anomaly",
    ("what-if", "03-anomaly", "--case", "4-3-1", "--top", "1"):
        "ringscope lesson 03-anomaly -o page.html",
    ("lesson", "03-anomaly", "-o", "page.html"): "ringscope plot page.html -o loads.png",
    ("place", "place-eight-on-three", "--no-store", "--verify", "0"):
        "ringscope place place-eight-on-three --rankfile best.rankfile",
    ("place", "place-eight-on-three", "--no-store", "--verify", "0", "--csv", "all.csv"):
        "ringscope plot all.csv -o placements.png",
    ("show", "rack3"): "ringscope show rack3 --dot machine.dot",
    ("check", "03-anomaly", "rack3"): "ringscope show rack3",
    ("list", "scenarios"): "ringscope run 01-two-hosts",
    ("list", "algorithms"): "ringscope list scenarios",
}


class Terminal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def environment(self, **more):
        return {"PATH": f"{BUILD}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm"} | more

    def at_terminal(self, *words, columns=80, errors=False, **environment):
        """All that a terminal of so many columns gets from one of the two outputs."""
        here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        outputs = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        outputs["stderr" if errors else "stdout"] = there
        run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                               env=self.environment(**environment), **outputs)
        ended = threading.Thread(target=lambda: (run.wait(), os.write(there, END)))
        ended.start()
        seen = b""
        while not seen.endswith(END):
            seen += os.read(here, 65536)
        ended.join()
        os.close(here)
        os.close(there)
        self.code = run.returncode
        seen = seen.removesuffix(END)
        return seen.decode().replace("\r\n", "\n")

    def in_pipe(self, *words, **environment):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True,
                              check=True, env=self.environment(**environment)).stdout

    def test_each_answer_ends_with_a_command_that_runs(self):
        for words, suggested in SUGGESTED.items():
            with self.subTest(words):
                last = LOOK.sub("", self.at_terminal(*words)).splitlines()[-1]
                self.assertEqual((self.code, last), (0, f"next: {suggested}"))
                if "plot" not in suggested:  # plots/plot_test.py draws
                    subprocess.run(suggested, shell=True, cwd=self.folder, check=True,
                                   capture_output=True, env=self.environment())

    def test_no_line_is_longer_than_the_terminal_is_wide(self):
        for words in SUGGESTED:
            for columns in (60, 80):
                text = LOOK.sub("", self.at_terminal(*words, columns=columns))
                answer = text.rsplit("\nnext: ", 1)[0]
                for line in answer.splitlines():
                    with self.subTest(words=words, columns=columns, line=line):
                        self.assertLessEqual(len(line), columns)

    def test_a_terminal_that_is_wide_enough_shows_what_a_pipe_gets(self):
        for words in SUGGESTED:
            if words[0] == "place":  # says how long it took
                continue
            with self.subTest(words):
                text = LOOK.sub("", self.at_terminal(*words, columns=300))
                self.assertEqual(text.rsplit("\nnext: ", 1)[0], self.in_pipe(*words))

    def test_columns_says_how_wide_where_the_terminal_does_not(self):
        text = self.at_terminal("explain", "03-anomaly", columns=0, COLUMNS="50", NO_COLOR="1")
        self.assertLessEqual(max(map(len, text.rsplit("\nnext: ", 1)[0].splitlines())), 50)

    def test_a_pipe_gets_neither_colours_nor_suggestions_nor_narrow_tables(self):
        for words in SUGGESTED:
            text = self.in_pipe(*words, COLUMNS="40")
            self.assertNotIn("\x1b", text)
            self.assertNotIn("next: ", text)
        words = ("compare", "03-anomaly")
        self.assertEqual(self.in_pipe(*words, COLUMNS="40"), self.in_pipe(*words))

    def test_colours_are_for_those_who_want_them(self):
        words = ("compare", "03-anomaly")
        self.assertRegex(self.at_terminal(*words), "\x1b\\[1mcase .*\x1b\\[0m\n")
        for unwanted in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.at_terminal(*words, **unwanted))
        self.assertIn("\x1b", self.at_terminal(*words, NO_COLOR=""))
        wrong = ("run", "no-such-scenario")
        self.assertTrue(self.at_terminal(*wrong, errors=True).startswith("\x1b[31m"))
        self.assertNotIn("\x1b", self.at_terminal(*wrong, errors=True, NO_COLOR="1"))

    def test_quiet_leaves_the_answer_alone(self):
        for words in SUGGESTED:
            text = self.at_terminal(*words, "--quiet")
            self.assertEqual(self.code, 0)
            self.assertNotIn("next: ", text)

    def test_every_subcommand_knows_quiet_and_its_help_begins_with_its_summary(self):
        groups = self.in_pipe("--help").split("\nSimulate:\n")[1].split("\nExamples:\n")[0]
        listed = re.findall(r"^  ([\w-]+) +(\S.*)$", groups, re.MULTILINE)
        self.assertEqual(len(listed), 25)
        for name, summary in listed:
            ran = subprocess.run([PROGRAM, name, "--quiet", "--help"], capture_output=True,
                                 text=True, env=self.environment())
            self.assertEqual((name, ran.returncode), (name, 0), ran.stderr)
            self.assertTrue(summary in ran.stdout.splitlines()
                            or f"{summary}." in ran.stdout.splitlines(), (summary, ran.stdout))


if __name__ == "__main__":
    unittest.main()
