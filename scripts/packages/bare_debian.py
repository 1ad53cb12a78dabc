# SPDX-License-Identifier: LGPL-2.1-or-later
"""A new Debian in a temporary folder, to install and build in."""

import glob
import os
import shutil
import subprocess
import tempfile

SURROUNDINGS = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
                "DEBIAN_FRONTEND": "noninteractive"}


class Unavailable(Exception):
    """No chroot can be had; the message is the reason."""


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


class BareDebian:
    """A context: debootstrap's smallest Debian of a suite, removed at its end."""

    def __init__(self, suite, packages=("bash", "ca-certificates")):
        if os.geteuid() != 0:
            raise Unavailable("a chroot needs root")
        if shutil.which("debootstrap") is None:
            raise Unavailable("debootstrap is not installed")
        self._suite, self._packages = suite, packages
        self.root = tempfile.mkdtemp(prefix="ringscope-debian-")
        os.chmod(self.root, 0o755)

    def __enter__(self):
        made = run(["debootstrap", "--variant=minbase", f"--include={','.join(self._packages)}",
                    self._suite, self.root, *archive()])
        if made.returncode != 0:
            last = (made.stdout + made.stderr).strip().splitlines()[-1:]
            self.__exit__()
            raise Unavailable(f"debootstrap {self._suite}: {''.join(last)}")
        for pattern in ("*proxy*", "99*"):
            for path in glob.glob(os.path.join("/etc/apt/apt.conf.d", pattern)):
                shutil.copy(path, os.path.join(self.root, "etc/apt/apt.conf.d"))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, words, **options):
        return run(in_chroot(self.root, words), env=SURROUNDINGS, **options)


def in_chroot(root, words, user=None):
    """The command that runs `words` in the folder `root`, where /proc shows a process its program.
    /proc is gone with the process."""
    as_user = [f"--userspec={user}"] if user else []
    return ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={root}/proc", "chroot",
            *as_user, root, *words]


def archive():
    """The archive that this machine installs from, where it names one."""
    for line in run(["apt-cache", "policy"]).stdout.split():
        if line.startswith("http") and line.rstrip("/").endswith("/debian"):
            return [line]
    return []
