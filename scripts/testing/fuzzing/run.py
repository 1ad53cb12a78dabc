# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the program on one input, with limits that a busy machine does not shift.

Time is counted as CPU time of each process; the wall clock is only a last resort. Memory is limited
by address space, or, as a sanitizer reserves more of that than there is, by what is resident.
"""

import mmap
import os
import shlex
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass

from .fork_server import ForkServer
from .seeds import ROOT

WALL_FACTOR = 6  # how much longer than its CPU time may a run take on a busy machine
MOST_OUTPUT = 1 << 20  # bytes that are looked at
MOST_FILE = 64 << 20
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TERM": "dumb"}


@dataclass
class Ended:
    """One run: `code` is negative for a signal; `late` where the time limit ended it."""
    words: list
    code: int
    out: bytes
    err: bytes
    late: bool
    files: dict  # {name: bytes} that it wrote

    @property
    def command(self):
        return "ringscope " + " ".join(shlex.quote(word) for word in map(readable, self.words))


def readable(word):
    return word if isinstance(word, str) else os.fsdecode(word)


def is_sanitized(path):
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return text.find(b"__asan_init") >= 0


class Program:
    """`path` is started for each input; with `server`, that program forks instead."""

    def __init__(self, path, cpu_s=None, memory_bytes=2 << 30, server=None):
        self.path = os.path.abspath(path)
        self._server = server and os.path.abspath(server)
        self._servers = threading.local()
        self.sanitized = is_sanitized(path)
        self._cpu_s = cpu_s or (120 if self.sanitized else 20)
        self._memory = memory_bytes

    def run(self, words, files, keep=False, environment=None):
        """`files` lie in the folder where it runs; with `keep`, what it writes there is read."""
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            write_files(folder, files)
            run = self._fork_in if self._server else self._run_in
            ended = run(folder, words, environment or {})
            if keep:
                ended.files = written(folder, files)
            return ended

    def _run_in(self, folder, words, environment):
        process = subprocess.Popen(
            [*self._limits(), self.path, *words], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            env={**os.environ, **ENVIRONMENT, **self._sanitizers(), **environment})
        late = False
        try:
            out, err = process.communicate(timeout=WALL_FACTOR * self._cpu_s)
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        late = late or process.returncode == -signal.SIGXCPU or b"CPU time limit" in err
        return Ended(words, process.returncode, out[:MOST_OUTPUT], err[:MOST_OUTPUT], late, {})

    def _fork_in(self, folder, words, environment):
        if not hasattr(self._servers, "mine"):
            self._servers.mine = ForkServer(self._server, {**ENVIRONMENT, **self._sanitizers()})
        with tempfile.TemporaryDirectory(prefix="fuzz-streams-") as beside:
            streams = [os.path.join(beside, name) for name in ("out", "err")]
            limits = (self._cpu_s, WALL_FACTOR * self._cpu_s, self._memory)
            code, late, memory = self._servers.mine.run(words, folder, streams, limits, environment)
            out, err = map(begin_of, streams)
        late = late or code == -signal.SIGXCPU or b"CPU time limit" in err
        return Ended(words, code, out, err + b"hard rss limit" * memory, late, {})

    def _limits(self):
        """Command that limits the one behind it. A function that runs between fork and exec can
        wait forever for a lock of another thread."""
        memory = [] if self.sanitized else [f"--as={self._memory}"]
        return ["prlimit", f"--cpu={self._cpu_s}:{self._cpu_s + 5}", "--core=0", *memory, "--"]

    def _sanitizers(self):
        if not self.sanitized:
            return {}
        limit = self._memory >> 20
        leaks = os.path.join(ROOT, "scripts", "lsan.supp")
        return {"ASAN_OPTIONS": f"hard_rss_limit_mb={limit}:allocator_may_return_null=1",
                "LSAN_OPTIONS": f"suppressions={leaks}:print_suppressions=0",
                "UBSAN_OPTIONS": "print_stacktrace=1"}


def begin_of(path):
    with open(path, "rb") as file:
        return file.read(MOST_OUTPUT)


def write_files(folder, files):
    """{name: bytes}; a name may have folders."""
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def written(folder, known):
    """{name: bytes} of the files below the folder that were not there before."""
    found = {}
    for inside, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(inside, name)
            short = os.path.relpath(path, folder)
            if short not in known:
                if os.path.getsize(path) > MOST_FILE:
                    continue  # a part of it would be judged for where it was cut
                with open(path, "rb") as file:
                    found[short] = file.read()
    return found
