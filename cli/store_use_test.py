# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a repeated question come from the store, and is a store of others ignored, not obeyed?

Usage: python3 -m cli.store_use_test BUILD
"""

import json
import os
import pwd
import sqlite3
import subprocess
import unittest

from cli.study_for_test import ENVIRONMENT, StudyTest, main

JOB = """question: Where do six ranks go?
cluster: two_level
library: openmpi_tcp
placement: {hosts: 2x3, map_by: node}
job: {collective: allreduce, algorithm: ring, bytes: 64 MiB}
"""
WORDS = ("job.yaml", "--order", "fixed", "--verify", "0", "--store", "s.sqlite", "--json", "-")
IGNORED = "results are neither taken from it nor kept\n"


class Store(StudyTest):
    def setUp(self):
        super().setUp()
        (self.folder / "job.yaml").write_text(JOB, encoding="utf-8")

    def place(self, **how):
        """An answer, and what is said on standard error."""
        done = subprocess.run(
            [str(self.build / "ringscope"), "place", *WORDS], cwd=self.folder, capture_output=True,
            text=True, timeout=300, check=False, env=ENVIRONMENT, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def as_ordinary_user(self):
        """Like place(), as somebody whom modes of files hold back."""
        if os.geteuid() != 0:
            return self.place()
        nobody = pwd.getpwnam("nobody")
        able = subprocess.run([str(self.build / "ringscope"), "--version"], check=False,
                              capture_output=True, user=nobody.pw_uid, env=ENVIRONMENT,
                              extra_groups=[], cwd="/")
        if able.returncode != 0:
            self.skipTest("nobody may not run the program here")
        return self.place(user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])

    def draws(self):
        with sqlite3.connect(self.folder / "s.sqlite") as store:
            return store.execute("SELECT * FROM beside ORDER BY key").fetchall()

    def test_a_repeated_question_is_answered_without_a_simulation(self):
        first, said = self.place()
        self.assertRegex(said, r"^\d+ points: [1-9]\d* simulated, 0 from the store, in ")
        self.assertEqual(first["difference"]["draws"], 12)
        kept = self.draws()
        self.assertGreaterEqual(len(kept), 24)
        again, said = self.place()
        self.assertRegex(said, r"^\d+ points: 0 simulated, ")
        self.assertEqual(again, first)
        self.assertEqual(self.draws(), kept)

    def test_draws_come_from_the_store(self):
        first, _ = self.place()
        with sqlite3.connect(self.folder / "s.sqlite") as store:
            store.execute("UPDATE beside SET time_s = time_s / 2")
        self.assertEqual(self.place()[0]["difference"], first["difference"])
        with sqlite3.connect(self.folder / "s.sqlite") as store:
            store.execute("UPDATE beside SET time_s = 1")
        again, _ = self.place()
        self.assertEqual((again["difference"]["least"], again["difference"]["most"]), (0, 0))

    def test_a_store_that_cannot_be_written_is_ignored(self):
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o700)
        _, said = self.as_ordinary_user()
        lines = said.splitlines(keepends=True)
        self.assertEqual(lines[0], f"s.sqlite: cannot be written: {IGNORED}")
        self.assertEqual(len(lines), 2, said)
        self.assertFalse((self.folder / "s.sqlite").exists())

    @unittest.skipUnless(os.geteuid() == 0, "makes files of two users")
    def test_a_store_of_another_user_is_ignored(self):
        first, _ = self.place()
        with sqlite3.connect(self.folder / "s.sqlite") as store:
            store.execute("UPDATE results SET time_s = time_s / 2")
        (self.folder / "s.sqlite").chmod(0o666)
        self.folder.chmod(0o777)
        before = self.rows("s.sqlite")
        answer, said = self.as_ordinary_user()
        self.assertEqual(said.splitlines(keepends=True)[0],
                         f"s.sqlite: belongs to another user: {IGNORED}")
        self.assertEqual(answer, first)
        self.assertEqual(self.rows("s.sqlite"), before)

    def test_a_folder_that_is_not_there_is_an_error(self):
        done = self.ringscope("place", "job.yaml", "--store", "none/s.sqlite", code=1)
        self.assertIn("none/s.sqlite: cannot be used: unable to open database file", done.stderr)


if __name__ == "__main__":
    main()
