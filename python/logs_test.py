# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do doctor, tune and validate from Python answer as the programs do, and fail as plainly?"""

import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

import ringscope

ROOT = pathlib.Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "validation/published"
LOG = PUBLISHED / "nccl/h100-1-host-all_reduce.log"


class Measurements(unittest.TestCase):
    OSU = PUBLISHED / "osu-tcp-c3-standard-4.csv"

    def test_have_a_document_per_kind_of_the_log(self):
        found = ringscope.measurements(self.OSU)
        self.assertEqual({kind: document["kind"] for kind, document in found.items()},
                         {"probes": "probes", "replay": "replay"})
        self.assertEqual(found["replay"]["measurements"][0]["parameters"]["collective"],
                         "allreduce")

    def test_measurements_of_one_kind_are_one_document(self):
        self.assertEqual(list(ringscope.measurements([self.OSU], only="replay")), ["replay"])

    def test_unreadable_log_is_an_error_with_its_file(self):
        with self.assertRaisesRegex(ringscope.InputError, "logs_test.py"):
            ringscope.measurements(__file__)


class Doctor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = ringscope.doctor(LOG, "h100x4_nvlink")

    def test_says_whether_a_log_is_normal_and_why_not(self):
        document = self.found.document()
        self.assertEqual(self.found.normal, document["normal"])
        self.assertEqual(self.found.causes, document["causes"])
        self.assertIn("h100x4_nvlink", str(self.found))

    def test_gives_a_row_per_measured_point(self):
        frame = self.found.frame()
        self.assertEqual(len(frame), len(self.found.document()["points"]))
        self.assertTrue((frame.ratio - frame.measured_s / frame.expected_s).abs().max() < 1e-9)

    def test_refuses_what_is_no_log(self):
        with self.assertRaisesRegex(ringscope.InputError, "h100x4"):
            ringscope.doctor(LOG, "h100x4_nvlnk")


class Tune(unittest.TestCase):
    CLUSTER = {"network": "star", "hosts": 4,
               "link": {"bandwidth": "10 Gbit/s", "latency": "20 us"},
               "host": {"type": "simple", "cores": 4}}

    @classmethod
    def setUpClass(cls):
        cls.found = ringscope.tune(cls.CLUSTER, "4x2", library="openmpi_tcp", bytes="1MiB,4MiB")

    def test_takes_a_cluster_as_a_dict_and_gives_the_rules_as_text(self):
        self.assertIn("Written by ringscope tune", self.found.rules)
        self.assertIn("4 MiB", str(self.found))

    def test_gives_a_row_per_size_and_algorithm_with_the_gain_over_the_librarys_own(self):
        frame = self.found.frame()
        self.assertEqual(sorted(set(frame.bytes)), [1 << 20, 4 << 20])
        own = {row["bytes"]: row["own"]["time_s"]
               for row in self.found.document()["collectives"][0]["sizes"]}
        for row in frame.itertuples():
            self.assertAlmostEqual(row.gain, 1 - row.time_s / own[row.bytes], places=6)

    def test_takes_a_model_and_a_cluster_by_name_and_the_old_name_of_bytes(self):
        fit = ROOT / "validation/results/lab/fit.yaml"
        found = ringscope.tune(model=fit, placement="3-3-2", bytes="1MiB")
        self.assertEqual(found.document()["collectives"], ringscope.tune(
            fit, "3-3-2", sizes="1MiB").document()["collectives"])

    def test_says_which_package_an_interpreter_lacks(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "numpy.py").write_text(
                "raise ModuleNotFoundError(\"No module named 'numpy'\")", encoding="utf-8")
            with unittest.mock.patch.dict(os.environ, {"PYTHONPATH": folder}), \
                    self.assertRaisesRegex(ImportError, "cannot import numpy: apt install "
                                           "python3-numpy, or pip install numpy"):
                ringscope.tune("rack3", "2-2", bytes="1MiB")

    def test_refuses_an_unknown_format_with_the_known_ones(self):
        with self.assertRaisesRegex(ringscope.InputError, "did you mean 'openmpi'"):
            ringscope.tune(self.CLUSTER, "4x2", library="openmpi_tcp", format="openmp")


class WhatIf(unittest.TestCase):
    def test_gains_are_those_of_the_program_the_largest_first(self):
        gains = ringscope.what_if("03-anomaly", top=2)
        frame = gains.frame()
        self.assertEqual([name.split()[-1] for name in frame.case],
                         ["4-2-2"] * 2 + ["4-3-1"] * 2)
        for _, rows in frame.groupby("case"):
            self.assertTrue(rows.time_s.is_monotonic_increasing)
        self.assertIn("2x speed", str(gains))
        short = ringscope.what_if("03-anomaly", bytes="1 MiB", top=1).frame()
        self.assertTrue((short.time_s < min(frame.time_s)).all())
        one = ringscope.what_if("03-anomaly", case="4-3-1", top=2).frame()
        self.assertEqual(list(one.time_s), list(frame[2:].time_s))

    def test_a_case_that_cannot_go_on_is_an_error_that_says_who_waits(self):
        with self.assertRaisesRegex(ringscope.DeadlockError, "wait"):
            ringscope.what_if("05-deadlock")

    def test_nothing_to_double_is_refused(self):
        with self.assertRaisesRegex(ValueError, "top: expected 1 or more, got 0"):
            ringscope.what_if("03-anomaly", top=0)


class Validate(unittest.TestCase):
    def test_predicts_what_a_fit_has_not_seen_and_says_how_far_off_it_is(self):
        probes = ROOT / "validation/results/published/tcp.probes.json"
        replay = probes.with_name(probes.name.replace(".probes.", ".replay."))
        fit = ringscope.calibrate(probes, bootstrap=5, hosts=4)
        found = ringscope.validate(fit, replay, only=["hosts_count=4"], no_interval=True,
                                   algorithm=["allreduce=open_mpi_tuned_4_0"])
        frame = found.frame()
        self.assertEqual(len(frame), len(found.document()["cases"]))
        self.assertGreater(frame.predicted_s.min(), 0)
        self.assertIn("median", str(found))


if __name__ == "__main__":
    sys.argv[1:] = [word for word in sys.argv[1:] if word.startswith("-")]
    unittest.main()
