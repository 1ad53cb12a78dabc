#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does every command of the site's own pages run, and is each screen the real one?

Usage: scripts/run_pages_commands_test.py BUILD [--write] [PAGE...]
Each page of docs/, and schema.md, is gone through from top to bottom in a separate folder of
links to the tree. --write puts what the commands print into the pages, but for screens that leave
out lines.
"""

import glob
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from documents.shown_for_test import LEFT_OUT, Tree, bare, shows, steps  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = [*sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)),
         os.path.join(ROOT, "scenarios", "schema.md")]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Parsing(unittest.TestCase):
    def test_a_screen_belongs_to_the_command_before_it(self):
        self.assertEqual(steps("```sh\na\nb \\\n  c\n```\nprints\n```text\nd\n```\n"),
                         [(2, "a", None), (4, "b c", "d\n")])

    def test_a_screen_without_a_command_is_refused(self):
        with self.assertRaisesRegex(ValueError, "line 2: a screen without a command"):
            steps("```text\nd\n```\n")

    def test_a_yaml_block_with_a_name_is_a_file(self):
        (_, command, screen), = steps("```yaml a.yaml\nb: 1\n```\n```yaml\nc: 2\n```\n")
        self.assertEqual(command, "cat >a.yaml <<'END_OF_FILE'\nb: 1\nEND_OF_FILE")
        self.assertIsNone(screen)

    def test_dots_in_a_screen_stand_for_any_lines(self):
        for screen in ("a\n...\nc\n", "...\nb\nc\n", "a\nb\nc\n", "a\nb\n...\nc\n", "...\nc"):
            self.assertTrue(shows(screen, "a\nb\nc\n"), screen)
        for screen in ("a\nc\n", "...\nb\n", "a\n...\nb", "b\n...\nc", "a\nb\nc\nd\n"):
            self.assertFalse(shows(screen, "a\nb\nc\n"), screen)


class Pages(unittest.TestCase):
    def test_every_command_runs_and_prints_what_is_shown(self):
        for path in PAGES:
            name = os.path.relpath(path, ROOT)
            with tempfile.TemporaryDirectory() as place:
                tree = Tree(ROOT, BUILD, place)
                for line, command, screen in steps(read(path)):
                    with self.subTest(f"{name}:{line}"):
                        ran = tree.run(command)
                        self.assertEqual(ran.returncode, 0, f"{command}\n{ran.stderr}")
                        if screen is not None:
                            self.assertTrue(shows(screen, ran.stdout), f"{command} shows\n"
                                            f"{screen}and printed\n{ran.stdout}")


def rewritten(path):
    """The page with the screens that its commands print."""
    text = read(path)
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(ROOT, BUILD, place)
        for _, command, screen in steps(text):
            ran = tree.run(command)
            if ran.returncode != 0:
                sys.exit(f"{path}: {command}\n{ran.stderr}")
            if screen is not None and LEFT_OUT not in screen.splitlines():
                text = text.replace(f"```text\n{screen}```", f"```text\n{bare(ran.stdout)}\n```", 1)
    return text


def main():
    for path in PAGES:
        text = rewritten(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build")
    write = "--write" in sys.argv
    chosen = [os.path.abspath(name) for name in sys.argv[1:] if name.endswith(".md")]
    PAGES = chosen or PAGES
    if write:
        main()
    else:
        unittest.main(argv=sys.argv[:1])
