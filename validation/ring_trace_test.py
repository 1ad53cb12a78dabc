#!/usr/bin/python3
"""Does the trace of 3-3 alone predict the trace of 5-1?

Usage: validation/ring_trace_test.py BUILD
"""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader("ring_trace", str(HERE / "ring_trace"))
ring_trace = importlib.util.module_from_spec(importlib.util.spec_from_loader("ring_trace", loader))
loader.exec_module(ring_trace)


class RingTrace(unittest.TestCase):
    build = None

    def test_the_end_of_5_1_is_predicted_within_5_percent(self):
        trace = ring_trace.read_trace(HERE / "traces" / "ring-trace-5-1.csv")
        end, _, _ = ring_trace.measured_phases(trace)
        self.assertAlmostEqual(end, 5.20957)  # the last `done` of the trace
        predicted, _, _ = ring_trace.predicted_phases(str(self.build / "ringscope"))["5-1"]
        self.assertLess(abs(predicted / end - 1), 0.05)

    def test_the_allgather_suffers_more_as_measured(self):
        measured = {}
        for case in ("3-3", "5-1"):
            trace = ring_trace.read_trace(HERE / "traces" / f"ring-trace-{case}.csv")
            measured[case] = ring_trace.measured_phases(trace)
        predicted = ring_trace.predicted_phases(str(self.build / "ringscope"))
        for phases in (measured, predicted):
            scatter = phases["5-1"][1] / phases["3-3"][1]
            gather = phases["5-1"][2] / phases["3-3"][2]
            self.assertGreater(gather, scatter)

    def test_the_scenario_states_what_the_trace_says(self):
        command = [str(HERE / "ring_trace"), "--ringscope", str(self.build / "ringscope")]
        self.assertEqual(subprocess.run(command, check=False, capture_output=True).returncode, 0)


if __name__ == "__main__":
    RingTrace.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
