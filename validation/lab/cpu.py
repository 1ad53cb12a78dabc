# SPDX-License-Identifier: LGPL-2.1-or-later
"""CPU time by owner: the job's, which is a control group of its own, and everybody else's.

The group also has a large share of the machine, so that other processes disturb less and that no
host gets the share of one session (sched_autogroup), however many ranks it has.
"""

import contextlib
import os
import pathlib
import resource
import signal
import time

CGROUP = pathlib.Path("/sys/fs/cgroup")
NAME = "ringscope-lab"
# Shares, of 1024 that others have: 32 times theirs; in version 2 of 100
LARGE = {"cpu.shares": "32768", "cpu.weight": "3200"}


def busy_s() -> float:
    """CPU time that the machine has spent on anything, since some moment. What the clock's ticks
    see of ranks that nap between them is less than they use: to be avoided where it can be."""
    exact = CGROUP / "cpuacct" / "cpuacct.usage"
    if exact.exists():
        return int(exact.read_text()) * 1e-9
    first = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    user, nice, system, _, _, irq, softirq = (int(word) for word in first[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def write(path: pathlib.Path, text: str):
    """Does nothing where that is forbidden."""
    with contextlib.suppress(OSError):
        path.write_text(text)


class Group:
    """A control group where the system has them (version 1 or 2), and none where it has not."""

    def __init__(self):
        roots = [CGROUP / "cpu", CGROUP / "cpuacct"]
        if not all((root / "cgroup.procs").exists() for root in roots):
            roots = [CGROUP] if (CGROUP / "cgroup.controllers").exists() else []
        self.folders = []
        for root in roots:
            folder = root / NAME
            try:
                folder.mkdir(exist_ok=True)
            except OSError:
                continue
            self.folders.append(folder)
            for name, share in LARGE.items():
                if (folder / name).exists():
                    write(folder / name, share)

    def join(self):
        """Puts the calling process in; its children follow."""
        for folder in self.folders:
            write(folder / "cgroup.procs", str(os.getpid()))

    def used_s(self) -> float:
        """CPU time of all that were ever in it; of our ended children where there is no group."""
        for folder in self.folders:
            if (folder / "cpuacct.usage").exists():
                return int((folder / "cpuacct.usage").read_text()) * 1e-9
            for line in self.lines(folder / "cpu.stat"):
                if line.startswith("usage_usec"):
                    return int(line.split()[1]) * 1e-6
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    @staticmethod
    def lines(path: pathlib.Path) -> list:
        return path.read_text().splitlines() if path.exists() else []


def remove_groups(patience_s: float = 10):
    """Removes groups that we, or one of us that was killed, left, and what runs in them: a child of
    the launcher that has not reached its namespace yet is in no host, and one that is ending has
    left its host before it leaves its group."""
    ends = time.monotonic() + patience_s
    for root in (CGROUP / "cpu", CGROUP / "cpuacct", CGROUP):
        folder = root / NAME
        while folder.is_dir():
            for line in Group.lines(folder / "cgroup.procs"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(line), signal.SIGKILL)
            try:
                folder.rmdir()
            except OSError:
                if time.monotonic() > ends:
                    raise
                time.sleep(0.02)
