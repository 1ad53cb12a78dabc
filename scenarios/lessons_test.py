#!/usr/bin/python3
"""Does every scenario still print the screen that stands beside it, and write the same bytes?

Usage: scenarios/lessons_test.py BUILD [--write]
A screen, screens/NAME.txt, is a command, what it prints on both outputs, and the exit code where
that is not 0. screens/digests.txt holds the SHA-256 of every file that `run` writes, so that all
builds are held to the same bytes. With --write they are made anew: read the diff before you commit.
"""

import hashlib
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCREENS = HERE / "screens"
NAMES = sorted(path.stem for path in HERE.glob("*.yaml"))
# `run` explains a single case, `compare` the difference between several.
COMMANDS = {"02-ring-of-8": "run", "05-deadlock": "run", "09-streaming-exchange": "run"}
FORMATS = ("--json", "--csv", "--timeline", "--trace")
# What the simulation itself took: the only values that differ between two runs.
MEASURED = re.compile(r'"(wall_s|peak_rss_bytes)": [^,\n]*')


def ringscope(build, *arguments):
    return subprocess.run(
        [str(build / "ringscope"), *arguments],
        check=False, capture_output=True, text=True, cwd=HERE.parent, timeout=250,
    )


def screen_of(name, build):
    command = COMMANDS.get(name, "compare")
    done = ringscope(build, command, name)
    ending = f"[exit {done.returncode}]\n" if done.returncode else ""
    return f"$ ringscope {command} {name}\n{done.stdout}{done.stderr}{ending}"


def digests(build):
    lines = []
    for name in NAMES:
        for option in FORMATS:
            done = ringscope(build, "run", name, option, "-")
            if done.returncode not in (0, 3) or not done.stdout:  # a crash is no result to hold to
                raise RuntimeError(f"run {name} {option}: exit {done.returncode}\n{done.stderr}")
            digest = hashlib.sha256(MEASURED.sub("", done.stdout).encode()).hexdigest()
            lines.append(f"{digest}  {name} {option}\n")
    return "".join(lines)


class Lessons(unittest.TestCase):
    build = None

    def test_every_scenario_prints_its_screen(self):
        self.assertGreaterEqual(len(NAMES), 7)
        for name in NAMES:
            with self.subTest(name):
                expected = (SCREENS / f"{name}.txt").read_text(encoding="utf-8")
                self.assertEqual(screen_of(name, self.build), expected)

    def test_every_screen_has_its_scenario(self):
        screens = {path.stem for path in SCREENS.glob("*.txt")} - {"digests"}
        self.assertEqual(screens, set(NAMES))

    def test_every_file_has_the_same_bytes_on_every_build_and_in_every_run(self):
        expected = (SCREENS / "digests.txt").read_text(encoding="utf-8")
        self.assertEqual(digests(self.build), expected)
        self.assertEqual(digests(self.build), expected)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if "--write" in sys.argv:
        for name in NAMES:
            (SCREENS / f"{name}.txt").write_text(screen_of(name, build), encoding="utf-8")
        (SCREENS / "digests.txt").write_text(digests(build), encoding="utf-8")
        return
    Lessons.build = build
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
