#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the check of paths find those of one machine, and only those?"""

import pathlib
import subprocess
import tempfile
import unittest

import check_paths

CLONE = "/" + "home/someone/ringscope/build"  # in two parts: this file is checked, too


def found(line):
    return [path for _, path in check_paths.paths_in(line)]


class PathsIn(unittest.TestCase):
    def test_path_of_one_machine_is_found_behind_each_mark(self):
        for before in ("", "see ", '"command": "', "cd '", "PATH=", "a:", "(", "[", ",", "`"):
            with self.subTest(before):
                self.assertEqual(found(f"{before}{CLONE}/ringscope-mpi replay"),
                                 [f"{CLONE}/ringscope-mpi"])

    def test_folder_of_a_user_is_found_without_a_file(self):
        for name in ("home", "root", "work"):
            self.assertEqual(found(f"below /{name}, there"), [f"/{name}"])

    def test_unknown_folder_is_found_with_a_file(self):
        for path in ("/" + "data/lab/x.json", "/" + "opt/ringscope", "/" + "Users/me/x"):
            self.assertEqual(found(f"read {path}."), [path + "."])

    def test_folders_of_the_system_pass(self):
        for path in ("/usr/bin/python3", "/etc/hosts", "/proc/self/cmdline", "/sys/class/net",
                     "/dev/null", "/tmp/x/y", "/run/ringscope-lab/tmp", "#!/bin/sh", "/var/lib/apt",
                     "/no/such/file", "/nowhere/x"):
            self.assertEqual(found(f"read {path} now"), [], path)

    def test_relative_paths_addresses_and_parts_of_a_path_pass(self):
        for text in ("build/ringscope-mpi", "../home/x", "./home/x", "net/home", "/homes a/root/b",
                     "https://example.org/home/x", "$HOME/home/x", "${ROOT}/home/x",
                     '{folder}/home/x', 'folder + "/home/x"', "8 ns/B", "and/or", "~/home/x"):
            self.assertEqual(found(text), [], text)

    def test_hostile_input_passes_with_its_comment(self):
        for comment in ("# any path", "// any path", "<!-- any path -->"):
            self.assertEqual(found(f"{CLONE}  {comment}"), [])

    def test_line_is_counted_from_one(self):
        self.assertEqual(list(check_paths.paths_in(f"a\n{CLONE}/x\n")), [(2, f"{CLONE}/x")])


class BreachesOf(unittest.TestCase):
    def test_tracked_results_are_read_and_binaries_are_not(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "results").mkdir()
            (root / "results" / "x.json").write_text(f'"{CLONE}/x"\n', encoding="utf-8")
            (root / "x.et").write_bytes(b"\xff" + CLONE.encode())
            (root / "untracked.txt").write_text(f"{CLONE}/x\n", encoding="utf-8")
            for words in (["init", "-q"], ["add", "results", "x.et"]):
                subprocess.run(["git", "-C", folder, *words], check=True)
            self.assertEqual(check_paths.breaches_of(folder, {}),
                             [f"results/x.json:1: a path of one machine: {CLONE}/x"])

    def test_dead_links_of_markdown_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "docs").mkdir()
            text = "[a](b.md#c) [a](#c) [a](https://x.org) [d](docs)\n```\n[a](c.md)\n```\n[a](d)\n"
            self.assertEqual(check_paths.breaches_of(folder, {"docs/a.md": "[r](../a.md)\n",
                                                              "a.md": text}),
                             ["a.md:1: dead link: b.md", "a.md:5: dead link: d",
                              "docs/a.md:1: dead link: ../a.md"])

    def test_given_texts_are_read_outside_a_repository(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(check_paths.breaches_of(folder, {"a.md": f"see {CLONE}/x\n"}),
                             [f"a.md:1: a path of one machine: {CLONE}/x"])


if __name__ == "__main__":
    unittest.main()
