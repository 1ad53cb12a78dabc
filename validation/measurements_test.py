# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are documents of measurements read and written whole, and bad ones refused with their place?"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from common import quantities
from common.programs import InputError, write_text
from common.quantities import parse_quantity
from validation import measurements
from validation.measurements import Measurement, case_key

ROOT = pathlib.Path(__file__).resolve().parent.parent

GOOD = {
    "schema": 2, "kind": "probes", "found_by": "a newer program",
    "where": {"program": "p 1", "hosts": ["a", "b"], "link_bandwidth": "1 Gbit/s"},
    "measurements": [
        {"what": "ping_pong", "parameters": {"bytes": 8, "way": "network"},
         "samples_s": [1e-5, 3e-5], "median_s": 2e-5, "p10_s": 1.2e-5, "p90_s": 2.8e-5},
        {"what": "barrier", "parameters": {"ranks": 4}, "median_s": 1e-6, "mood": "good"},
    ]}
REPLAY = {"name": "4-2-2", "what": "allreduce", "median_s": 1.0, "samples_s": [],
          "parameters": {"bytes": 8, "collective": "allreduce", "algorithm": "", "ranks_count": 4,
                         "hosts_count": 2, "placement": "2-2"}}
FIRST = "measurements", 0

# (keys that lead to what is replaced, its new value, what is said)
BAD = [
    (("schema",), 1, "schema: expected 2, which is all this program reads, got 1: measure again, "
     "or import the original output again, with the programs of this version"),
    (("schema",), None, "schema: expected 2, got nothing: this is no document of measurements"),
    (("kind",), "survey", 'kind: expected "probes" or "replay" or "trace", got "survey"'),
    (("where",), None, "where: expected an object, got nothing: the key is missing"),
    (("where", "hosts"), "a", 'where.hosts: expected a list of texts, got "a"'),
    (("where", "timer_s"), -1, "where.timer_s: expected a time in seconds, got -1"),
    (("measurements",), [], "measurements: expected at least one measurement, got []"),
    (("measurements", 1), 5, "measurements[1]: expected an object, got 5"),
    (FIRST + ("what",), "", 'measurements[0].what: expected a text that is not empty, got ""'),
    (FIRST + ("median_s",), None, "measurements[0].median_s: expected a positive time in seconds, "
     "got nothing: the key is missing"),
    (FIRST + ("median_s",), 0,
     "measurements[0].median_s: expected a positive time in seconds, got 0"),
    (FIRST + ("median_s",), "2 us",
     'measurements[0].median_s: expected a positive time in seconds, got "2 us"'),
    (FIRST + ("median_s",), True,
     "measurements[0].median_s: expected a positive time in seconds, got true"),
    (FIRST + ("samples_s", 1), -1e-5,
     "measurements[0].samples_s[1]: expected a time in seconds, got -1e-05"),
    (FIRST + ("samples_s",), 1, "measurements[0].samples_s: expected a list, got 1"),
    (FIRST + ("p10_s",), [], "measurements[0].p10_s: expected a time in seconds, got []"),
    (FIRST + ("parameters", "way"), None, "measurements[0].parameters.way: expected the "
     "setting of 'ping_pong', got nothing: the key is missing"),
    (FIRST + ("parameters", "bytes"), 0.5,
     "measurements[0].parameters.bytes: expected a count, got 0.5"),
    (FIRST + ("parameters", "colour"), {},
     "measurements[0].parameters.colour: expected a text, a number or true or false, got {}"),
    (FIRST + ("ranks",), [3], "measurements[0].ranks[0]: expected an object, got 3"),
    (FIRST + ("ranks",), [{}],
     "measurements[0].ranks[0].rank: expected a count, got nothing: the key is missing"),
]


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def save(self, content, name="d.json"):
        text = content if isinstance(content, str) else json.dumps(content)
        pathlib.Path(name).write_text(text, encoding="utf-8")
        return name

    def complaint(self, content, **arguments):
        with self.assertRaises(InputError) as caught:
            measurements.read(self.save(content), **arguments)
        return str(caught.exception)


def changed(document, keys, value):
    """A copy with the value at `keys` replaced, or taken out when the new value is None."""
    document = json.loads(json.dumps(document))
    inner = document
    for key in keys[:-1]:
        inner = inner[key]
    if value is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    return document


class Reading(InFolder):
    def test_a_document_knows_its_place_and_its_measurements_know_it(self):
        document = measurements.read(self.save(GOOD))
        self.assertEqual((document.path, document.kind), ("d.json", "probes"))
        self.assertEqual(document.measurements[0].samples_s, [1e-5, 3e-5])
        self.assertEqual(document.measurements[1].p10_s, None)
        self.assertIs(document.measurements[1].document, document)

    def test_unknown_fields_are_present_and_empty(self):
        where = measurements.read(self.save(GOOD)).where
        self.assertEqual((where["mpi"], where["nic"], where["hosts"]), ("", [], ["a", "b"]))

    def test_invalid_value_is_reported_with_its_place(self):
        for keys, value, said in BAD:
            with self.subTest(said):
                self.assertEqual(self.complaint(changed(GOOD, keys, value)), "d.json: " + said)

    def test_another_kind_than_asked_for_is_refused(self):
        self.assertEqual(self.complaint(GOOD, kinds=("replay",)),
                         'd.json: kind: expected "replay", got "probes"')

    def test_names_of_replays_are_unique(self):
        twice = GOOD | {"kind": "replay", "measurements": [REPLAY, REPLAY]}
        self.assertEqual(self.complaint(twice), "d.json: measurements[1].name: expected a name "
                         'that measurements[0] has not, got "4-2-2"')

    def test_a_size_that_no_machine_moves_in_that_time_is_refused(self):
        slipped = REPLAY | {"median_s": 9e-6,
                            "parameters": REPLAY["parameters"] | {"bytes": 8192000000000}}
        self.assertEqual(
            self.complaint(GOOD | {"kind": "replay", "measurements": [slipped]}),
            "d.json: measurements[0].parameters.bytes: expected a size that can be moved in its "
            "9e-06 s (at most 1e+15 B/s), got 8192000000000")

    def test_integers_of_thousands_of_digits_are_rejected(self):
        text = json.dumps(GOOD).replace('"measurements"', '"more": ' + "9" * 5000 +
                                        ', "measurements"', 1)
        self.assertEqual(self.complaint(text), "d.json: expected numbers of at most 1000 digits")

    def test_invalid_json_is_reported_with_line_and_column(self):
        hint = "(`ringscope import` turns the output of other programs into one)"
        for text, place, got in (
                ("", "1:1", "an empty file"),
                ("# OSU", "1:1", "no JSON: Expecting value"),
                ('{"schema": 2,\n "kind"', "2:8", "no JSON: Expecting ':' delimiter")):
            self.assertEqual(self.complaint(text), f"d.json:{place}: expected a document of "
                             f"measurements, got {got} {hint}")
        self.assertEqual(self.complaint('{"schema": NaN}'),
                         "d.json: expected finite numbers, got NaN")
        self.assertEqual(self.complaint("[" * 100000),
                         "d.json: expected a document of measurements, got no JSON")

    def test_a_file_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(InputError, "^no.json: cannot be read: No such file"):
            measurements.read("no.json")


class Writing(InFolder):
    def test_a_document_reads_back_as_it_was_with_keys_that_we_do_not_know(self):
        for content in (GOOD, GOOD | {"kind": "replay", "measurements": [
                REPLAY | {"scenario": {"bytes": "8 B"}, "ranks": [{"rank": 0, "host": "a"}]}]}):
            first = measurements.read(self.save(content))
            measurements.write("e.json", first)
            second = measurements.read("e.json")
            self.assertEqual((first.kind, first.where, first.measurements, first.extra),
                             (second.kind, second.where, second.measurements, second.extra))
        self.assertEqual(json.loads(pathlib.Path("e.json").read_text())["found_by"],
                         "a newer program")

    def test_nothing_is_left_beside_and_nothing_half_written(self):
        document = measurements.read(self.save(GOOD))
        document.where["timer_s"] = float("nan")
        with self.assertRaises(ValueError):
            measurements.write("e.json", document)
        self.assertEqual(os.listdir(), ["d.json"])
        with self.assertRaisesRegex(InputError, "^no/e.json: cannot be written: No such file"):
            write_text("no/e.json", "")

    def test_a_script_ends_with_one_message_on_bad_input_and_quietly_on_a_closed_pipe(self):
        program = ("import sys\nfrom common import programs as m\n"
                   "def main():\n  if sys.argv[1] == 'bad': raise m.InputError('x: bad')\n"
                   "  for _ in range(100000): print('y' * 100)\nm.run_main(main)\n")
        command = [sys.executable, "-B", "-c", program]
        ran = subprocess.run(command + ["bad"], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (1, "", "x: bad\n"))
        with subprocess.Popen(command + ["good"], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as running:
            running.stdout.close()
            self.assertEqual((running.stderr.read(), running.wait()), (b"", 0))


class Statistics(unittest.TestCase):
    def test_quantiles_lie_between_neighbours_of_the_sorted_samples(self):
        spread = measurements.spread_of([5, 1, 4, 2, 3, 0])  # sorted: sample i is i
        self.assertEqual(spread, (0.5 * 5, 0.1 * 5, 0.9 * 5))
        self.assertEqual(measurements.spread_of([0.25]), (0.25, 0.25, 0.25))

    def test_samples_of_several_launches_are_one_measurement(self):
        one, two = (Measurement("barrier", {"ranks": 4}, 1.0, samples) for samples in
                    ([1.0], [2.0, 3.0]))
        merged = measurements.merge_samples([one, two])
        self.assertEqual((merged.samples_s, merged.median_s), ([1.0, 2.0, 3.0], 2.0))
        two.samples_s, two.median_s = [], 2.0
        merged = measurements.merge_samples([one, two])
        self.assertEqual((merged.median_s, merged.p10_s), (1.5, None))


class CaseKey(unittest.TestCase):
    def key(self, parameters, **where):
        measurement = Measurement("allreduce", parameters, 1.0)
        measurements.Document("d.json", "replay", where, [measurement])
        return case_key(measurement)

    def test_the_same_case_has_the_same_key_however_it_was_written(self):
        first = self.key({"bytes": 1024, "placement": "4-2-2"}, link_bandwidth="1 Gbit/s")
        second = self.key({"placement": "4-2-2", "bytes": 1024.0}, link_bandwidth="1000 Mbit/s",
                          date="today")
        self.assertEqual(first, second)

    def test_a_fit_has_seen_a_case_of_its_own_library_or_one_whose_library_it_did_not_say(self):
        case = Measurement("allreduce", {"bytes": 1024}, 1.0)
        measurements.Document("d.json", "replay", {"mpi": "Open MPI 4.0.5"}, [case])
        older = self.key({"bytes": 1024})
        self.assertTrue(measurements.is_among(case, {case_key(case)}))
        self.assertTrue(measurements.is_among(case, {older}))
        self.assertFalse(measurements.is_among(case, {self.key({"bytes": 1024}, mpi="MPICH 4")}))

    def test_size_placement_rate_emulation_and_library_make_another_case(self):
        base = {"bytes": 1024, "placement": "4-2-2"}
        keys = {self.key(base), self.key(base | {"bytes": 2048}),
                self.key(base | {"placement": "4-3-1"}), self.key(base, link_bandwidth="1 Gbit/s"),
                self.key(base, link_bandwidth="2 Gbit/s"), self.key(base, emulated="8 ns/B"),
                self.key(base, mpi="MPICH 4.0")}
        self.assertEqual(len(keys), 7)


class Quantities(unittest.TestCase):
    def test_a_quantity_is_read_in_si_units(self):
        for text, value in (("64 MiB", 64 * 2**20), ("1B", 1), ("10 Gbit/s", 10e9 / 8),
                            ("12 GB/s", 12e9), ("1.5 us", 1.5e-6), ("1.5 \u00b5s", 1.5e-6),
                            ("8 ns/B", 8e-9), ("1e3 ms", 1.0), ("unlimited", float("inf"))):
            self.assertEqual(parse_quantity(text), value, text)

    def test_invalid_quantity_is_rejected(self):
        for text, kind, place, said in (
                ("10", "bandwidth", "", 'expected bandwidth such as "10 Gbit/s", got "10", which '
                 "has no unit"),
                ("3 parsec", "time", "--delay", '--delay: expected time such as "1.5 us", got '
                 '"3 parsec"'),
                ("1 s", "bytes", "", 'expected bytes such as "64 MiB", got "1 s"'),
                ("-1 s", "time", "", 'expected time such as "1.5 us", got "-1 s"'),
                ("9e9999 s", "time", "", 'expected time such as "1.5 us", got "9e9999 s"')):
            with self.assertRaises(InputError) as caught:
                parse_quantity(text, kind, place)
            self.assertEqual(str(caught.exception), said)

    def test_quantities_are_written_in_the_largest_unit_that_keeps_them_above_1(self):
        self.assertEqual([quantities.format_time(value) for value in
                          (0, 1.5e-6, 0.9999e-3, 0.99999e-3, 12, 3e-13)],
                         ["0 s", "1.5 us", "999.9 us", "1 ms", "12 s", "0.3 ps"])
        self.assertEqual([quantities.format_bytes(value) for value in
                          (0, 4, 1000, 1024, 64 * 2**20, 100e6, 123456789)],
                         ["0 B", "4 B", "1000 B", "1 KiB", "64 MiB", "100 MB", "117.7 MiB"])
        self.assertEqual(quantities.format_bandwidth(1.25e8), "125 MB/s")
        self.assertEqual(quantities.format_cost(8e-9), "8 ns/B")


if __name__ == "__main__":
    unittest.main()
