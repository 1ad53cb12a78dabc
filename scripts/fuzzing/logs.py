# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fuzz target of the importers of logs (validation/imports), with options as libFuzzer has them:
-runs=N -max_total_time=S -seed=N -artifact_prefix=FOLDER/, or a FILE to read once. An input that
is rejected by a new way through the code is one to go on from.
"""

import os
import random
import shutil
import sys
import tempfile
import time
import traceback

from scripts.fuzzing.mutations import mutated
from scripts.fuzzing.seeds import by_target
from validation import imports
from validation.imports.findings import Given, documents_of
from validation.imports.source import read_source
from validation.programs import InputError

MOST_CPU_S = 2
GIVEN = Given(nodes=2, ranks_per_node=2)


def read(path):
    """The way through the code by which the file is rejected; () where it is read."""
    try:
        source = read_source(path)
        documents_of([one.parse(source, GIVEN) for one in imports.formats_of(source)], GIVEN)
    except InputError as error:
        return tuple(line for _, line in traceback.walk_tb(error.__traceback__))
    return ()


def fault_of(path, ways):
    """The fault of the reader with this input, or None. Adds the input's way to the others."""
    begin = time.thread_time()
    try:
        ways.add(read(path))
    except Exception:
        return "crash", traceback.format_exc()
    took = time.thread_time() - begin
    return ("timeout", f"ERROR: {took:.1f} s of CPU") if took > MOST_CPU_S else None


def main():
    options = dict(word[1:].split("=", 1) for word in sys.argv[1:] if word[0] == "-")
    draw, texts, ways, done = random.Random(options.get("seed")), by_target()["logs"], set(), 0
    most, seconds = int(options.get("runs", -1)), float(options.get("max_total_time", 0))
    end = time.monotonic() + (seconds or float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.log")
        while done != most and time.monotonic() < end:
            text, known = mutated(draw, draw.choice(texts), draw.choice(texts)), len(ways)
            with open(path, "wb") as file:
                file.write(text)
            done += 1
            if fault := fault_of(path, ways):
                print("ERROR: " + fault[1].splitlines()[-1], fault[1], sep="\n")
                shutil.move(path, f"{options.get('artifact_prefix', '')}{fault[0]}-{done}")
                break
            if len(ways) > known:
                texts.append(text)
    print(f"stat::number_of_executed_units: {done}")


if __name__ == "__main__":
    alone = [word for word in sys.argv[1:] if os.path.isfile(word)]
    sys.exit(bool(fault_of(alone[0], set())) if alone else main())
