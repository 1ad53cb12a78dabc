# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the search of `ringscope place` find the best of small instances, and say what it gains?

    benchmarks/placement --seed 20261128 [-o results.json] [--program build/ringscope]

Of each drawn instance all placements are simulated first: the truth. Then the search looks at a
tenth of them, 10 to 30. 40 are random, where the median placement takes at least 10 % longer than
the best; of 20 the user's own placement does so by a known mechanism; of 20 it takes less than 1 %
longer.
"""

import argparse
import itertools
import json
import pathlib
import random
import re
import statistics
import subprocess
import tempfile

from benchmarks.placement_instances_for_test import GAIN, instance, planted
from common.programs import InputError, run_main, write_text

ROOT = pathlib.Path(__file__).resolve().parent.parent
FEWEST, MOST = 40, 500  # placements that differ
NO_GAIN = 1.01
TRUE = 1.0001  # a bound by the best, at most: digits were left out
WANTED = {"random": 40, "gain": 20, "none": 20}
FEW = {"random": 1, "gain": 1, "none": 1}


class Question:
    """A study in a folder, with a store of what is simulated for it."""

    def __init__(self, program: str, folder: pathlib.Path, study: dict):
        self.program, self.study = program, study
        self.folder, self.mechanism = folder, None
        self.write()

    def write(self):
        (self.folder / "study.yaml").write_text(json.dumps(self.study))

    def answer(self, budget: int) -> dict:
        """The answer as JSON, with the screen as `text`; {} where the question is refused."""
        done = subprocess.run(
            [self.program, "place", "study.yaml", "--quiet", "--store", "store.sqlite", "--threads",
             "1", "--verify", "0", "--random", "0", "--top", "1", "--budget", str(budget),
             "--json", "answer.json"],
            cwd=self.folder, check=False, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise InputError(f"{json.dumps(self.study)}: exit code {done.returncode}, "
                             f"{done.stderr.strip()}")
        if done.returncode == 1:
            return {}
        return json.loads((self.folder / "answer.json").read_text()) | {"text": done.stdout}

    def truth(self) -> dict:
        """The answer of all placements; {} where they are too few, too many or too equal."""
        answer = self.answer(FEWEST - 1)
        if not answer or not answer["searched"] or int(answer["differ"]) > MOST:
            return {}
        answer = self.answer(MOST)
        fits = not answer["searched"] and int(answer["differ"]) >= FEWEST
        return answer if fits and median(answer) >= GAIN else {}


def best(answer: dict) -> float:
    return answer["placements"][0]["time_s"]


def gain(answer: dict) -> float:
    """By which factor the user's placement takes longer than the best; 0 if it is not allowed."""
    own = answer["yours"]
    return own["time_s"] / best(answer) if own["allowed"] and own["time_s"] else 0


def median(answer: dict) -> float:
    """Median of all placements, each as often as chance has it, by the best."""
    times = sorted((one["time_s"] or float("inf"), int(one["alike"]))
                   for one in answer["placements"])
    half = sum(alike for _, alike in times) / 2
    before = itertools.accumulate(alike for _, alike in times)
    return next(time for (time, _), so_far in zip(times, before) if so_far >= half) / best(answer)


def kept(program: str, folder: pathlib.Path, seed: int, kind: str, number: int):
    """(question, its true answer) of an instance that meets the conditions of its kind; or None."""
    folder.mkdir()
    question = Question(program, folder, instance(seed, kind, number))
    truth = question.truth()
    if not truth or kind == "random":
        return (question, truth) if truth else None
    draw = random.Random(f"{seed} {kind} {number} own")
    study = question.study
    if kind == "gain":
        found = planted(study, truth, draw)
        if found is None:
            return None
        study, question.mechanism = found
    else:
        close = [one for one in truth["placements"]
                 if one["time_s"] and one["time_s"] < NO_GAIN * best(truth)]
        study["scenario"]["placement"] = draw.choice(close)["ranks"]
    question.write()
    truth = question.answer(MOST)
    fits = gain(truth) >= GAIN if kind == "gain" else 1 <= gain(truth) < NO_GAIN
    return (question, truth) if fits else None


def row(kind: str, number: int, question: Question, truth: dict) -> dict:
    """Outcome of the search for an instance."""
    differ = int(truth["differ"])
    found = question.answer(min(30, max(10, differ // 10)))
    said = re.search(r"yours takes ([0-9.]+) % longer", found["text"])
    none = re.search("no gain|as good as|none better", found["text"])
    job, cluster = (question.study["scenario"][key] for key in ("job", "cluster"))
    return {"kind": kind, "number": number, "network": cluster["network"],
            "job": job.get("algorithm") or "groups", "differ": differ,
            "simulated": len(found["placements"]), "median": round(median(truth), 4),
            "found": round(best(found) / best(truth), 4),
            "bound": found["bound_s"] and round(found["bound_s"] / best(truth), 4),
            "gain": round(gain(truth), 4), "by": question.mechanism,
            "said": 1 if none else said and round(1 + float(said[1]) / 100, 4)}


def is_met(one: dict) -> bool:
    """The best within 1 %; the gain named within 1 % of its size; none said where there is none."""
    if one["kind"] == "random":
        return one["found"] <= NO_GAIN
    if one["kind"] == "none":
        return one["said"] == 1
    return one["said"] is not None and one["said"] * NO_GAIN >= one["gain"] and one["said"] > 1


def summary(rows: list) -> str:
    lines = [f"{kind}: {sum(map(is_met, those))} of {len(those)}" for kind in WANTED
             if (those := [one for one in rows if one["kind"] == kind])]
    bounds = [one["bound"] or 0 for one in rows if one["kind"] == "random"]
    if bounds:
        lines.append(f"bound by the true best: median {statistics.median(bounds):.3f}, none for "
                     f"{bounds.count(0)}, above it {sum(bound > TRUE for bound in bounds)}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--few", action="store_true", help="3 instances, of which none may have a "
                        "bound above the true best")
    parser.add_argument("--program", default=str(ROOT / "build" / "ringscope"))
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, wanted in (FEW if arguments.few else WANTED).items():
            found = filter(lambda pair: pair[1], (
                (number, kept(str(pathlib.Path(arguments.program).resolve()),
                              pathlib.Path(folder) / f"{kind}{number}", arguments.seed, kind,
                              number)) for number in itertools.count()))
            for number, pair in itertools.islice(found, wanted):
                rows.append(row(kind, number, *pair))
                print(rows[-1], "" if is_met(rows[-1]) else "MISSED", flush=True)
    print(summary(rows))
    if arguments.output:
        write_text(arguments.output,
                   "[\n" + ",\n".join(json.dumps(one) for one in rows) + "\n]\n")
    if any((one["bound"] or 0) > TRUE for one in rows):
        raise InputError("a bound is above the true best")


if __name__ == "__main__":
    run_main(main)
