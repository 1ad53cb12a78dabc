#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does every command of the README run, and is its screen the real one?

Usage: scripts/run_readme_commands_test.py BUILD, where BUILD holds the program.
Commands are the lines of ```sh blocks. The screen is the ```text block that follows a line
with `compare 03-anomaly` in it, and the ```yaml block is its scenario.
"""

import os
import sys
import tempfile
import unittest

import yaml

sys.dont_write_bytecode = True
from documents.shown_for_test import Tree, bare, blocks, commands  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEMO = "compare 03-anomaly"


def demo_screen(text):
    """The block that shows what `ringscope compare 03-anomaly` prints."""
    lines = text.splitlines()
    for fence, block in blocks(text, "text"):
        before = [line for line in lines[:fence - 1] if line.strip()][-3:]
        if any(DEMO in line for line in before + block.splitlines()[:1]):
            first, _, rest = block.partition("\n")
            return rest if DEMO in first else block
    return None


class Parsing(unittest.TestCase):
    README = ("Intro\n```sh\n$ a --b \\\n    c  # why\n# no command\nscripts/test\ncd x\nd\n```\n"
              "```text\nnot this\n```\nand `ringscope compare 03-anomaly` prints\n\n"
              "```text\ntable\n```\n")

    def test_commands_are_the_lines_of_sh_blocks(self):
        self.assertEqual(commands(self.README), [(4, "a --b c  # why"), (8, "d")])

    def test_the_screen_is_the_text_block_after_its_command(self):
        self.assertEqual(demo_screen(self.README), "table\n")
        self.assertEqual(demo_screen("```text\n$ ringscope compare 03-anomaly\ntable\n```\n"),
                         "table\n")
        self.assertIsNone(demo_screen("no block"))


class Readme(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            cls.text = file.read()
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.tree = Tree(ROOT, BUILD, place.name)

    def test_every_command_runs(self):
        for number, command in commands(self.text):
            with self.subTest(command=command):
                ran = self.tree.run(command)
                self.assertEqual(ran.returncode, 0, f"README.md:{number}: {command}\n{ran.stderr}")

    def test_the_screen_of_the_demo_is_what_the_program_prints(self):
        shown = demo_screen(self.text)
        self.assertIsNotNone(shown, f"README.md: no ```text block after a line with '{DEMO}'")
        ran = self.tree.run(f"ringscope {DEMO}")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(bare(ran.stdout), bare(shown))

    def test_the_scenario_is_that_of_the_demo(self):
        (_, shown), = blocks(self.text, "yaml")
        with open(os.path.join(ROOT, "scenarios", "lessons", DEMO.split()[1] + ".yaml"),
                  encoding="utf-8") as file:
            scenario = yaml.safe_load(file)
        del scenario["lesson"]
        self.assertEqual(yaml.safe_load(shown), scenario)

    def test_the_ring_is_the_real_text(self):
        for _, block in blocks(self.text, "cpp"):
            with open(os.path.join(ROOT, "algorithms", "allreduce", "ring_allreduce.cpp"),
                      encoding="utf-8") as file:
                self.assertIn(block, file.read())


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build")
    unittest.main()
