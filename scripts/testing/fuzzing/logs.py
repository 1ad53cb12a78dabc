# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fuzz target of the importers of logs (validation/calibration/imports), with options as libFuzzer
has them: -runs=N -max_total_time=S -seed=N -artifact_prefix=FOLDER/ CORPUS, or -merge=1 SMALLEST
CORPUS, or a FILE to read once. An input that is rejected by a new way through the code is one to go
on from.
"""

import hashlib
import os
import random
import shutil
import sys
import tempfile
import time
import traceback

from common.programs import InputError
from scripts.testing.fuzzing.mutations import mutated
from validation.calibration import imports
from validation.calibration.imports.findings import Given, documents_of
from validation.calibration.imports.source import read_source

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


def kept(folder):
    """Paths of the files in the folder, the smallest first."""
    return sorted((entry.path for entry in os.scandir(folder)), key=os.path.getsize)


def merge(smallest, corpus):
    """Copies the inputs of the corpus that are rejected by ways of their own."""
    ways = set()
    for path in kept(corpus):
        known = len(ways)
        if fault_of(path, ways) is None and len(ways) > known:
            shutil.copy(path, smallest)


def fuzz(options, corpus):
    """Reads the corpus, then changes of it, and adds those of a new way. Prints their number."""
    draw, ways, done, texts = random.Random(options.get("seed")), set(), 0, []
    for path in kept(corpus):
        with open(path, "rb") as file:
            texts.append(file.read())
    waiting, most = list(texts), float(options.get("runs", -1))
    end = time.monotonic() + (float(options.get("max_total_time", 0)) or float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.log")
        while (waiting or not 0 <= most <= done) and time.monotonic() < end:
            text = waiting.pop() if waiting else mutated(draw, *draw.choices(texts, k=2))
            known = len(ways)
            with open(path, "wb") as file:
                file.write(text)
            done += 1
            if fault := fault_of(path, ways):
                print("ERROR: " + fault[1].splitlines()[-1], fault[1], sep="\n")
                shutil.move(path, f"{options.get('artifact_prefix', '')}{fault[0]}-{done}")
                break
            if len(ways) > known and text not in texts:
                texts.append(text)
                shutil.copy(path, os.path.join(corpus, hashlib.sha1(text).hexdigest()))
    print(f"stat::number_of_executed_units: {done}")


def main():
    options = dict(word[1:].split("=", 1) for word in sys.argv[1:] if word[0] == "-")
    paths = [word for word in sys.argv[1:] if word[0] != "-"]
    if os.path.isfile(paths[0]):
        return bool(fault_of(paths[0], set()))
    return merge(*paths) if "merge" in options else fuzz(options, *paths)


if __name__ == "__main__":
    sys.exit(main())
