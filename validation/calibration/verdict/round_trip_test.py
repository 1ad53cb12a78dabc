# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `validate` predict what the simulator itself measured, and end well on bad input?

Usage: python3 -m validation.calibration.verdict.round_trip_test BUILD
"""

import csv
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import yaml

from validation.measurements import Document, Measurement, case_key, spread_of, write

VALIDATION = pathlib.Path(__file__).resolve().parents[2]
ROOT = VALIDATION.parent

CLUSTER = {"network": "star", "hosts": 2, "host": {"type": "simple", "cores": 2},
           "link": {"bandwidth": "1 Gbit/s", "latency": "10 us"}}
LIBRARY = {
    "reduce_cost": "0.1 ns/B", "self": {"latency": "0.1 us", "eager_limit": "unlimited"},
    "shm": {"latency": "0.4 us", "recv_cost": "0.2 ns/B", "eager_limit": "4 KiB",
            "driver": "receiver"},
    "network": {"latency": "20 us", "send_cost": "6 ns/B", "recv_cost": "6 ns/B",
                "eager_limit": "64 KiB", "goodput": 0.9565},
}
JOB = {"collective": "allreduce", "algorithm": "ring", "bytes": ["4 KiB", "1 MiB"]}
WHERE = {"date": "2026-01-02T03:04:05Z", "cpu": "a CPU", "mpi": "an MPI",
         "link_bandwidth": "1 Gbit/s"}


class WithPrograms(unittest.TestCase):
    build = None

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.environment = {**os.environ, "RINGSCOPE": str(self.build / "ringscope"),
                            "RINGSCOPE_DATA": str(ROOT)}

    def measured_by_the_simulator(self, placements=("4-2-2", "4-3-1"), **changes):
        """Cases of a simulation as measurements; `changes` are keys of the scenario."""
        cluster = CLUSTER | {"hosts": 3, "host": {"type": "simple", "cores": 8}}
        scenario = {"question": "?", "cluster": cluster, "library": LIBRARY,
                    "placement": placements[0], "job": JOB,
                    "cases": [{"name": one, "set": {"placement": one}} for one in placements]}
        path = self.folder / "measured.yaml"
        path.write_text(yaml.safe_dump(scenario | changes), encoding="utf-8")
        ran = subprocess.run([self.build / "ringscope", "run", path, "--json", "-"], check=True,
                             capture_output=True, text=True, env=self.environment)
        return [self.measurement(case) for case in json.loads(ran.stdout)["cases"]]

    @staticmethod
    def measurement(case):
        spread = spread_of(case["times_s"])
        hosts = len({rank["host"] for rank in case["ranks"]})
        parameters = {"collective": case["collective"], "algorithm": case["algorithm"],
                      "bytes": case["bytes"], "ranks_count": case["ranks_count"],
                      "hosts_count": hosts, "placement": case["placement"]}
        return Measurement(case["collective"], parameters, *[spread.median_s, case["times_s"],
                           spread.p10_s, spread.p90_s], case["name"], case["scenario"])

    def document(self, measurements, name="real.json", **where):
        document = Document(str(self.folder / name), "replay", WHERE | where, measurements)
        write(document.path, document)
        return document.path

    def model(self, fitted=(), **changes):
        path = self.folder / "mycluster.yaml"
        model = {"cluster": CLUSTER, "library": LIBRARY, "calibration": {"fitted": list(fitted)}}
        path.write_text(yaml.safe_dump(model | changes), encoding="utf-8")
        return str(path)

    def validate(self, *words):
        return subprocess.run([str(VALIDATION / "validate"), *map(str, words)], check=False,
                              capture_output=True, text=True, cwd=self.folder,
                              env=self.environment)

    def verdict(self, *words):
        ran = self.validate(*words, "--json", "-")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        return json.loads(ran.stdout)


class RoundTrip(WithPrograms):
    def test_simulated_measurements_are_predicted_exactly(self):
        found = self.verdict(self.model(), self.document(self.measured_by_the_simulator()))
        self.assertEqual([case["error"] for case in found["cases"]], [0] * 4)
        self.assertEqual(found["figures"]["counted"]["count"], 4)
        self.assertEqual(found["figures"]["counted"]["inside"], 1)
        self.assertEqual(found["order"]["apart"] + found["order"]["equal"], 2)
        self.assertTrue(all(pair["right"] for pair in found["pairs"]))

    def test_other_link_bandwidth_is_predicted_exactly(self):
        cluster = CLUSTER | {"hosts": 3, "host": {"type": "simple", "cores": 8},
                             "link": {"bandwidth": "250 Mbit/s", "latency": "10 us"}}
        path = self.document(self.measured_by_the_simulator(cluster=cluster),
                             link_bandwidth="250 Mbit/s")
        found = self.verdict(self.model(), path)
        self.assertEqual([case["error"] for case in found["cases"]], [0] * 4)

    def test_without_goodput_the_fitted_rate_stays(self):
        library = LIBRARY | {"network": {key: value for key, value in LIBRARY["network"].items()
                                         if key != "goodput"}}
        path = self.document(self.measured_by_the_simulator(library=library),
                             link_bandwidth="250 Mbit/s")
        found = self.verdict(self.model(library=library), path)
        self.assertEqual([case["error"] for case in found["cases"]], [0] * 4)
        self.assertIn("simulated with the fitted 1 Gbit/s, regardless of the link",
                      self.validate(self.model(library=library), path).stdout)

    def test_where_the_library_has_jitter_the_median_of_25_runs_is_the_prediction(self):
        library = LIBRARY | {"network": LIBRARY["network"] | {"jitter": "30 us"}}
        measured = self.measured_by_the_simulator(library=library, job=JOB | {"repetitions": 25})
        found = self.verdict(self.model(library=library), self.document(measured))
        self.assertEqual([case["error"] for case in found["cases"]], [0] * 4)
        self.assertGreater(found["cases"][0]["spread"], 0)

    def test_published_cases_need_no_scenario_and_the_librarys_choice_may_be_named(self):
        measured = self.measured_by_the_simulator()
        for one in measured:
            one.scenario, one.parameters["algorithm"] = None, ""
        found = self.verdict(self.model(), self.document(measured), "--algorithm", "allreduce=ring")
        self.assertEqual([case["error"] for case in found["cases"]], [0] * 4)
        self.assertEqual(found["cases"][0]["predicted_as"], "ring")
        without = self.verdict(self.model(), self.document(measured, mpi="Open MPI 4.1.4"))
        self.assertEqual(without["cases"][0]["predicted_as"], "open_mpi_tuned")
        self.assertEqual(without["warnings"], [])
        self.assertNotEqual(without["cases"][1]["predicted_s"], found["cases"][1]["predicted_s"])

    def test_placements_with_rules_and_lists_are_simulated_as_they_were(self):
        for placement in ({"hosts": "4-2-2", "map_by": "node"}, [{"host": 1}, {"host": 0}]):
            measured = self.measured_by_the_simulator(placement=placement,
                                                      cases=[{"name": "a", "set": {}}])
            found = self.verdict(self.model(), self.document(measured))
            self.assertEqual([case["error"] for case in found["cases"]], [0] * 2)


class Reports(WithPrograms):
    def test_cases_of_the_fit_are_listed_apart_or_refused(self):
        measured = self.measured_by_the_simulator()
        path = self.document(measured)
        model = self.model([case_key(measured[0])])
        found = self.verdict(model, path)
        self.assertEqual([case["fitted"] for case in found["cases"]], [True, False, False, False])
        self.assertEqual(found["figures"]["counted"]["count"], 3)
        self.assertIn("fitted cases, not counted:\n", self.validate(model, path).stdout)
        refused = self.validate(model, path, "--fitted", "refuse")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("expected a held-out case", refused.stderr)

    def test_a_noisy_case_is_listed_and_counted_apart(self):
        measured = self.measured_by_the_simulator()
        measured[0].p90_s = 2 * measured[0].median_s
        ran = self.validate(self.model(), self.document(measured))
        self.assertIn("±50.0 %", ran.stdout)
        self.assertIn("3 held-out cases: median error 0.0 %", ran.stdout)
        self.assertIn("counted separately, 1 noisy (spread above 10 %", ran.stdout)

    def test_table_head_names_the_emulation(self):
        path = self.document(self.measured_by_the_simulator(), emulated="send 8 ns/B, slept")
        model = self.model(calibration={"emulated": "send 8 ns/B, slept"})
        self.assertIn("EMULATED, not real: send 8 ns/B, slept\ncase ",
                      self.validate(model, path).stdout)

    def test_error_above_its_limit_is_exit_5_and_named(self):
        measured = self.measured_by_the_simulator()
        for one in measured:
            one.median_s, one.p10_s, one.p90_s = (one.median_s * 0.8,) * 3
        model, path = self.model(), self.document(measured)
        for option, words in (("--max-error", "median error"),
                              ("--max-p90", "90th percentile of the error")):
            self.assertEqual(self.validate(model, path, option, "26%").returncode, 0)
            ran = self.validate(model, path, option, "24%")
            self.assertEqual((ran.returncode, ran.stderr), (
                5, f"{words}: expected at most 24.0 %, got 25.00 % of 4 cases\n"))
            self.assertIn("median error 25.0 %", ran.stdout)

    def test_a_limit_without_a_case_that_counts_is_not_met(self):
        measured = self.measured_by_the_simulator()
        ran = self.validate(self.model(map(case_key, self.with_where(measured))),
                            self.document(measured), "--max-error", "8%")
        self.assertEqual(ran.returncode, 5)
        self.assertIn("got no counted case", ran.stderr)

    def with_where(self, measured):
        return Document("real.json", "replay", dict(WHERE), measured).measurements

    def test_every_output_is_written(self):
        path = self.document(self.measured_by_the_simulator())
        ran = self.validate(self.model(), path, "--csv", "v.csv", "--json", "v.json",
                            "--markdown", "v.md", "--figure", "pictures")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        with open(self.folder / "v.csv", encoding="utf-8") as file:
            self.assertEqual([row["error"] for row in csv.DictReader(file)], ["0.0"] * 4)
        self.assertEqual(len(json.loads((self.folder / "v.json").read_text())["cases"]), 4)
        self.assertIn("| 1 Gbit/s | 4 | 0.0 % | 0.0 % |", (self.folder / "v.md").read_text())
        self.assertIn("- 2026-01-02, a CPU, an MPI\n", (self.folder / "v.md").read_text())
        for picture in ("predicted_against_measured", "error_by_size", "time_by_size"):
            png = (self.folder / "pictures" / f"{picture}.png").read_bytes()
            self.assertGreater(min(struct.unpack(">II", png[16:24])), 400)


class BadInput(WithPrograms):
    def refused(self, *words, code=1):
        before = sorted(self.folder.iterdir())
        ran = self.validate(*words, "--json", "out.json")
        self.assertEqual(ran.returncode, code, ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        return ran.stderr

    def changed(self, change):
        """A document whose first case is changed."""
        measured = self.measured_by_the_simulator()
        change(measured[0])
        return self.document(measured)

    def test_models(self):
        path = self.document(self.measured_by_the_simulator())
        for changes, message in (
                ({"library": None}, "library: expected a map, as `ringscope calibrate` writes it"),
                ({"calibration": {"fitted": [1]}}, "fitted: expected a list of case keys"),
                ({"cluster": CLUSTER | {"network": "ring"}}, "unknown network 'ring'"),
                ({"library": LIBRARY | {"network": {"latency": "fast", "eager_limit": "1 B"}}},
                 "fast")):
            self.assertIn(message, self.refused(self.model(**changes), path))
        (self.folder / "x.yaml").write_text("{library: {}", encoding="utf-8")
        self.assertIn("x.yaml:1:13: expected a fitted model in YAML, got no YAML; `ringscope "
                      "calibrate` fits one to a log", self.refused("x.yaml", path))
        (self.folder / "x.yaml").write_text("library: " + "9" * 5000, encoding="utf-8")
        self.assertIn("x.yaml: expected a fitted model", self.refused("x.yaml", path))
        (self.folder / "x.yaml").write_text("library: {}", encoding="utf-8")
        self.assertIn("cluster: expected a map, as `ringscope calibrate` writes it, got nothing",
                      self.refused("x.yaml", path))
        self.assertIn("absent.yaml: cannot be read", self.refused("absent.yaml", path))

    def test_documents(self):
        model = self.model()
        path = pathlib.Path(self.document(self.measured_by_the_simulator()))
        whole = json.loads(path.read_text())
        for change, message in (({"schema": 3}, "schema: expected 2"),
                                ({"measurements": []}, "expected at least one measurement"),
                                ({"kind": "probes"}, 'kind: expected "replay" or "trace"')):
            path.write_text(json.dumps(whole | change), encoding="utf-8")
            self.assertIn(message, self.refused(model, path))

    def test_cases(self):
        for key, value, message in (
                ("algorithm", "magic", "expected one of allreduce's (ring, "),
                ("collective", "gossip", "expected one that the simulator supports (allreduce, "),
                ("placement", "4 and 4", 'expected a placement such as "4-3-1"'),
                ("ranks_count", 9, "expected 8, as the placement 4-2-2 has, got 9"),
                ("hosts_count", 2, "expected 3, as the placement 4-2-2 has, got 2")):
            path = self.changed(lambda one: one.parameters.update({key: value}))
            self.assertIn(message, self.refused(self.model(), path))

    def test_more_hosts_than_a_network_that_is_no_star_has(self):
        tree = {"network": "fat_tree", "k": 2, "host": CLUSTER["host"], "link": CLUSTER["link"]}
        path = self.document(self.measured_by_the_simulator())
        said = self.refused(self.model(cluster=tree), path)
        self.assertIn("measured 4-2-2 4 KiB: the simulator rejects its prediction: ", said)
        self.assertIn("the placement names more hosts than the cluster's 2", said)

    def test_a_simulation_that_is_stuck_is_exit_3(self):
        measured = self.measured_by_the_simulator(
            ["1-1"], job={"collective": "exchange", "algorithm": "head_to_head", "bytes": "1 KiB"})
        measured[0].parameters["bytes"] = 1 << 20
        self.assertIn("deadlock", self.refused(self.model(), self.document(measured), code=3))

    def test_words(self):
        path = self.document(self.measured_by_the_simulator())
        for words, message in ((("--max-error", "8"), "expected a percentage such as 8%, got '8'"),
                               (("--max-p90", "-1%"), "expected"),
                               (("--algorithm", "ring"), "expected COLLECTIVE=ALGORITHM"),
                               (("--foreign", "much"), "expected a number of cores"),
                               (("--fitted", "hide"), "invalid choice")):
            self.assertIn(message, self.refused(self.model(), path, *words))


if __name__ == "__main__":
    WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
