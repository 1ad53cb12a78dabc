# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `import` write what stands in a file or nothing, whatever it is given?"""

import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

from common.programs import InputError
from validation import measurements
from validation.calibration import imports
from validation.calibration.imports import findings
from validation.calibration.imports.findings import Given
from validation.calibration.imports.source import Source

VALIDATION = pathlib.Path(__file__).resolve().parents[2]

PUBLISHED = [VALIDATION / "published" / name for name in (
    "osu-tcp-c3-standard-4.csv", "osu-ib-4-nodes.log", "nccl-tests-allreduce-4xV100-pcie.log",
    "p2p-gtx1080ti-x4.csv")] + [VALIDATION / "traces" / f"ring-trace-{which}.csv"
                                for which in ("3-3", "5-1")]
OSU = {"latency": "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n8 1.00\n",
       "allreduce": "# OSU MPI Allreduce Latency Test v5.8\n# Size  Avg Latency(us)\n4 2.81\n"}


def documents_in(text, **given):
    source, given = Source("x.log", text), Given(**given)
    all_findings = [one.parse(source, given) for one in imports.formats_of(source)]
    return findings.documents_of(all_findings, given)


class Broken(unittest.TestCase):
    def parse(self, text):
        try:
            documents_in(text, nodes=4, placement="3-3")
            return True
        except InputError:
            return False

    def points(self, text):
        found = imports.parse(Source("x.log", text), Given(nodes=4, placement="3-3"))
        return {(kind, point.what, str(point.parameters), point.median_s)
                for one in found for kind, point, _ in one.points}

    def test_a_file_cut_inside_a_row_gives_no_number_that_the_whole_one_lacks(self):
        for path in PUBLISHED:
            text = path.read_text(encoding="utf-8")
            row = re.compile(r"\s*(\d|latency_us,|bandwidth_gb_per_s,|osu_\w+,)")
            first = next(place for place in (match.end() for match in re.finditer("\n", text))
                         if row.match(text, place))
            for cut in range(first, len(text), 7):
                tail = text[:cut].rpartition("\n")[2]
                if row.match(tail) and self.parse(text[:cut]):
                    self.assertLessEqual(self.points(text[:cut]), self.points(text),
                                         f"{path.name}: cut at {cut}: {tail}")

    def test_no_garbled_byte_does_worse_than_an_error(self):
        generator = random.Random(1)
        for path in PUBLISHED:
            text = path.read_text(encoding="utf-8")
            for _ in range(60):
                place = generator.randrange(len(text))
                self.parse(text[:place] + generator.choice("0x.,#\n -e") + text[place + 1:])


class Documents(unittest.TestCase):
    def test_every_document_reads_back(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in PUBLISHED:
                for kind, document in [(document.kind, document)
                                       for document in documents_in(path.read_text())]:
                    out = os.path.join(folder, "out.json")
                    measurements.write(out, document)
                    again = measurements.read(out, kinds=(kind,))
                    self.assertEqual(again.measurements, document.measurements)


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_(self, *arguments, **options):
        command = [sys.executable, "-B", str(VALIDATION / "import"), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.folder, **options)

    def test_each_kind_goes_to_a_file_of_its_own(self):
        ran = self.run_(PUBLISHED[0], "-o", "out.json", "--mpi", "Open MPI",
                        "--link-bandwidth", "23 Gbit/s")
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", (
            "the input holds probes and replay: each goes to a separate file\n"
            "out.probes.json: probes, 12 measurements\n"
            "out.replay.json: replay, 78 measurements\n")))
        where = measurements.read(str(self.folder / "out.replay.json")).where
        self.assertEqual((where["mpi"], where["link_bandwidth"]), ("Open MPI", "23 Gbit/s"))

    def test_several_files_become_one_document(self):
        ran = self.run_(*PUBLISHED[4:], "-o", "out.json")
        self.assertEqual(ran.stderr, "out.json: trace, 132 measurements\n")
        source = measurements.read(str(self.folder / "out.json")).where["source"]
        self.assertIn("diff-33.txt; dlguswo333", source)

    def test_the_screen_takes_one_kind(self):
        ran = self.run_("-", "--only", "replay", input="".join(OSU.values()))
        self.assertEqual(ran.returncode, 1)
        ran = self.run_("-", "--only", "replay", "--nodes", "4",
                        input="".join(OSU.values()))
        self.assertIn('"kind": "replay"', ran.stdout)

    def test_cells_are_escaped_for_the_terminal(self):
        table = pathlib.Path(PUBLISHED[0]).read_text(encoding="utf-8")
        first = table.splitlines()[-1].split(",")
        broken = table.replace(table.splitlines()[-1], ",".join(["\x1bc"] * len(first)))
        (self.folder / "t.csv").write_text(broken, encoding="utf-8")
        ran = self.run_("t.csv", "-o", "out.json")
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertNotIn("\x1b", ran.stderr)
        self.assertIn(r"\x1bc", ran.stderr)

    def test_invalid_input_leaves_no_file(self):
        for arguments, said in (
                ((PUBLISHED[0],), "the input holds probes and replay, a document only one of them: "
                 "choose one with --only, or write each to a separate file with -o\n"),
                ((PUBLISHED[5], "--only", "probes", "-o", "out.json"),
                 '--only: expected what the input holds (trace), got "probes"\n'),
                ((PUBLISHED[5], "--format", "imc"), "--format: expected one of osu, imb, "
                 'nccl-tests, nccl-tests-json, nccl-csv, csv, ring-trace, p2p-csv, '
                 'rates-csv, p2p-test, '
                 'nvbandwidth, overlap-csv, nccl-inspector, transferbench, rccl-tests, deepspeed, '
                 'markdown, own-table, got "imc"\n'),
                ((PUBLISHED[0], "--link-bandwidth", "23"), "--link-bandwidth: expected bandwidth "
                 'such as "10 Gbit/s", got "23", which has no unit\n'),
                ((PUBLISHED[5], "--placement", "3+3"), "--placement: expected counts of ranks "
                 'such as "3-3", got "3+3"\n'),
                ((PUBLISHED[5], "-o", "no/out.json"),
                 "no/out.json: cannot be written: No such file or directory\n"),
                (("no.log", "-o", "out.json"),
                 "no.log: cannot be read: No such file or directory\n"),
                ((".",), ".: cannot be read: Is a directory\n")):
            ran = self.run_(*arguments)
            self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (1, "", said))
            self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
