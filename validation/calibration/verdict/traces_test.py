# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are traced rings compared phase by phase, with what their fit leaves open?

Usage: python3 -m validation.calibration.verdict.traces_test BUILD
"""

import csv
import io
import pathlib
import statistics
import subprocess
import sys
import unittest

import yaml

from common.quantities import parse_quantity
from validation.calibration.fit.trace import CHUNK
from validation.calibration.verdict.round_trip_test import ROOT, WithPrograms

VALIDATION = pathlib.Path(__file__).resolve().parents[2]

TRACED = ROOT / "scenarios" / "lessons" / "traced.yaml"


def rows(path):
    with open(path, encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def phases(scattered, ended):
    """The last end, and each rank's mean seconds in both phases, of (rank, seconds)."""
    scatter, end = ({rank: max(seconds for other, seconds in found if other == rank)
                     for rank, _ in found} for found in (scattered, ended))
    return (max(end.values()), statistics.mean(scatter.values()),
            statistics.mean(end[rank] - scatter[rank] for rank in end))


class Traces(WithPrograms):
    def imported(self, placement):
        path = self.folder / f"{placement}.json"
        source = VALIDATION / "traces" / f"ring-trace-{placement}.csv"
        subprocess.run([VALIDATION / "import", source, "-o", path], check=True, capture_output=True)
        return path

    def fitted(self):
        """The model that the trace of 3-3 alone gives."""
        model = self.folder / "trace.yaml"
        subprocess.run([VALIDATION / "calibrate", self.imported("3-3"), "-o", model], check=True,
                       capture_output=True)
        return model

    def test_phases_are_read_off_the_trace_and_the_timeline(self):
        scenario = yaml.safe_load(TRACED.read_text(encoding="utf-8"))
        model = self.model(cluster=scenario["cluster"], library=scenario["library"],
                           calibration={"trace": {"chunk": "100 MB"}})
        found = self.verdict(model, self.imported("3-3"), self.imported("5-1"))
        timeline = subprocess.run([self.build / "ringscope", "run", TRACED, "--timeline", "-"],
                                  check=True, capture_output=True, text=True,
                                  env=self.environment).stdout
        self.assertEqual([trace["name"] for trace in found["traces"]], ["3-3", "5-1"])
        for trace in found["traces"]:
            table = rows(VALIDATION / "traces" / f"ring-trace-{trace['name']}.csv")
            simulated = [row for row in csv.DictReader(io.StringIO(timeline))
                         if row["case"].split()[-1] == trace["name"]]
            expected = {
                "measured_s": phases([(row["rank"], float(row["seconds"])) for row in table
                                      if (row["step"], row["event"]) == ("4", "wait_returned")],
                                     [(row["rank"], float(row["seconds"])) for row in table
                                      if row["event"] == "done"]),
                "predicted_s": phases(*([(row["rank"], float(row["end_s"])) for row in simulated
                                         if row["phase"] == phase]
                                        for phase in ("reduce-scatter", "allgather")))}
            for key, three in expected.items():
                for phase, seconds in zip(trace["phases"], three, strict=True):
                    self.assertAlmostEqual(phase[key], seconds, msg=(trace["name"], phase["phase"]))

    def test_the_trace_of_3_3_alone_predicts_that_of_5_1(self):
        seen, unseen = self.verdict(self.fitted(), self.imported("3-3"),
                                    self.imported("5-1"))["traces"]
        end = unseen["phases"][0]
        self.assertAlmostEqual(end["measured_s"], 5.20957)  # the last `done` of the trace
        self.assertLess(abs(end["predicted_s"] / end["measured_s"] - 1), 0.05)
        for key in ("measured_s", "predicted_s"):  # the allgather suffers more
            _, scatter, gather = (other[key] / one[key] for one, other
                                  in zip(seen["phases"], unseen["phases"]))
            self.assertGreater(gather, scatter)

    def test_the_scenario_states_what_the_trace_says(self):
        text = TRACED.read_text(encoding="utf-8")
        stated = yaml.safe_load(text)["library"]
        fitted = yaml.safe_load(self.fitted().read_text(encoding="utf-8"))["library"]
        for cost, written in ((fitted["reduce_cost"], stated["reduce_cost"]),
                              (fitted["shm"]["recv_cost"], stated["shm"]["recv_cost"]),
                              (fitted["network"]["send_cost"], stated["network"]["send_cost"]),
                              (fitted["network"]["recv_cost"], stated["network"]["recv_cost"])):
            seconds = parse_quantity(cost, "cost")
            self.assertEqual(written, f"{seconds * 1e9:.3f} ns/B")
            self.assertIn(f"{seconds * CHUNK:.4f} s", text)

    def test_unidentified_costs_give_an_interval_for_the_other_placement(self):
        model = self.fitted()
        seen, unseen = self.verdict(model, self.imported("3-3"), self.imported("5-1"))["traces"]
        for phase in seen["phases"]:  # every split explains what was fitted
            self.assertGreater(phase["low_s"], 0.93 * phase["predicted_s"], phase["phase"])
            self.assertLess(phase["high_s"], 1.07 * phase["predicted_s"], phase["phase"])
        end = unseen["phases"][0]
        self.assertLess(end["low_s"], 0.9 * end["predicted_s"])
        self.assertGreater(end["high_s"], 1.05 * end["predicted_s"])
        self.assertTrue(end["low_s"] < end["measured_s"] < end["high_s"])
        said = self.validate(model, self.imported("3-3"), self.imported("5-1")).stdout
        self.assertIn("by any split of the cost between sender and receiver", said)
        self.assertRegex(said, r"5-1 over 3-3\n.*\nend +1\.\d+ +1\.\d+ .*%  1\.\d+ \.\. 1\.\d+")

    def test_a_trace_without_a_size_needs_one_from_the_fit(self):
        ran = self.validate(self.model(), self.imported("3-3"))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the fitted model has not assumed any", ran.stderr)


if __name__ == "__main__":
    WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
