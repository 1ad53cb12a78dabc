#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does scripts/release make the same bytes twice, and does its tar run where nothing is installed?

Usage: release_test.py BUILD. The empty chroot needs root; otherwise that test is skipped.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.dont_write_bytecode = True
import recipes_test  # noqa: E402
import relocatable  # noqa: E402
from bare_debian import in_chroot  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IDENTITY = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
            (("NAME", "tester"), ("EMAIL", "tester@localhost"), ("DATE", "2026-01-02T03:04:05Z"))}
NOBODY = "65534:65534"


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def git(folder, *words):
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, check=True,
                          env={**os.environ, **IDENTITY}).stdout


def clone(folder):
    """A repository with the working tree's files, all committed."""
    names = [name for name in git(ROOT, "ls-files", "-z", "--cached", "--others",
                                  "--exclude-standard").split(b"\0")
             if name and os.path.exists(os.path.join(ROOT.encode(), name))]
    packed = subprocess.run(["tar", "-c", "--null", "-T", "-"], cwd=ROOT, input=b"\0".join(names),
                            capture_output=True, check=True).stdout
    os.makedirs(folder)
    subprocess.run(["tar", "-x"], cwd=folder, input=packed, check=True)
    git(folder, "init", "-q")
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "release: as it is")
    return folder


def release(folder, *words):
    return run([os.path.join(folder, "scripts/release"), *words], cwd=folder)


def contents(folder):
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


@unittest.skipUnless(os.path.exists(os.path.join(ROOT, ".git")) and shutil.which("git"),
                     "not a clone")
class Source(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringscope-release-")
        cls.addClassCleanup(folder.cleanup)
        cls.clones = [clone(os.path.join(folder.name, name)) for name in ("one", "the-other")]
        cls.outputs = []
        for place in cls.clones:
            output = os.path.join(folder.name, f"{os.path.basename(place)}-made")
            done = release(place, "--only", "source", "-o", output)
            assert done.returncode == 0, done.stdout + done.stderr
            cls.outputs.append(output)

    def made(self, ending):
        (name,) = [name for name in os.listdir(self.outputs[0]) if name.endswith(ending)]
        return os.path.join(self.outputs[0], name)

    def test_two_clones_make_the_same_bytes(self):
        one, other = map(contents, self.outputs)
        self.assertEqual({name for name in one if one[name] != other.get(name)}, set())
        self.assertEqual(len(one), 3)  # the archive, the bill, the sums

    def test_archive_holds_what_git_has(self):
        tracked = git(self.clones[0], "ls-files", "-z").decode().split("\0")[:-1]
        with tarfile.open(self.made(".tar.gz")) as archive:
            names = [entry.name.split("/", 1)[1] for entry in archive if not entry.isdir()]
        self.assertEqual(sorted(names), sorted(tracked))

    def test_sums_are_those_of_the_files(self):
        done = run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=self.outputs[0])
        self.assertEqual((done.returncode, done.stdout.count(": OK")), (0, 2), done.stdout)

    def test_bill_names_each_library_that_cmake_looks_for(self):
        with open(self.made(".cdx.json"), encoding="utf-8") as file:
            bill = json.load(file)
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.5"))
        named = {part["name"] for part in bill["components"]}
        wanted = recipes_test.searched() - recipes_test.OF_THE_SYSTEM - recipes_test.FOR_TESTS
        for name in sorted(wanted):
            package = recipes_test.LIBRARIES[name][1] or ""
            installed = run(["dpkg-query", "--show", package]).returncode == 0
            if package.endswith("-dev") and installed:
                self.assertIn(re.sub(r"\d+\.\d+(?=-dev)", "", package), named)
        for part in bill["components"]:
            if part["type"] == "library":
                self.assertTrue(part["version"] and part["licenses"], part)

    def test_changed_tree_is_rejected_by_its_files(self):
        note = os.path.join(self.clones[0], "note.txt")
        with open(note, "w", encoding="utf-8") as file:
            file.write("not committed\n")
        try:
            done = release(self.clones[0], "--only", "source")
        finally:
            os.unlink(note)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "release: the tree differs from its last commit: note.txt; "
                                      "commit, remove or stash these first\n")

    def test_folder_of_other_files_is_left_alone(self):
        done = release(self.clones[0], "--only", "source", "-o", os.path.dirname(self.clones[0]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("holds other files than a release", done.stderr)

    def test_unknown_part_is_rejected_by_name(self):
        done = release(self.clones[0], "--only", "source,sit")
        self.assertEqual((done.returncode, done.stderr), (
            1, "release: unknown part 'sit'; expected source, web, deb, tar, site\n"))


class Relocatable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringscope-tar-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.tree = os.path.join(cls.folder, "ringscope")
        relocatable.assemble(BUILD, cls.tree)

    def archive(self, name):
        relocatable.pack(self.tree, os.path.join(self.folder, name), 1_000_000_000)
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def test_owner_and_date_of_files_do_not_show(self):
        first = self.archive("first.tar.gz")
        os.utime(os.path.join(self.tree, "bin/ringscope"), (1, 1))
        self.assertEqual(self.archive("second.tar.gz"), first)

    def test_each_bundled_library_has_its_licence(self):
        for name, path in relocatable.libraries(f"{self.tree}/bin/ringscope").items():
            self.assertEqual(os.path.dirname(os.path.normpath(path)), f"{self.tree}/lib", name)
        installed = relocatable.libraries(os.path.join(BUILD, "ringscope"))
        self.assertEqual(set(installed), set(os.listdir(f"{self.tree}/lib")))
        for package in map(relocatable.package_of, installed.values()):
            self.assertTrue(os.path.exists(f"{self.tree}/share/doc/{package}/copyright"), package)

    def test_empty_chroot_answers_an_ordinary_user(self):
        if os.geteuid() != 0:
            self.skipTest("a chroot needs root")
        root = os.path.join(self.folder, "root")
        os.makedirs(os.path.join(root, "proc"))
        self.archive("moved.tar.gz")
        os.makedirs(os.path.join(root, "any where"))
        with tarfile.open(os.path.join(self.folder, "moved.tar.gz")) as archive:
            archive.extractall(os.path.join(root, "any where"))
        told = run(["ldd", os.path.join(BUILD, "ringscope")]).stdout
        for name, path in re.findall(r"(\S+) (?:=> )?(/?\S*) ?\(0x", told):
            path = path or name  # the loader
            if relocatable.GLIBC.fullmatch(os.path.basename(path)):
                target = root + path
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(os.path.realpath(path), target)
                os.chmod(target, 0o755)
        os.chmod(self.folder, 0o755)
        done = run(in_chroot(root, ["/any where/ringscope/bin/ringscope", "compare", "03-anomaly"],
                             NOBODY), env={"PATH": "/usr/bin:/usr/sbin"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("4-3-1 takes 1.95x as long as 4-2-2", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
