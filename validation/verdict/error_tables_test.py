"""Is the README's table the one that the kept results give, and is a stale one found?

Usage: python3 -m validation.verdict.error_tables_test BUILD
"""

import pathlib
import subprocess
import sys
import unittest

from validation.training import table as training_table
from validation.verdict import markdown, round_trip_test
from validation.verdict.round_trip_test import WithPrograms
from validation.verdict.simulator import Simulator

VALIDATION = pathlib.Path(__file__).resolve().parent.parent

README = "# Title\n\n{}<!-- error tables: begin -->\nold\n<!-- error tables: end -->\n\nThe end\n"
TABLE = """<!-- error tables: begin -->
| measured | cases | median error | 90th percentile | placements in order |
|---|---|---|---|---|
| {title}; 1 Gbit/s | 4 | 0.0 % | 0.0 % | 2 of 2 |

Measured: 2026-01-02, a CPU, an MPI.
<!-- error tables: end -->
"""


class ErrorTables(WithPrograms):
    def setUp(self):
        super().setUp()
        self.readme = self.folder / "README.md"
        self.readme.write_text(README.format(""), encoding="utf-8")
        self.home, self.results = self.folder, self.folder / "results"
        self.folder = self.results / "a-lab"
        self.folder.mkdir(parents=True)
        self.document(self.measured_by_the_simulator())
        (self.folder / "measured.yaml").unlink()
        self.model()

    def tables(self, *words):
        return subprocess.run([VALIDATION / "error_tables", "--results", self.results, "--readme",
                               self.readme, *words], check=False, capture_output=True, text=True,
                              env=self.environment)

    def test_the_block_is_written_once_and_then_checked(self):
        stale = self.tables("--check")
        self.assertEqual(stale.returncode, 1)
        self.assertIn("README.md: the error tables are stale", stale.stderr)
        self.assertIn("old", self.readme.read_text())
        self.assertEqual(self.tables().returncode, 0)
        text = self.readme.read_text()
        self.assertTrue(text.startswith("# Title\n\n<!--") and text.endswith("-->\n\nThe end\n"))
        self.assertIn(TABLE.format(title="a lab"), text)
        self.assertEqual(self.tables("--check").returncode, 0)

    def test_labs_with_models_of_their_own_make_one_row(self):
        lab = "{model: a-lab/mycluster.yaml, documents: [a-lab/*.json]}"
        (self.results / "results.yaml").write_text(
            f"- {{title: Both, foreign_cores: 0.5, labs: [{lab}, {lab}]}}\n")
        self.assertEqual(self.tables().returncode, 0)
        self.assertIn("| Both | 8 | 0.0 % | 0.0 % |", self.readme.read_text())

    def test_a_table_that_predicts_by_itself_makes_a_row(self):
        (self.results / "results.yaml").write_text("- {title: Steps, computed: training}\n")
        self.assertEqual(self.tables().returncode, 0)
        errors = training_table.errors_of(Simulator(str(self.build / "ringscope")))
        self.assertIn(markdown.row_of_errors("Steps", errors), self.readme.read_text())
        self.assertIn("| Steps | 18 | ", self.readme.read_text())
        self.assertIn("Measured: published by Oneflow-Inc/DLPerf.", self.readme.read_text())

    def test_a_list_names_models_and_documents(self):
        (self.results / "results.yaml").write_text(
            "- {title: Ours, model: a-lab/mycluster.yaml, documents: [a-lab/*.json]}\n")
        self.assertEqual(self.tables().returncode, 0)
        self.assertIn(TABLE.format(title="Ours"), self.readme.read_text())

    def refused(self, message):
        before = self.readme.read_text()
        ran = self.tables()
        self.assertEqual(ran.returncode, 1)
        self.assertIn(message, ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)
        self.assertEqual(self.readme.read_text(), before)

    def test_what_is_not_there_is_said(self):
        (self.results / "results.yaml").write_text("- {title: Ours}\n")
        self.refused("results.yaml: [0]: expected a map with title, model and documents")
        (self.results / "results.yaml").write_text(
            "- {title: Ours, model: a.yaml, documents: [none*]}\n")
        self.refused("results.yaml: [0].documents: expected at least one file, got none")
        (self.results / "results.yaml").write_text("- {title: Ours, computed: tea}\n")
        self.refused("[0].computed: expected one of training, overlap, got 'tea'")
        (self.results / "results.yaml").unlink()
        self.readme.write_text("no marks\n")
        self.refused("expected one line <!-- error tables: begin -->")
        (self.folder / "mycluster.yaml").unlink()
        self.refused("a-lab: expected one fitted model (*.yaml) and documents (*.json), got 0 and")
        self.results = self.home / "none"
        self.refused("none: expected a folder of results, got none")


if __name__ == "__main__":
    round_trip_test.WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
