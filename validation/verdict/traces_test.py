#!/usr/bin/python3 -B
"""Are traced rings compared phase by phase, with what their fit leaves open?

Usage: validation/verdict/traces_test.py BUILD
"""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import unittest

import yaml

VALIDATION = pathlib.Path(__file__).resolve().parent.parent
sys.path[0] = str(VALIDATION)
from verdict.round_trip_test import ROOT, WithPrograms  # noqa: E402


class Traces(WithPrograms):
    def imported(self, placement):
        path = self.folder / f"{placement}.json"
        source = VALIDATION / "traces" / f"ring-trace-{placement}.csv"
        subprocess.run([VALIDATION / "import", source, "-o", path], check=True, capture_output=True)
        return path

    def test_phases_are_those_of_the_ring_trace_script(self):
        scenario = yaml.safe_load((ROOT / "scenarios" / "traced.yaml").read_text())
        model = self.model(cluster=scenario["cluster"], library=scenario["library"],
                           calibration={"trace": {"chunk": "100 MB"}})
        found = self.verdict(model, self.imported("3-3"), self.imported("5-1"))
        loader = importlib.machinery.SourceFileLoader("script", str(VALIDATION / "ring_trace"))
        script = importlib.util.module_from_spec(importlib.util.spec_from_loader("script", loader))
        loader.exec_module(script)
        predicted = script.predicted_phases(str(self.build / "ringscope"))
        for trace in found["traces"]:
            table = VALIDATION / "traces" / f"ring-trace-{trace['name']}.csv"
            measured = script.measured_phases(script.read_trace(table))
            for phase, real, simulated in zip(trace["phases"], measured, predicted[trace["name"]]):
                self.assertAlmostEqual(phase["measured_s"], real)
                self.assertAlmostEqual(phase["predicted_s"], simulated)

    def test_what_a_trace_leaves_open_is_an_interval_of_the_other_placement(self):
        model = self.folder / "trace.yaml"
        subprocess.run([VALIDATION / "calibrate", self.imported("3-3"), "-o", model], check=True,
                       capture_output=True)
        seen, unseen = self.verdict(model, self.imported("3-3"), self.imported("5-1"))["traces"]
        for phase in seen["phases"]:  # every split explains what was fitted
            self.assertGreater(phase["low_s"], 0.93 * phase["predicted_s"], phase["phase"])
            self.assertLess(phase["high_s"], 1.07 * phase["predicted_s"], phase["phase"])
        end = unseen["phases"][0]
        self.assertLess(end["low_s"], 0.9 * end["predicted_s"])
        self.assertGreater(end["high_s"], 1.05 * end["predicted_s"])
        self.assertTrue(end["low_s"] < end["measured_s"] < end["high_s"])
        said = self.validate(model, self.imported("3-3"), self.imported("5-1")).stdout
        self.assertIn("as sender and receiver may share the cost", said)
        self.assertRegex(said, r"5-1 over 3-3\n.*\nend +1\.\d+ +1\.\d+ .*%  1\.\d+ \.\. 1\.\d+")

    def test_a_trace_without_a_size_needs_one_from_the_fit(self):
        ran = self.validate(self.model(), self.imported("3-3"))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the fitted model has not assumed any", ran.stderr)


if __name__ == "__main__":
    WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
