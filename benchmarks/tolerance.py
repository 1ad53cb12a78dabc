# SPDX-License-Identifier: LGPL-2.1-or-later
"""Say by how much times differ from the exact ones, and what that saves, at some tolerances.

    benchmarks/tolerance [--program build/ringscope] [SCENARIO...]

Without scenarios: all lessons and studies that are cases, and contended all-to-alls.
"""

import argparse
import json
import pathlib
import resource
import subprocess

from benchmarks.rows import ROWS
from common.programs import InputError, run_main
from validation.arguments import parsed

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARES = ("0.01%", "0.1%", "1%")
TICK = 1e-3  # seconds: CPU times of less are told as 0
CONTENDED = ("posted", "posted_fat_tree")


def times(program: str, words: list, share: str) -> tuple:
    """Seconds of each case by its name, and CPU seconds of the program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [program, "run", *words, "--no-skip", "--tolerance", share, "--json", "-"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if not done.stdout:
        raise InputError(f"{words[0]}: {done.stderr.strip()}")
    return {case["name"]: case["time_s"] for case in json.loads(done.stdout)["cases"]}, spent


def line(program: str, name: str, words: list) -> str:
    exact, spent = times(program, words, "0")
    columns = [f"{name:30}", f"{len(exact):5}", f"{spent:7.2f} s"]
    for share in SHARES:
        close, less = times(program, words, share)
        worst = max((abs(close[case] - time) / time for case, time in exact.items()), default=0)
        columns.append(f"{100 * worst:8.4f} % {spent / max(less, TICK):5.1f} x")
    return "  ".join(columns)


def subjects(names: list) -> list:
    """Pairs of a name and the words that select its cases."""
    if names:
        return [(name, [name]) for name in names]
    found = sorted((ROOT / "scenarios" / "lessons").glob("*.yaml"))
    found += [path for path in sorted((ROOT / "scenarios" / "studies").rglob("*.yaml"))
              if not {"sweep:", "place:"} & {text.split(" ")[0].strip()
                                             for text in path.read_text().splitlines()}]
    pairs = [(path.stem, [str(path)]) for path in found]
    for row in ROWS:
        if row.name in CONTENDED:
            pairs.append((row.name, [word for word in row.arguments(False)[1:]
                                     if word not in ("--no-skip", "--kernel", "fluid")]))
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments = parsed(parser, "benchmarks tolerance", program=ROOT / "build" / "ringscope")
    print(f"{'scenario':30}  cases      exact  " + "  ".join(f"at {share:>15}" for share in SHARES))
    for name, words in subjects(arguments.scenario):
        print(line(str(arguments.program.resolve()), name, words), flush=True)


if __name__ == "__main__":
    run_main(main)
