#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages of made-up repositories that check_commits accepts, reports or skips."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parent / "check_commits"
GOOD = "sim: fold symmetric ranks\n\nThey are equivalent.\n"
NO_VERSION, VERSION = "project(a VERSION 0.1.0)\n", "project(a VERSION 0.2.0)\n"


class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name, "project")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
            "GIT_CEILING_DIRECTORIES": folder.name}
        (self.root / "scripts").mkdir(parents=True)
        shutil.copy(PROGRAM, self.root / "scripts")

    def git(self, *arguments, root=None):
        author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        return subprocess.run(["git", *author, *arguments], cwd=root or self.root, check=True,
                              env=self.environment, capture_output=True, text=True).stdout.strip()

    def commit(self, message, version=None):
        """Short hash of a new commit."""
        if version:
            (self.root / "CMakeLists.txt").write_text(version)
            self.git("add", "CMakeLists.txt")
        self.git("commit", "--allow-empty", "-m", message)
        return self.git("log", "-1", "--format=%h")

    def start(self, *versions):
        self.git("init", "-b", "main")
        for version in versions:
            self.commit("Before the rule", version)

    def check(self, *arguments, root=None):
        """(exit code, lines)"""
        ran = subprocess.run([(root or self.root) / "scripts" / "check_commits", *arguments],
                             cwd="/", env=self.environment, capture_output=True, text=True)
        return ran.returncode, (ran.stdout + ran.stderr).splitlines()


class Range(Repository):
    def test_commits_after_version_0_2_0_are_checked(self):
        self.start(NO_VERSION, VERSION)
        self.assertEqual(self.check(), (0, ["0 commit messages are in form"]))
        self.commit(GOOD)
        self.commit("docs, sim/mpi: name the term\n\nOne term each.\n\nA: b")
        self.assertEqual(self.check(), (0, ["2 commit messages are in form"]))
        name = self.commit("Fold ranks\n\nWhy.")
        self.assertEqual(self.check(), (1, [
            f"{name}: expected a subject 'area: what changes' with a lower-case area, "
            "got 'Fold ranks'"]))

    def test_oldest_commit_of_the_version_counts(self):
        self.start(NO_VERSION, VERSION)
        self.commit("Bad", "project(a VERSION 0.3.0)\n")
        self.commit(GOOD, VERSION)
        self.assertEqual(self.check()[0], 1)

    def test_given_range_is_checked(self):
        self.start(NO_VERSION)
        self.commit(GOOD)
        self.assertEqual(self.check("HEAD~1..HEAD")[0], 0)
        self.assertEqual(self.check("HEAD")[0], 1)
        code, lines = self.check("HEAD~9..HEAD")
        self.assertEqual(code, 1)
        self.assertIn("HEAD~9..HEAD", lines[0])

    def test_merge_is_skipped_and_what_it_merges_is_not(self):
        self.start(NO_VERSION, VERSION)
        self.git("switch", "-c", "side")
        name = self.commit("sim: fold")
        self.git("switch", "main")
        self.git("merge", "--no-ff", "-m", "Merge branch 'side'", "side")
        self.assertEqual(self.check(),
                         (1, [f"{name}: no body: add the reason after a blank line"]))

    def test_missing_version_is_skipped(self):
        self.start(NO_VERSION)
        self.assertEqual(self.check(), (0, ["SKIP commits: no commit sets VERSION 0.2.0 yet"]))

    def test_tree_without_git_is_skipped(self):
        self.assertEqual(self.check(), (0, ["SKIP commits: not a git checkout"]))

    def test_shallow_history_is_skipped(self):
        self.start(NO_VERSION, VERSION)
        self.git("add", "scripts")
        self.commit("Bad")
        clone = self.root.parent / "clone"
        self.git("clone", "--depth", "1", self.root.as_uri(), str(clone))
        code, lines = self.check(root=clone)
        self.assertEqual((code, lines[0][:12]), (0, "SKIP commits"))

    def test_folder_of_another_repository_is_skipped(self):
        self.start(NO_VERSION, VERSION)
        self.commit("Bad")
        shutil.copytree(self.root / "scripts", self.root / "vendor" / "scripts")
        code, lines = self.check(root=self.root / "vendor")
        self.assertEqual((code, lines[0][:12]), (0, "SKIP commits"))


class Message(Repository):
    def breaches(self, text):
        file = self.root / "MESSAGE"
        file.write_text(text, encoding="utf-8")
        code, lines = self.check("--message", str(file))
        self.assertEqual(code, 1 if lines[-1].startswith(f"{file}: ") else 0, lines)
        return [line.removeprefix(f"{file}: ") for line in lines if code]

    def test_subject_of_72_characters_passes_and_one_of_73_does_not(self):
        subject = "sim: " + "µ" * 67
        self.assertEqual(self.breaches(f"{subject}\n\nWhy.\n"), [])
        self.assertEqual(self.breaches(f"{subject}s\n\nWhy.\n"),
                         [f"subject of 73 characters, at most 72: '{subject}s'"])

    def test_subject_needs_a_lower_case_area(self):
        for subject in ("Sim: fold", "fold", "sim:fold", "sim: ", "a sim: fold", ": fold"):
            self.assertEqual(len(self.breaches(f"{subject}\n\nWhy.\n")), 1, subject)
        for subject in ("sim: fold", "sim, mpi: fold", "sim/mpi: fold", ".ci: run"):
            self.assertEqual(self.breaches(f"{subject}\n\nWhy.\n"), [], subject)

    def test_second_line_is_blank_and_a_body_follows(self):
        self.assertEqual(self.breaches("sim: fold\nranks\n\nWhy.\n"),
                         ["expected a blank second line, got 'ranks'"])
        for text in ("sim: fold\n", "sim: fold\n\n", "sim: fold\n\nSigned-off-by: A <a@b>\n"):
            self.assertEqual(self.breaches(text),
                             ["no body: add the reason after a blank line"], text)

    def test_comments_of_the_editor_are_no_body(self):
        self.assertEqual(self.breaches("# Enter a message\n" + GOOD + "# On branch main\n"), [])
        self.assertEqual(len(self.breaches("sim: fold\n\n# On branch main\n")), 1)
        self.assertEqual(len(self.breaches(
            "sim: fold\n\n# ---------- >8 ----------\ndiff --git a/a b/a\n")), 1)

    def test_merge_message_is_skipped(self):
        self.assertEqual(self.breaches("Merge branch 'side'\n"), [])

    def test_empty_message_is_reported(self):
        self.assertGreaterEqual(len(self.breaches("")), 1)


if __name__ == "__main__":
    unittest.main()
