# SPDX-License-Identifier: LGPL-2.1-or-later
"""Findings of the fuzzers: printed once per kind of problem, with a reproducer beside."""

import os
import re
import shutil
import threading

from .run import write_files

MOST_OF_A_KIND = 5  # reproducers; further ones are only counted


def kind_of(problem):
    """The problem without what differs between two inputs that draw it."""
    kind = re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", problem.splitlines()[0])
    return re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "N", kind)


class Outcomes:
    def __init__(self, folder, seed, show=print):
        self._folder = folder
        self._seed = seed
        self._show = show
        self._lock = threading.Lock()
        self.kinds = {}

    @property
    def count(self):
        return sum(self.kinds.values())

    def found(self, fuzzer, number, problem, files):
        """Writes {name: bytes} and the problem to FOLDER/FUZZER-NUMBER, and says so."""
        with self._lock:
            kind = f"{fuzzer}: {kind_of(problem)}"
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
            if self.kinds[kind] > MOST_OF_A_KIND:
                return
            folder = os.path.join(self._folder, f"{fuzzer}-{number}")
            shutil.rmtree(folder, ignore_errors=True)
            first = number if isinstance(number, str) else f"--first {number} --count 1"
            again = f"scripts/fuzz {fuzzer} --seed {self._seed} {first}\n"
            write_files(folder, dict(files, **{
                "problem.txt": (problem + "\n").encode(errors="replace"),
                "again.txt": again.encode()}))
            self._show(f"{fuzzer} {number}: {problem.splitlines()[0]}: {folder}")

    def text(self):
        lines = [f"{count} x {kind}" for kind, count in sorted(self.kinds.items())]
        return "\n".join(lines) or "nothing found"
