# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do `estimate` and `advise` read each option that they take, or say that it is not theirs?

Usage: python3 -m cli.estimates_test BUILD_DIRECTORY
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[1]
STEP = """question: How long is a step?
cluster: h100_nvswitch
library: nccl_h100
placement: {hosts: 8, on: gpu}
job:
  program: llm
  groups: {tp: 2}
  options: {model: {layers: 4, hidden: 1024, heads: 8, sequence: 1024}, gpu: h100, zero: 1}
"""


class Estimates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringscope-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "step.yaml").write_text(STEP, encoding="utf-8")

    def ran(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([BUILD / "ringscope", *words], cwd=self.folder, check=False,
                              capture_output=True, text=True)

    def test_scenario_takes_no_option_of_a_communicator(self):
        for words in (("--ranks", "4"), ("--collective", "allgather"), ("--format", "csv"),
                      ("--figure", "a.svg")):
            ran = self.ran("estimate", "step.yaml", *words)
            self.assertEqual(ran.returncode, 1, words)
            self.assertIn(f"{words[0]}", ran.stderr)
            self.assertIn("expected no such option with a scenario", ran.stderr)
        self.assertFalse((self.folder / "a.svg").exists())

    def test_scenario_has_a_step(self):
        ran = self.ran("estimate", "step.yaml", "--format", "json", "-o", "out.json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        step, = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))["steps"]
        self.assertEqual((step["case"], step["gpus"]), ("step", 8))

    def advice(self, *words: str) -> dict:
        ran = self.ran("advise", "{layers: 4, hidden: 1024, heads: 8, sequence: 1024}",
                       "h100_nvswitch", "--gpus", "4", "--batch", "8", "--format", "json", *words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def test_library_may_be_a_file(self):
        shutil.copy(ROOT / "scenarios/libraries/nccl_h100.yaml", self.folder / "mine.yaml")
        named, own = self.advice(), self.advice("--library", "mine.yaml")
        self.assertEqual([one["step_s"] for one in named["splits"]],
                         [one["step_s"] for one in own["splits"]])

    def test_each_split_that_is_tried_has_a_row_or_does_not_fit(self):
        advice = self.advice()
        self.assertEqual(len(advice["splits"]) + advice["too_large"], advice["tried"])
        self.assertEqual(advice["splits"][0]["ratio"], 1)


if __name__ == "__main__":
    unittest.main()
