# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `ringscope tune` find what is best, and write it?

Usage: python3 -m validation.tune.tune_test BUILD
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from validation.tune.formats import FORMATS

HERE = pathlib.Path(__file__).resolve().parent
FIT = HERE.parent / "results" / "lab" / "fit.yaml"
BUILD = pathlib.Path(".")


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tune(self, *words):
        return subprocess.run([BUILD / "ringscope", "tune", *map(str, words)], check=False,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env=os.environ | {"RINGSCOPE_DATA": str(HERE.parent.parent)})

    def tuned(self, *words) -> dict:
        ran = self.tune(*words, "--json", "-")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        return json.loads(ran.stdout)

    def one(self, *words) -> dict:
        return self.tuned(*words)["collectives"][0]["sizes"][0]

    def test_times_are_those_of_run(self):
        size = self.one(FIT, "--placement", "3-3-2", "--bytes", "1MiB")
        self.assertEqual(size["own"]["chosen"], "rabenseifner_halves")
        for found in (size["entry"], size["own"], size["simulated"][-1]):
            words = ["--set", f"cluster={FIT}", "--set", f"library={FIT}", "--set",
                     "placement=3-3-2", "--set", "job.bytes=1MiB", "--set",
                     f"job.algorithm={found['algorithm']}"]
            if "segment" in found:
                words += ["--set", f"job.options.segment={found['segment']} B"]
            ran = subprocess.run([BUILD / "ringscope", "run", "02-ring-of-8", "--json", "-",
                                  *words], check=True, capture_output=True, text=True)
            seconds = json.loads(ran.stdout)["cases"][0]["times_s"][0]
            self.assertAlmostEqual(found["time_s"], seconds, delta=1e-9 * seconds)

    def test_the_entry_is_the_fastest_that_the_library_has(self):
        size = self.one(FIT, "--placement", "3-3-2", "--bytes", "256KiB")
        self.assertEqual(size["entry"]["time_s"], min(one["time_s"] for one in size["simulated"]))
        self.assertAlmostEqual(size["entry"]["gain"],
                               1 - size["entry"]["time_s"] / size["own"]["time_s"])

    def test_a_file_without_a_rule_is_said_to_change_nothing(self):
        rules = self.folder / "none.conf"
        ran = self.tune(FIT, "--placement", "3-3-2", "--bytes", "256KiB", "--min-gain", "99%", "-o",
                        rules)
        self.assertIn("In the file: nothing.", ran.stdout, ran.stderr)
        self.assertIn(f"\nWritten to {rules}: a file that changes nothing.\n", ran.stdout)
        self.assertNotIn("To use it", ran.stdout)
        self.assertTrue(rules.exists())

    def test_a_larger_error_leaves_less_in_the_file(self):
        words = (FIT, "--placement", "3-3-2", "--bytes", "1KiB..1MiB")
        counts = []
        for error in ("1%", "70%", "99%"):
            sizes = self.tuned(*words, "--min-gain", error)["collectives"][0]["sizes"]
            counts.append(sum(one["entry"] is not None for one in sizes))
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertGreater(counts[0], counts[1])
        self.assertEqual(counts[2], 0)

    def test_two_equal_files_and_a_screen_that_says_how_to_use_it(self):
        first, second = self.folder / "a.conf", self.folder / "b.conf"
        words = (FIT, "--placement", "4-2-2", "--bytes", "64KiB..1MiB", "--collective", "allreduce",
                 "--collective", "broadcast")
        ran = self.tune(*words, "-o", first)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn(f"--mca coll_tuned_dynamic_rules_filename {first} ...\n", ran.stdout)
        self.assertIn("\nallreduce on 4-2-2 (8 ranks)", "\n" + ran.stdout)
        self.assertIn("trees of Open MPI's own broadcasts are simulated as", ran.stdout)
        self.tune(*words, "-o", second)
        self.assertEqual(first.read_bytes(), second.read_bytes())
        self.assertIn("\n2 # allreduce\n", first.read_text(encoding="utf-8"))
        self.assertIn("\n7 # broadcast\n", first.read_text(encoding="utf-8"))

    def test_the_figure_names_what_it_draws(self):
        picture = self.folder / "x.svg"
        ran = self.tune(FIT, "--placement", "3-3-2", "--bytes", "128KiB..1MiB", "--figure", picture)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        drawn = picture.read_text(encoding="utf-8")
        for words in ("its own choice", "segmented_ring", "in the file", "Open MPI on 3-3-2"):
            self.assertIn(words, drawn)
        ran = self.tune(FIT, "--placement", "3-3-2", "--bytes", "1MiB", "--figure", "x.gif")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("expected a name that ends in", ran.stderr)

    def test_without_a_file_the_next_command_is_said(self):
        ran = self.tune(FIT, "--placement", "3-3-2", "--bytes", "1MiB", "--min-gain", "5%")
        self.assertIn(f"To write the file: ringscope tune {FIT} --placement 3-3-2 --bytes 1MiB "
                      "--min-gain 5% -o FILE\n", ran.stdout)

    def test_the_rules_may_go_where_text_goes(self):
        ran = self.tune(FIT, "--placement", "3-3-2", "--bytes", "1MiB", "-o", "-")
        self.assertTrue(ran.stdout.startswith("# Written by ringscope tune: "), ran.stdout)

    def test_rules_for_a_built_in_cluster_are_called_illustrative(self):
        ran = self.tune("rack3", "--placement", "2-2", "--bytes", "1MiB")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("the costs of 'openmpi_tcp' are illustrative", ran.stdout)

    def test_the_cluster_is_named_in_one_of_three_ways(self):
        words = ("--placement", "3-3-2", "--bytes", "64KiB..256KiB")
        found = self.tuned(FIT, *words)
        self.assertEqual([one["bytes"] for one in found["collectives"][0]["sizes"]],
                         [1 << 16, 1 << 17, 1 << 18])
        for other in (("--cluster", FIT), ("--model", FIT)):
            self.assertEqual(self.tuned(*other, *words), found, other)
            self.assertEqual(self.tuned(*words, *other), found, other)
        for wrong, said in (((), "one of the arguments CLUSTER --cluster --model is required"),
                            ((FIT, "--cluster", FIT), "not allowed with argument CLUSTER"),
                            (("--model", FIT, "--cluster", FIT), "not allowed with argument"),
                            (("--model", FIT, "--library", "rdma"),
                             "--model: expected one of the options that give the library, got "
                             "--library, too"),
                            (("--model", HERE.parents[1] / "topologies/clusters/pair.yaml"),
                             "--model: expected a file with cluster and library")):
            ran = self.tune(*wrong, *words)
            self.assertEqual(ran.returncode, 1, wrong)
            self.assertIn(said, ran.stderr)

    def test_sizes_as_they_were_written_mean_the_same(self):
        words = (FIT, "--placement", "3-3-2", "--json", "-")
        now = self.tune(*words, "--bytes", "64KiB..256KiB")
        old = self.tune(*words, "--sizes", "64KiB-256KiB")
        self.assertEqual((old.stdout, old.stderr),
                         (now.stdout, "note: --sizes is now --bytes\n"))

    def test_bad_input_is_refused_with_its_place(self):
        base = ("rack3", "--placement", "2-2")
        for words, said in (
                (("rack3",), "the following arguments are required: --placement"),
                (("nowhere.yaml", "--placement", "2-2"), "nowhere.yaml: cannot be read"),
                ((*base, "--collective", "alreduce"), "did you mean 'allreduce'?"),
                ((*base, "--format", "openmp"), "did you mean 'openmpi'?"),
                ((*base, "--format", "foo"), "--format: expected a format (openmpi, "),
                (("--cluster", "nope", *base[1:]), "--cluster: unknown cluster 'nope'"),
                ((*base, "--size", "1MiB"), "unrecognized arguments: --size 1MiB"),
                ((*base, "--bytes", "1MB-"), "expected sizes such as"),
                ((*base, "--library", "openmpi_tcq"), "openmpi_tcq"),
                (("rack3", "--placement", "1"), "expected two ranks or more, got 1"),
                (("rack3", "--placement", "9-9-9"), "allreduce of 1048576 B on 9-9-9: 9 ranks on "
                 "'host0', which has 8 cores"),
                ((*base, "-o", "/nowhere/x"), "/nowhere/x: cannot be written")):
            ran = self.tune(*words, *([] if "--bytes" in words else ["--bytes", "1MiB"]))
            self.assertEqual(ran.returncode, 1, words)
            self.assertIn(said, ran.stderr, words)
            self.assertNotIn("Traceback", ran.stderr)

    def test_the_formats_are_listed(self):
        ran = self.tune("--list-formats")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for name in FORMATS:
            self.assertIn(f"\n{name}: ", "\n" + ran.stdout)

    def test_each_format_is_written(self):
        for name in FORMATS:
            on_gpus = name == "nccl"
            where = ("h100x4_nvlink", "--library", "nccl_h100", "--placement",
                     '{"hosts": "4", "on": "gpu"}') if on_gpus else (FIT, "--placement", "3-3-2")
            ran = self.tune(*where, "--format", name, "--bytes", "1MiB", "--min-gain", "1%", "-o",
                            "-")
            self.assertEqual((ran.returncode, ran.stderr), (0, ""), name)
            self.assertIn("ringscope tune" if "json" not in name and name != "mpich" else "{",
                          ran.stdout)

    def test_gpus_are_tuned_for_nccl_unless_said(self):
        found = self.tuned("h100x4_nvlink", "--library", "nccl_h100", "--placement",
                           '{"hosts": "4", "on": "gpu"}', "--bytes", "64KiB")
        self.assertEqual(found["format"], "nccl")
        size = found["collectives"][0]["sizes"][0]
        self.assertEqual(size["own"]["algorithm"], "nccl")
        self.assertEqual(len(size["simulated"]), 18)  # 2 algorithms, 3 protocols, 3 numbers

    def test_where_the_calibration_did_not_see_the_wire_nothing_is_written(self):
        sizes = self.tuned(FIT, "--placement", "3-3-2", "--bytes", "64KiB,130960B,130961B",
                           "--min-gain", "1%")["collectives"][0]["sizes"]
        self.assertEqual([one["entry"] is not None for one in sizes], [False, False, True])
        self.assertEqual([one["error"] for one in sizes], [None, None, 0.01])


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
