#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does scripts/install_packages install what is missing, and stop with one clear sentence?

dpkg-query, apt-get, apt-cache, sudo and id are stand-ins that keep a log of their calls.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "install_packages")
BASICS = ["bash", "cat", "env", "mktemp", "rm"]


class InstallPackages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in BASICS:
            os.symlink(shutil.which(name), os.path.join(self.folder, name))
        self.stand_in("id", "echo 0")
        self.stand_in("dpkg-query", '[[ ${@: -1} == g++ ]] || echo installed')
        self.stand_in("apt-get", 'echo "$@" >>"$LOG"')
        self.stand_in("apt-cache", "true")

    def stand_in(self, name, body):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!{shutil.which('bash')}\n{body}\n")
        os.chmod(path, 0o755)

    def install(self, *words):
        log = os.path.join(self.folder, "log")
        ran = subprocess.run([shutil.which("bash"), SCRIPT, *(words or ["demo"])],
                             capture_output=True, text=True,
                             env={"PATH": self.folder, "LOG": log})
        calls = ""
        if os.path.exists(log):
            with open(log, encoding="utf-8") as file:
                calls = file.read()
        return ran, calls

    def stops_with(self, message, *words):
        ran, _ = self.install(*words)
        self.assertEqual(ran.stderr, f"install_packages: {message}\n")
        self.assertEqual(ran.returncode, 1)

    def test_no_output_if_nothing_is_missing(self):
        self.stand_in("dpkg-query", "echo installed")
        ran, calls = self.install("test")
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr, calls), (0, "", "", ""))

    def test_installed_packages_are_exactly_those_printed(self):
        ran, calls = self.install()
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr),
                         (0, "Installing with apt-get: g++\n", ""))
        always = "-qq -o DPkg::Lock::Timeout=600"
        self.assertEqual(calls, f"{always} -o APT::Update::Error-Mode=any update\n"
                                f"{always} install --yes --no-install-recommends g++\n")

    def missing(self, group):
        ran, calls = self.install("--missing", group)
        self.assertEqual((ran.returncode, ran.stderr, calls), (0, "", ""))
        return ran.stdout.split()

    def test_groups_contain_each_other(self):
        self.stand_in("dpkg-query", "exit 1")
        groups = {name: set(self.missing(name))
                  for name in ("demo", "quick", "docs", "web", "fuzz", "test", "all")}
        self.assertEqual(groups["quick"] - groups["demo"], {"libgtest-dev", "libgmock-dev"})
        notebooks = {"python3-dev", "pybind11-dev", "python3-pandas", "python3-nbclient",
                     "python3-ipykernel"}
        self.assertEqual(groups["docs"] - groups["demo"], {"mkdocs", *notebooks})
        self.assertEqual(groups["fuzz"] - groups["demo"], {"clang", "libclang-rt-dev"})
        for smaller, larger in (("demo", "quick"), ("demo", "docs"), ("demo", "fuzz"),
                                ("quick", "test"), ("docs", "test")):
            self.assertLess(groups[smaller], groups[larger])
        self.assertEqual(groups["all"], groups["test"] | groups["web"])

    def test_missing_prints_each_package_once_and_installs_none(self):
        self.assertEqual(self.missing("demo"), ["g++"])
        self.stand_in("dpkg-query", "exit 1")
        every = self.missing("all")
        self.assertEqual(len(every), len(set(every)))
        self.stand_in("dpkg-query", "echo installed")
        self.assertEqual(self.missing("all"), [])

    def test_missing_prints_nothing_without_dpkg(self):
        os.remove(os.path.join(self.folder, "dpkg-query"))
        self.assertEqual(self.missing("quick"), [])

    def test_a_lock_held_by_another_apt_is_waited_for(self):
        self.stand_in("sleep", 'echo slept >>"$LOG"')
        self.stand_in("apt-get", """
            if [[ " $* " == *" update "* && ! -e $LOG ]]; then
              echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7"
              exit 100
            fi
            echo "$*" >>"$LOG" """)
        ran, calls = self.install()
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(ran.stdout, "Installing with apt-get: g++\n"
                                     "Waiting for another apt-get to end ...\n")
        self.assertEqual([line.split()[-1] for line in calls.splitlines()],
                         ["slept", "update", "g++"])

    def test_a_user_goes_through_sudo(self):
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", 'echo sudo >>"$LOG"; "$@"')
        self.stand_in("true", ":")
        ran, calls = self.install()
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(calls.count("sudo"), 3)

    def test_a_user_without_sudo_is_told_what_to_run(self):
        self.stand_in("id", "echo 1000")
        self.stops_with("you are not root and there is no sudo; as root, run: apt-get install g++")

    def test_a_user_whom_sudo_refuses_is_told_what_to_run(self):
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", "exit 1")
        self.stops_with("sudo refused; as root, run: apt-get install g++")

    def test_a_package_that_is_not_to_be_had_is_named(self):
        self.stand_in("apt-cache", "exit 1")
        self.stops_with("no package g++ to be had; Ringscope is made for Debian 12")
        self.stand_in("apt-get", "exit 100")
        self.stops_with("no package g++ to be had; apt-get update failed: is there a network?")

    def test_a_system_without_apt_is_told_what_it_needs(self):
        os.remove(os.path.join(self.folder, "apt-get"))
        ran, _ = self.install()
        self.assertIn("needs a Debian system with apt-get", ran.stderr)
        self.assertEqual(ran.returncode, 1)

    def test_unknown_group_is_an_error_that_lists_the_known_ones(self):
        self.stops_with("unknown group 'tests'; known: demo, quick, docs, web, fuzz, test, all",
                        "tests")


if __name__ == "__main__":
    unittest.main()
