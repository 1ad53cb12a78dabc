# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fuzz targets of the readers: one process reads a million inputs an hour, guided by coverage.

Corpora and counts go on from session to session in CORPORA; the first takes them over from KEPT,
where scripts/testing/fuzzing/keep_corpora puts them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from threading import Lock

from .budget import Budget
from .seeds import ROOT, by_target

NAME = "readers"
ABOUT = "readers in one process each, guided by coverage; builds them by clang"
BUILD = os.path.join(ROOT, "build-fuzz")
KEPT = os.path.join(ROOT, "scripts/testing/fuzzing/corpora")
TARGETS = ["logs", *sorted(name.removesuffix("_target.cpp") for name in os.listdir(
    os.path.join(ROOT, "scripts/testing/fuzzing/targets")) if name.endswith("_target.cpp"))]
CORPORA = os.path.join(ROOT, "out/fuzz/corpora")
# Targets limit their CPU time: seconds of the wall clock (report_slow_units) do not matter. Weights
# of rare features (entropic) take a quarter of the time of targets that have many.
LIMITS = {"rss_limit_mb": 1024, "report_slow_units": 1200, "max_len": 8192, "print_final_stats": 1,
          "entropic": 0}
FAULT = re.compile(r"^.*(?:ERROR: (?!libFuzzer: run interr)|runtime error: ).*$", re.MULTILINE)


def missing(built):
    """The reason why there are no targets, or None; builds them unless they have to be `built`."""
    if built:
        there = os.path.exists(os.path.join(BUILD, "fuzz_yaml"))
        return None if there else "no target is built; run: scripts/fuzz readers"
    needed = subprocess.run([os.path.join(ROOT, "scripts/install_packages"), "--missing", "fuzz"],
                            capture_output=True, text=True).stdout.split()
    if needed:
        return f"missing packages: {' '.join(needed)}; run: scripts/install_packages fuzz"
    if subprocess.run([os.path.join(ROOT, "scripts/build"), "fuzz", "fuzz_targets"]).returncode:
        sys.exit(1)
    return None


class Target:
    def __init__(self, name, seeds):
        self.name = name
        self.corpus = os.path.join(CORPORA, name)
        self.program = [os.path.join(BUILD, f"fuzz_{name}")]
        if name == "logs":
            self.program = [sys.executable, "-B", "-m", "scripts.testing.fuzzing.logs"]
        if not os.path.isdir(self.corpus):
            os.makedirs(self.corpus)
            kept = os.path.join(KEPT, f"{name}.tar.xz")
            if os.path.exists(kept):
                shutil.unpack_archive(kept, self.corpus)
        for number, text in enumerate(seeds):
            with open(os.path.join(self.corpus, f"seed-{number}"), "wb") as file:
                file.write(text)
        words = sorted({word for text in seeds for word in re.findall(rb"[\w.#<=-]{3,24}", text)})
        self.words = os.path.join(CORPORA, f"{name}.dict")
        with open(self.words, "wb") as file:
            file.writelines(b'"%s"\n' % word for word in words[:2000])

    def run(self, seed, seconds, budget, folder):
        """Its output. Artifacts go to the folder."""
        runs = -1 if budget.count is None else budget.count
        options = {**LIMITS, "seed": seed % (1 << 31) + 1, "dict": self.words, "runs": runs,
                   "max_total_time": int(seconds + 1 if seconds else 0),
                   "artifact_prefix": folder + "/"}
        words = [f"-{key}={value}" for key, value in options.items()]
        with open(os.path.join(CORPORA, f"{self.name}.log"), "w+", errors="replace") as log:
            memory = "/dev/shm" if os.path.isdir("/dev/shm") else folder
            process = subprocess.Popen([*self.program, *words, self.corpus], stdout=log, cwd=ROOT,
                                       stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                                       env={**os.environ, "TMPDIR": memory})
            while process.poll() is None:
                time.sleep(0.05)
                if budget.stop.asked:
                    process.send_signal(2)
            log.seek(0)
            return log.read()


def in_all_sessions(name, inputs):
    """Adds the inputs to those of the target so far, and returns the sum."""
    path, counts = os.path.join(CORPORA, "counts.json"), {}
    for known in (os.path.join(KEPT, "counts.json"), path):
        if os.path.exists(known):
            with open(known, encoding="utf-8") as file:
                counts = json.load(file)
    counts[name] = counts.get(name, 0) + inputs
    with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
        json.dump(counts, file, indent=1, sort_keys=True)
    os.replace(file.name, path)
    return counts[name]


def run(options, budget, outcomes):
    names, seeds, lock = [options.target] if options.target else TARGETS, by_target(), Lock()
    share = budget.time_s and budget.time_s * min(budget.jobs, len(names)) / len(names)

    def one(number):
        target, begin = Target(names[number], seeds[names[number]]), time.monotonic()
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            output = target.run(options.seed, share, budget, folder)
            inputs = int((re.findall(r"executed_units:\s+(\d+)", output) or [0])[-1])
            took = time.monotonic() - begin
            with lock:
                budget.done += inputs
                print(f"{target.name}: {inputs} inputs, {inputs / took:.0f}/s; of all sessions "
                      f"{in_all_sessions(target.name, inputs)}", flush=True)
            for name in os.listdir(folder):
                fault = FAULT.search(output)
                with open(os.path.join(folder, name), "rb") as file:
                    outcomes.found(NAME, target.name, f"{target.name}: {fault and fault[0]}\n"
                                   f"{output[-6000:]}", {name: file.read()})

    Budget(budget.stop, count=len(names), jobs=budget.jobs, name=NAME).each(one)
