# SPDX-License-Identifier: LGPL-2.1-or-later
"""Has a printed lesson its question without its answer, and the solution apart?

Usage: python3 -m plots.hand_outs_test BUILD, as lesson_test.py.
"""

import os
import pathlib
import re
import subprocess
import tempfile

from plots.lesson_test import ROOT, Page, main

HAND_OUTS = ROOT / "plots" / "playground" / "hand_outs"
GAP = "_" * 20
LESSONS = {"02-ring-of-8": f"My prediction: {GAP} ms",
           "03-anomaly": f"Faster: \u25a1 4-2-2 \u25a1 4-3-1 \u25a1 equal, {GAP} times",
           "08-parameter-server-hub": f"My order, the fastest first: {GAP}, {GAP}"}


class HandOuts(Page):
    def printed(self, name, address=""):
        """Words of the page on paper."""
        path = pathlib.Path(self.folder.name) / f"{name}.html"
        if not path.exists():
            self.make(path.name, name)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.browser.get("about:blank")  # another anchor alone loads no page
        self.browser.get(path.as_uri() + address)
        return self.run_script("return document.body.innerText")

    def test_question_has_a_gap_for_each_kind_of_prediction(self):
        for name, gap in LESSONS.items():
            self.assertIn(gap, self.printed(name))

    def test_question_has_machines_and_reasons_but_no_time_and_no_mark(self):
        page = self.printed("03-anomaly")
        for words in ("host2", "no core copies more than one message", "Exercise",
                      "Eight ranks on three hosts"):
            self.assertIn(words, page)
        for words in ("Why", "241.9 ms", "they are idle most of the time", "Show the answer",
                      "Formula"):
            self.assertNotIn(words, page)
        self.assertEqual(self.run_script("""
            return new Set([...document.querySelectorAll(".sheet li")].map(
              one => getComputedStyle(one).listStyleType)).size"""), 1)

    def test_solution_has_the_answer_and_marks_the_right_reason_alone(self):
        page = self.printed("03-anomaly", "#solution")
        for words in ("Why", "241.9 ms", "471.5 ms", "they are idle most of the time",
                      "Formula: 2 (P - 1) S/P (c_s + c_r)"):
            self.assertIn(words, page)
        right, = self.run_script("""
            return [...document.querySelectorAll(".sheet li")].filter(
              one => getComputedStyle(one).listStyleType.includes("\u2713")).map(
              one => one.textContent)""")
        self.assertIn("no core copies more than one message", right)

    def test_question_on_the_screen_has_no_sheet(self):
        self.open(self.anomaly, answer=False)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen"})
        self.assertNotIn("equal, ____", self.run_script("return document.body.innerText"))

    def test_the_command_writes_two_files_of_a_lesson_also_of_a_deadlock(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([HAND_OUTS, "-o", folder, "03-anomaly", "05-deadlock"],
                                  capture_output=True, text=True, timeout=250, check=False,
                                  env={**os.environ, "RINGSCOPE": self.build / "ringscope"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for name, pages in (("03-anomaly", 1), ("05-deadlock", 1)):
                question, solution = (
                    len(re.findall(rb"/Type\s*/Page\b", path.read_bytes())) for path in
                    (pathlib.Path(folder) / f"{name}.pdf",
                     pathlib.Path(folder) / "solutions" / f"{name}.pdf"))
                self.assertEqual(question, pages)
                self.assertGreater(solution, question)

    def test_an_unknown_lesson_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([HAND_OUTS, "-o", folder, "99-none"], capture_output=True,
                                  text=True, check=False,
                                  env={**os.environ, "RINGSCOPE": self.build / "ringscope"})
            self.assertEqual(done.returncode, 1)
            self.assertIn("99-none", done.stderr)


if __name__ == "__main__":
    main()
