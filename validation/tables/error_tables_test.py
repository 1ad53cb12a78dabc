# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are the tables of the pages those that the kept results give, and is a stale one found?

Usage: python3 -m validation.tables.error_tables_test BUILD
"""

import pathlib
import subprocess
import sys
import unittest

from validation.calibration.nccl import table as nccl_table
from validation.calibration.verdict import markdown, round_trip_test
from validation.calibration.verdict.round_trip_test import WithPrograms
from validation.calibration.verdict.simulator import Simulator
from validation.tables.training import table as training_table

VALIDATION = pathlib.Path(__file__).resolve().parent.parent

README = "# Title\n\n{}<!-- error tables: begin -->\nold\n<!-- error tables: end -->\n\nThe end\n"
DOCUMENTS = """- document: Notes
  quantity: latency
  measured: [{measured}]
  command: show gtx1080ti_x4 --peers -
  line: "latency_us,0,1,"
  unit: us
"""
MARKED = "<!-- error tables: begin -->\n{}<!-- error tables: end -->\n"
BRIEF = """| predicted | from | cases | median error | 90th percentile |
|---|---|--:|--:|--:|
| {title}; 1 Gbit/s | {source} | 4 | 0.0 % | 0.0 % |
"""
WHOLE = """| predicted | from | cases | median error | 90th percentile | \
placements in order | source |
|---|---|--:|--:|--:|---|---|
| {title}; 1 Gbit/s | {source} | 4 | 0.0 % | 0.0 % | 2 of 2 | 1 |

Sources:

1. 2026-01-02, a CPU, an MPI
"""


class ErrorTables(WithPrograms):
    def setUp(self):
        super().setUp()
        self.readme = self.folder / "README.md"
        self.accuracy = self.folder / "accuracy.md"
        self.readme.write_text(README.format(""), encoding="utf-8")
        self.stale_accuracy = README.format("<!-- documents: begin -->\n<!-- documents: end -->\n")
        self.accuracy.write_text(self.stale_accuracy, encoding="utf-8")
        self.home, self.results = self.folder, self.folder / "results"
        self.folder = self.results / "a-lab"
        self.folder.mkdir(parents=True)
        self.document(self.measured_by_the_simulator())
        (self.folder / "measured.yaml").unlink()
        self.model()
        self.measured_of_documents("1 us")
        self.list_of("- {summary: {predicted: a lab, from: mycluster.yaml}, readme: true, "
                     "model: a-lab/mycluster.yaml, documents: [a-lab/*.json]}\n")

    def measured_of_documents(self, *texts):
        (self.results / "documents.yaml").write_text(DOCUMENTS.format(measured=", ".join(texts)))

    def tables(self, *words):
        return subprocess.run([VALIDATION / "error_tables", "--results", self.results, "--readme",
                               self.readme, "--accuracy", self.accuracy, *words], check=False,
                              capture_output=True, text=True, env=self.environment)

    def list_of(self, text):
        (self.results / "results.yaml").write_text(text)

    def written(self, text):
        self.list_of(text)
        self.assertEqual(self.tables().returncode, 0)
        return self.readme.read_text(), self.accuracy.read_text()

    def test_the_block_is_written_once_and_then_checked(self):
        stale = self.tables("--check")
        self.assertEqual(stale.returncode, 1)
        self.assertIn("README.md: the error tables are stale", stale.stderr)
        self.assertIn("old", self.readme.read_text())
        self.assertEqual(self.tables().returncode, 0)
        for page, table in ((self.readme, BRIEF), (self.accuracy, WHOLE)):
            text = page.read_text()
            self.assertTrue(text.startswith("# Title\n\n<!--"))
            self.assertTrue(text.endswith("-->\n\nThe end\n"))
            self.assertIn(MARKED.format(table.format(title="a lab", source="mycluster.yaml")), text)
        self.assertEqual(self.tables("--check").returncode, 0)

    def test_a_stale_page_of_all_rows_is_found_too(self):
        self.assertEqual(self.tables().returncode, 0)
        self.accuracy.write_text(self.stale_accuracy, encoding="utf-8")
        stale = self.tables("--check")
        self.assertEqual(stale.returncode, 1)
        self.assertIn("accuracy.md: the error tables are stale", stale.stderr)

    def test_numbers_of_documents_are_compared_at_both_ends(self):
        self.measured_of_documents("0.8 us", "1.25 us")  # predicted: two links of 0.5 us
        self.assertEqual(self.tables().returncode, 0)
        self.assertIn("| Notes | latency | 0.8 us to 1.25 us | 1 us | +25.0 % | "
                      "`show gtx1080ti_x4 --peers -` |\n<!-- documents: end",
                      self.accuracy.read_text())

    def test_labs_with_models_of_their_own_make_one_row(self):
        lab = "{model: a-lab/mycluster.yaml, documents: [a-lab/*.json]}"
        brief, whole = self.written("- {summary: {predicted: Both, from: probes}, readme: true, "
                                    f"foreign_cores: 0.5, labs: [{lab}, {lab}]}}\n")
        self.assertIn("| Both | probes | 8 | 0.0 % | 0.0 % |\n", brief)
        self.assertIn("| Both | probes | 8 | 0.0 % | 0.0 % | 8 of 8 | 1 |\n", whole)

    def test_a_table_that_predicts_by_itself_makes_a_row(self):
        _, whole = self.written(
            "- {summary: {predicted: Steps, from: one GPU}, computed: training}\n"
            "- {summary: {predicted: NCCL, from: others}, computed: nccl_a100}\n")
        simulator = Simulator(str(self.build / "ringscope"))
        for name, source, table in (("Steps", "one GPU", training_table),
                                    ("NCCL", "others", nccl_table.HELD_OUT["nccl_a100"])):
            row = markdown.row_of_errors(name, table.errors_of(simulator))
            self.assertIn(markdown.line([name, source, *row[1:]]), whole)
        self.assertIn("| Steps | one GPU | 26 | ", whole)
        self.assertIn("| NCCL | others | 48 | ", whole)
        self.assertIn("Sources:\n\n1. published by Oneflow-Inc/DLPerf\n"
                      "2. published by openfabric-systems/simllm\n", whole)

    def test_a_list_names_models_and_documents_and_the_rows_of_the_readme(self):
        entry = ("- {{summary: {{predicted: {0}, from: probes}}, model: a-lab/mycluster.yaml, "
                 "documents: [a-lab/*.json]{1}}}\n")
        brief, whole = self.written(entry.format("Ours", ", readme: true")
                                    + entry.format("Theirs", ""))
        self.assertIn(MARKED.format(BRIEF.format(title="Ours", source="probes")), brief)
        for name in ("Ours", "Theirs"):
            row = f"| {name}; 1 Gbit/s | probes | 4 | 0.0 % | 0.0 % | 2 of 2 | 1 |\n"
            self.assertIn(row, whole)

    def refused(self, message):
        before = self.readme.read_text()
        ran = self.tables()
        self.assertEqual(ran.returncode, 1)
        self.assertIn(message, ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)
        self.assertEqual(self.readme.read_text(), before)

    def test_missing_input_is_reported(self):
        ours = "- {summary: {predicted: Ours, from: probes}"
        for text, message in (
                (ours + "}\n",
                 "results.yaml: [0]: expected a map with summary, model and documents"),
                ("- {summary: Ours, computed: training}\n",
                 "results.yaml: [0].summary: expected a map with predicted and from"),
                (ours + ", model: a.yaml, documents: [none*]}\n",
                 "results.yaml: [0].documents: expected at least one file, got none"),
                (ours + ", computed: tea}\n", "[0].computed: expected one of training, overlap, "
                                              "nccl_a100, nccl_h100, nccl_omitted, got 'tea'")):
            self.list_of(text)
            self.refused(message)
        self.readme.write_text("no marks\n")
        self.list_of(ours + ", model: a-lab/mycluster.yaml, documents: [a-lab/*.json]}\n")
        self.refused("expected one line <!-- error tables: begin -->")
        self.list_of("[]\n")
        self.refused("results.yaml: expected at least one result, got none")
        self.results = self.home / "none"
        self.refused("none/results.yaml: cannot be read: No such file or directory")


if __name__ == "__main__":
    round_trip_test.WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
