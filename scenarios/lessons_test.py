#!/usr/bin/python3
"""Does every scenario still print the screen that stands beside it?

Usage: scenarios/lessons_test.py BUILD [--write]
A screen, screens/NAME.txt, is a command, what it prints on both outputs, and the exit code where
that is not 0. With --write the screens are made anew: read the diff before you commit it.
"""

import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCREENS = HERE / "screens"
# `run` explains a single case, `compare` the difference between several.
COMMANDS = {"02-ring-of-8": "run", "05-deadlock": "run"}


def screen_of(name, build):
    command = COMMANDS.get(name, "compare")
    done = subprocess.run(
        [str(build / "ringscope"), command, name],
        check=False, capture_output=True, text=True, cwd=HERE.parent, timeout=120,
    )
    ending = f"[exit {done.returncode}]\n" if done.returncode else ""
    return f"$ ringscope {command} {name}\n{done.stdout}{done.stderr}{ending}"


class Lessons(unittest.TestCase):
    build = None

    def test_every_scenario_prints_its_screen(self):
        names = sorted(path.stem for path in HERE.glob("*.yaml"))
        self.assertGreaterEqual(len(names), 7)
        for name in names:
            with self.subTest(name):
                expected = (SCREENS / f"{name}.txt").read_text(encoding="utf-8")
                self.assertEqual(screen_of(name, self.build), expected)

    def test_every_screen_has_its_scenario(self):
        for screen in SCREENS.glob("*.txt"):
            self.assertTrue((HERE / f"{screen.stem}.yaml").exists(), screen.name)

    def test_a_second_run_prints_the_same_bytes(self):
        self.assertEqual(screen_of("03-anomaly", self.build), screen_of("03-anomaly", self.build))


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if "--write" in sys.argv:
        for path in sorted(HERE.glob("*.yaml")):
            (SCREENS / f"{path.stem}.txt").write_text(screen_of(path.stem, build), encoding="utf-8")
        return
    Lessons.build = build
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
