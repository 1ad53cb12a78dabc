# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do three placements of a halo exchange and a sum have the predicted order and ratios?

Usage: python3 -m validation.lab.placements_test BUILD [--measure]

campaigns/halo_and_sum.yaml says what is asked and expected. results/lab/halo_and_sum has the
prediction, which was committed before the first measurement, and that measurement: --measure wrote
it. The test measures again, for a few seconds.
"""

import itertools
import json
import pathlib
import statistics
import sys
import tempfile
import unittest

import yaml

from validation import measurements
from validation.lab import lab_test

RESULTS = pathlib.Path(__file__).resolve().parents[1] / "results" / "lab" / "halo_and_sum"
ASKED = RESULTS.parents[2] / "campaigns" / "halo_and_sum.yaml"
DISTURBED = 0.3  # cores that others used meanwhile, as a campaign counts
LAUNCHES, REPETITIONS = 5, 5  # of each placement, of what is kept


def read_question() -> dict:
    return yaml.safe_load(ASKED.read_text(encoding="utf-8"))


def predicted() -> dict:
    """{case: prediction}"""
    kept = json.loads((RESULTS / "predicted.json").read_text(encoding="utf-8"))
    return {one["name"].removeprefix(f"{ASKED.stem} "): one for one in kept["cases"]}


def hosts_of(case: dict) -> str:
    """Host of each rank, as the lab takes it."""
    return ",".join(str(entry["host"]) for entry in case["set"]["placement"])


class Launcher:
    """Launches of the question's cases, whose documents go into a folder."""

    def __init__(self, build, folder: pathlib.Path, repetitions: int):
        self.build, self.folder, self.repetitions = build, folder, repetitions
        self.question = read_question()
        self.cases = self.question.pop("cases")

    def launch(self, case: dict, number: int) -> measurements.Document:
        """One launch by itself: the case's ranks are where its list says."""
        output = self.folder / f"{case['name']}.{number}.json"
        with tempfile.TemporaryDirectory() as place:
            scenario = pathlib.Path(place) / f"{case['name']}.yaml"
            scenario.write_text(yaml.safe_dump(self.question), encoding="utf-8")
            ran = lab_test.lab(
                "replay", scenario, "--placement", hosts_of(case), "--rate",
                self.question["cluster"]["link"]["bandwidth"], "--build", self.build, "-o", output,
                "--", "--repetitions", self.repetitions, "--max-repetitions", self.repetitions,
                "--warmups", 1)
        if ran.returncode != 0:
            raise RuntimeError(f"{case['name']}: {ran.stderr}")
        return measurements.read(str(output))

    def run(self, launches: int) -> dict:
        """Documents of each case, launched in turn."""
        found = {case["name"]: [] for case in self.cases}
        for number, case in itertools.product(range(1, launches + 1), self.cases):
            document = self.launch(case, number)
            found[case["name"]].append(document)
            print(f"{case['name']}.{number}: {document.measurements[0].median_s:.4f} s, "
                  f"{document.where['foreign_cores']:.2f} foreign cores", flush=True)
        return found


def seconds_of(documents: list) -> float:
    return statistics.median(sample for document in documents
                             for sample in document.measurements[0].samples_s)


def wrong(measured: dict) -> str:
    """Differences between {case: seconds} and the prediction, in words; "" for none."""
    expected = predicted()
    first = next(iter(expected))
    order, asked = (sorted(some, key=some.get) for some in (
        measured, {name: one["time_s"] for name, one in expected.items()}))
    if order != asked:
        return f"order: expected {', '.join(asked)}, got {', '.join(order)}"
    return "; ".join(
        f"{name} over {first}: expected {one['ratio_low']:.3f} to {one['ratio_high']:.3f}, got "
        f"{measured[name] / measured[first]:.3f}" for name, one in expected.items()
        if not one["ratio_low"] <= measured[name] / measured[first] <= one["ratio_high"])


class Placements(lab_test.Lab):
    def test_order_and_ratios_are_as_predicted(self):
        for _ in range(2):
            found = Launcher(self.build, self.folder, 3).run(1)
            off = wrong({name: seconds_of(documents) for name, documents in found.items()})
            if not off:
                return
        foreign = max(one.where["foreign_cores"] for some in found.values() for one in some)
        if foreign > DISTURBED:
            self.skipTest(f"others used {foreign:.2f} cores meanwhile: {off}")
        self.fail(off)


if __name__ == "__main__":
    lab_test.begin(sys.argv[1])
    if sys.argv[2:] == ["--measure"]:
        Launcher(sys.argv[1], RESULTS, REPETITIONS).run(LAUNCHES)
    else:
        unittest.main(argv=sys.argv[:1])
