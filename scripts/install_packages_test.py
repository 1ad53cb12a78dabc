#!/usr/bin/python3
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

    def install(self, which="demo"):
        log = os.path.join(self.folder, "log")
        ran = subprocess.run([shutil.which("bash"), SCRIPT, which], capture_output=True, text=True,
                             env={"PATH": self.folder, "LOG": log})
        calls = ""
        if os.path.exists(log):
            with open(log, encoding="utf-8") as file:
                calls = file.read()
        return ran, calls

    def stops_with(self, message, which="demo"):
        ran, _ = self.install(which)
        self.assertEqual(ran.stderr, f"install_packages: {message}\n")
        self.assertEqual(ran.returncode, 1)

    def test_it_is_silent_when_nothing_is_missing(self):
        self.stand_in("dpkg-query", "echo installed")
        ran, calls = self.install("test")
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr, calls), (0, "", "", ""))

    def test_it_says_what_it_installs_and_installs_only_that(self):
        ran, calls = self.install()
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr),
                         (0, "Installing with apt-get: g++\n", ""))
        self.assertEqual(calls, "-qq -o APT::Update::Error-Mode=any update\n"
                                "-qq install --yes --no-install-recommends g++\n")

    def test_the_tests_need_more_than_the_demo(self):
        self.stand_in("dpkg-query", "exit 1")
        demo, test = self.install("demo")[0].stdout.split(), self.install("test")[0].stdout.split()
        self.assertEqual(test[:len(demo)], demo)
        self.assertIn("libgtest-dev", test[len(demo):])

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

    def test_an_unknown_set_is_refused(self):
        self.stops_with("expected 'demo', 'test' or 'web', got 'all'", "all")


if __name__ == "__main__":
    unittest.main()
