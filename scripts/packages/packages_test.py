#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the Debian package install into a bare Debian, and are its pages and words whole?

Usage: packages_test.py BUILD. The chroot needs root, debootstrap and an archive that answers; what
lacks is said, and that test is skipped.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from bare_debian import BareDebian, Unavailable  # noqa: E402
from help_pages import groups_of, help_of, options, subcommands  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
PROGRAM = os.path.join(BUILD, "ringscope")
MOST_SECONDS = 60  # from `apt install` to an answer, on an idle machine


def run(words, **options_of_run):
    return subprocess.run(words, capture_output=True, text=True, **options_of_run)


class Help(unittest.TestCase):
    TEXT = ("Simulates\nUsage: p [OPTIONS] SUBCOMMAND\n\nOptions:\n  -h,--help       Print this\n\n"
            "Run it:\n  run             Run a case\n  a-long-one      Run two: both\n\n"
            "Present:\n  plot            Plot a file\n\nExamples:\n  p run x\n\nExit codes: 0\n")

    def test_subcommands_are_listed_below_several_headings(self):
        self.assertEqual(groups_of(self.TEXT),
                         {"Run it": {"run": "Run a case", "a-long-one": "Run two: both"},
                          "Present": {"plot": "Plot a file"}})

    def test_the_program_has_headings_and_no_subcommand_twice(self):
        groups = groups_of(help_of(PROGRAM))
        self.assertEqual(list(groups), ["Simulate", "Search", "Describe a machine",
                                        "Measurements", "Present"])
        self.assertEqual(sum(map(len, groups.values())), len(subcommands(PROGRAM)))


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ringscope-package-")
        cls.addClassCleanup(cls.folder.cleanup)
        made = run(["cpack", "-G", "DEB", "-B", cls.folder.name,
                    "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none"], cwd=BUILD)
        assert made.returncode == 0, made.stdout + made.stderr
        cls.packages = {os.path.basename(path).split("_")[0]: path
                        for path in glob.glob(os.path.join(cls.folder.name, "*.deb"))}
        cls.package = cls.packages["ringscope"]
        cls.unpacked = os.path.join(cls.folder.name, "unpacked")
        subprocess.run(["dpkg-deb", "-x", cls.package, cls.unpacked], check=True)

    def share(self, *path):
        return os.path.join(self.unpacked, "usr/share", *path)

    def test_each_subcommand_has_a_man_page_with_all_its_options(self):
        if shutil.which("help2man") is None:
            self.skipTest("help2man is not installed")
        for name in subcommands(PROGRAM):
            with open(self.share("man/man1", f"ringscope-{name}.1"), encoding="utf-8") as file:
                page = file.read().replace("\\-", "-")
            for option in options(help_of(PROGRAM, name)):
                self.assertIn(option, page, name)

    def test_licences_readme_and_notebooks_are_in_the_package(self):
        for name in ("LICENSE", "THIRD_PARTY.md", "README.md",
                     "notebooks/where-do-i-put-my-ranks.ipynb"):
            self.assertTrue(os.path.exists(self.share("doc/ringscope", name)), name)

    def completed(self, *words):
        script = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; '
                  '_ringscope; printf "%s\\n" "${COMPREPLY[@]}"')
        path = self.share("bash-completion/completions/ringscope")
        done = run(["bash", "-c", script, path, "ringscope", *words],
                   env={"PATH": f"{BUILD}:/usr/bin:/bin"})
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_subcommands_options_names_and_keys(self):
        self.assertEqual(self.completed("wh"), ["what-if"])
        self.assertEqual(self.completed("run", "--tol"), ["--tolerance"])
        self.assertEqual(self.completed("run", "03"), ["03-anomaly"])
        self.assertEqual(self.completed("run", "--set", "job.rep"), ["job.repetitions="])
        self.assertEqual(self.completed("run", "--set", "library.network.lat"),
                         ["library.network.latency="])
        self.assertEqual(self.completed("list", "clu"), ["clusters"])

    def test_zsh_takes_what_bash_completes(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        done = run(["zsh", "-n", self.share("zsh/vendor-completions/_ringscope")])
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_packages_wait_for_the_program_of_their_version(self):
        version = run([PROGRAM, "--version"]).stdout.split()[1]
        for name in sorted(set(self.packages) - {"ringscope"}):
            needed = run(["dpkg-deb", "-f", self.packages[name], "Depends"]).stdout
            self.assertIn(f"ringscope (= {version})", needed, name)

    def test_packages_wait_for_shared_libraries(self):
        for name, package in self.packages.items():
            self.assertRegex(run(["dpkg-deb", "-f", package, "Depends"]).stdout,
                             r"\blibc6 \(>= .*\blibyaml-cpp", name)

    def test_library_package_has_what_find_package_needs(self):
        for path in ("usr/include/ringscope/ringscope.hpp", "usr/lib/libringscope.so",
                     "usr/lib/cmake/ringscope/ringscope-config.cmake"):
            self.assertIn(f"./{path}", self.listed("libringscope-dev"))

    def test_replays_have_a_package_where_they_are_built(self):
        built = os.path.exists(os.path.join(BUILD, "ringscope-mpi"))
        self.assertEqual("ringscope-mpi" in self.packages, built)
        if built:
            self.assertIn("./usr/bin/ringscope-mpi", self.listed("ringscope-mpi"))

    def test_each_package_has_its_licence(self):
        for name in self.packages:
            for file in ("LICENSE", "copyright"):
                self.assertIn(f"./usr/share/doc/{name}/{file}", self.listed(name))

    def test_names_of_packages_end_in_their_architecture(self):
        machine = run(["dpkg", "--print-architecture"]).stdout.strip()
        for path in self.packages.values():
            self.assertTrue(path.endswith(f"_{machine}.deb"), path)

    def test_the_python_of_the_compiled_module_is_recommended(self):
        modules = [re.search(r"cpython-(\d)(\d+)", path) for path in self.listed("ringscope")]
        versions = {f"{found[1]}.{found[2]}" for found in modules if found}
        recommended = run(["dpkg-deb", "-f", self.package, "Recommends"]).stdout
        for version in versions:
            self.assertIn(f"python3 (>= {version}~)", recommended)

    def listed(self, name):
        lines = run(["dpkg-deb", "-c", self.packages[name]]).stdout.splitlines()
        return {line.split(" -> ")[0].split()[-1] for line in lines}

    def test_a_bare_debian_answers_soon_after_the_package_is_installed(self):
        try:
            with BareDebian("bookworm") as debian:
                shutil.copy(self.package, os.path.join(debian.root, "tmp/ringscope.deb"))
                begin = time.monotonic()
                for words in (["apt-get", "install", "-y", "--no-install-recommends",
                               "/tmp/ringscope.deb"],
                              ["ringscope", "run", "01-two-hosts", "--kernel", "both"],
                              ["ringscope", "compare", "03-anomaly"]):
                    done = debian.run(words)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                took = time.monotonic() - begin
        except Unavailable as reason:
            self.skipTest(str(reason))
        self.assertIn("4-3-1 takes 1.95x as long as 4-2-2", done.stdout)
        print(f"installed and answered in {took:.0f} s (aim: {MOST_SECONDS} s)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
