# SPDX-License-Identifier: LGPL-2.1-or-later
"""For tests of sweep and place: a folder to run them in, a study of any size, and what they stored.
"""

import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "RINGSCOPE_DATA": str(ROOT), "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
STUDY = """scenario: 03-anomaly
sweep:
  grid:
    placement: [4-2-2, 4-3-1, 3-3-2]
    library.network.send_cost: {{from: 1 ns/B, to: 9 ns/B, steps: {steps}}}
metrics: [time_s, busbw]
"""


def documented_keys(heading):
    """Keys of all documents and keys in tables under `heading` of schema.md."""
    text = (ROOT / "scenarios" / "schema.md").read_text(encoding="utf-8")
    sections = [part for part in text.split("\n## ")
                if part.startswith("All documents") or heading in part.splitlines()[0]]
    found, owner = set(), ""
    for line in "\n".join(sections).splitlines():
        if head := re.match(r"\| key(?: of `(\S+)`)? \|", line):
            owner = head[1] + "." if head[1] else ""
        elif row := re.match(r"\| `([^`]+)` \|", line):
            found.add(owner + row[1])
    return found


def keys_of(value, owner=""):
    """Paths of all keys of a document: "rows[].set"."""
    for key, inner in value.items():
        yield owner + key
        for one in inner if isinstance(inner, list) else [inner]:
            if isinstance(one, dict):
                yield from keys_of(one, f"{owner}{key}{'[]' if isinstance(inner, list) else ''}.")


class StudyTest(unittest.TestCase):
    build = None

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def study(self, steps):
        """Three points for each step."""
        (self.folder / "study.yaml").write_text(STUDY.format(steps=steps), encoding="utf-8")

    def ringscope(self, *words, code=0):
        done = subprocess.run(
            [str(self.build / "ringscope"), *words], cwd=self.folder, capture_output=True,
            text=True, timeout=300, check=False, env=ENVIRONMENT)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def rows(self, name="study.sqlite"):
        """Rows of the store; none where a study was killed before it had made its table."""
        with sqlite3.connect(self.folder / name) as database:
            if not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                return []
            return database.execute("SELECT * FROM results ORDER BY key").fetchall()


def main():
    """Runs the tests of the program that was called: BUILD, and what `unittest` takes."""
    StudyTest.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
