# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a lecturer's own course become a page?

Usage: python3 -m plots.playground_own_test BUILD, as playground_test.py. Skips the page where
build/web has no WebAssembly to build it from.
"""

import os
import pathlib
import subprocess
import tempfile

from plots.lesson_test import ROOT
from plots.playground import course
from plots.playground.page_for_test import WEB
from plots.playground_test import Playground, main

COURSE = """- module: Our cluster
  goal: Predict the time of an allreduce on it.
  lessons: [our-cluster, 02-ring-of-8]
"""


class OwnCourse(Playground):
    def setUp(self):
        self.own = pathlib.Path(self.folder.name, "my-course")
        self.own.mkdir(exist_ok=True)
        (self.own / "course.yaml").write_text(COURSE, encoding="utf-8")
        text = (course.SCENARIOS / "lessons/02-ring-of-8.yaml").read_text(encoding="utf-8")
        (self.own / "our-cluster.yaml").write_text(
            text.replace("title: ", "title: Ours - ", 1),
            encoding="utf-8")

    def built(self, page):
        """Runs build_page.py, with gzip for zopfli: as good, and quicker."""
        programs = pathlib.Path(self.folder.name, "programs")
        programs.mkdir(exist_ok=True)
        (programs / "zopfli").write_text("#!/bin/sh\nexec gzip -9c \"$3\"\n", encoding="utf-8")
        (programs / "zopfli").chmod(0o755)
        return subprocess.run(
            ["/usr/bin/python3", "-B", "plots/playground/build_page.py", str(WEB / "wasm"),
             str(page), str(self.own)], cwd=ROOT, capture_output=True, text=True, check=False,
            env={"PATH": f"{programs}:{os.environ['PATH']}"})

    def test_lessons_of_a_folder_are_simulated_in_a_page_of_their_own(self):
        if not (WEB / "wasm/simulator.wasm").exists():
            self.skipTest("no build/web/wasm: run scripts/web first")
        page = pathlib.Path(self.folder.name, "own.html")
        done = self.built(page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.browser.get(page.as_uri())
        self.answered(0)
        self.assertTrue(self.texts("#question")[0].startswith("1.1 Ours"))
        self.assertEqual(self.run_script("return LESSONS.map(lesson => lesson.id)"),
                         ["our-cluster", "02-ring-of-8"])
        self.assertEqual(self.times(), self.ringscope_times("02-ring-of-8"))
        self.change("go('02')")
        self.assertEqual(self.run_script("return state.lesson"), "02-ring-of-8")

    def test_unknown_lesson_is_reported(self):
        (self.own / "course.yaml").write_text(COURSE.replace("our-", "no-"), encoding="utf-8")
        with self.assertRaisesRegex(SystemExit, "unknown lesson 'no-cluster': no no-cluster.yaml "
                                                "in .*my-course or scenarios/lessons"):
            course.lessons(self.own)

    def test_folder_without_a_course_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, said in ((["--lessons", folder], f"file not found: '{folder}/course.yaml'"),
                                (["--lesson"], "expected --lessons FOLDER or nothing, got")):
                done = subprocess.run([ROOT / "scripts/web", *words], capture_output=True,
                                      text=True, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    main()
