# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do planted mistakes draw an error or a warning that names them, and their correct twins none?

Usage: python3 -m cli.mistakes.mistakes_test BUILD
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
WARNING = re.compile(r"(?<!to )\b(warning|note)\b", re.IGNORECASE)
QUOTE = re.compile(r"^.*\n *\^+\n", re.MULTILINE)


def read_mistakes():
    return [mistake for name in ("users.yaml", "insiders.yaml")
            for mistake in yaml.safe_load((HERE / name).read_text(encoding="utf-8"))]


def changed(text, pairs):
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def run(mistake, pairs):
    """Exit code and complaints of the command, with each (old, new) of `pairs` replaced."""
    with tempfile.TemporaryDirectory() as folder:
        for name in mistake.get("copies", []):
            shutil.copy(HERE / name, folder)
        for name, text in mistake.get("files", {}).items():
            (pathlib.Path(folder) / name).write_text(changed(text, pairs), encoding="utf-8")
        done = subprocess.run(
            [str(BUILD / "ringscope"), *shlex.split(changed(mistake["run"], pairs))], cwd=folder,
            capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "RINGSCOPE_DATA": str(HERE.parent.parent)})
    return done.returncode, complaints(done)


def complaints(done):
    """An error without the lines that it quotes; or each warning with the lines below it."""
    if done.returncode:
        return QUOTE.sub("", done.stderr)
    blocks = re.split(r"\n\s*\n", done.stderr + "\n\n" + done.stdout)
    return "\n".join(block[found.start():] for block in blocks for found in [WARNING.search(block)]
                     if found)


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mistakes = read_mistakes()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cls.answers = list(pool.map(lambda one: run(one, []), cls.mistakes))
            cls.twins = list(pool.map(lambda one: run(one, one["twin"]), cls.mistakes))

    def test_are_named(self):
        for mistake, (code, text) in zip(self.mistakes, self.answers):
            with self.subTest(mistake["name"]):
                self.assertTrue(any(name.lower() in text.lower() for name in mistake["names"]),
                                f"exit {code}: {text}")

    def test_twins_draw_no_warning(self):
        for mistake, (code, text) in zip(self.mistakes, self.twins):
            with self.subTest(mistake["name"]):
                self.assertEqual((code, text), (0, ""))


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
