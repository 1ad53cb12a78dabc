# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does each input of the corpus come out as it must, and never a number that is not in the text?"""

import pathlib
import sys
import tempfile
import unittest

from common.programs import InputError
from validation import measurements
from validation.calibration import imports
from validation.calibration.imports import findings, logs
from validation.calibration.imports.findings import Given
from validation.calibration.imports.source import Source, source_of
from validation.calibration.imports.testing import corpus, forms, fuzz
from validation.calibration.imports.testing.dressings import DRESSINGS

SEED, TRIES = 20261128, 2000


class Corpus(unittest.TestCase):
    def test_each_input_comes_out_as_it_must(self):
        cases = corpus.all_cases()
        self.assertGreaterEqual(len(cases), 150)
        self.assertEqual(len({case.name for case in cases}), len(cases))
        for case in cases:
            with self.subTest(case.name):
                try:
                    rows = [corpus.row_of(one) for one in corpus.read(case.text, case.given)]
                except InputError as error:
                    self.assertTrue(case.refused, error)
                    self.assertIn(case.refused, str(error))
                    continue
                self.assertFalse(case.refused, "was read")
                self.assertEqual(corpus.shown(rows), corpus.shown(case.rows))


PRIVATE = "/" + "example/alice"  # a path
SECRET = ("hf_S3cretS3cret", "AKIAEXAMPLEKEY", PRIVATE, "alice", "ssh-ed25519")
ENV = ["LANG=C", f"HOME={PRIVATE}", "USER=alice", "HF_TOKEN=hf_S3cretS3cret",
       "AWS_ACCESS_KEY_ID=AKIAEXAMPLEKEY", "KEY=ssh-ed25519 AAAA", "NCCL_ALGO=Ring",
       f"NCCL_TOPO_FILE={PRIVATE}/topo.xml", "NCCL_NET=x;TOKEN=hf_S3cretS3cret",
       f"NCCL_IB_HCA={PRIVATE}", "NCCL_NET_PLUGIN=alice", "NCCL_MIN_NCHANNELS=8"]
LINES = (f"mpirun -x HF_TOKEN=hf_S3cretS3cret -x NCCL_ALGO=Ring -x NCCL_NET={PRIVATE}\n"
         "export AWS_ACCESS_KEY_ID=AKIAEXAMPLEKEY\n"
         "node0:1:1 [0] NCCL INFO NCCL_MIN_NCHANNELS set by environment to 8.\n")


class Environment(unittest.TestCase):
    def test_nothing_but_settings_of_a_list_is_kept(self):
        for text in (forms.nccl_json(env=ENV).text, LINES + forms.nccl().text):
            (document,) = findings.documents_of(imports.parse(Source("x.log", text), Given()),
                                                Given())
            self.assertEqual(document.where["environment"],
                             ["NCCL_ALGO=Ring", "NCCL_MIN_NCHANNELS=8"])
            written = measurements.text_of(document)
            for word in SECRET:
                self.assertNotIn(word, written)


class Doors(unittest.TestCase):
    def test_label_in_brackets_begins_no_document(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.log"
            for text, expected in (("[1,0]<stdout>:# nThread 1 nGpus 1\n", False),
                                   ("[0] # OSU MPI Latency Test v5.8\n", False),
                                   ("[rank0]: # nThread 1 nGpus 1\n", False),
                                   ('{"log": "# nThread 1 nGpus 1\\n"}\n', False),
                                   ('[{"op": "allreduce", "time_us": 1}]\n', False),
                                   ('{"op": "allreduce", "latency (ms)": 1}\n', False),
                                   ('{"schema": 2}\n', True), ("[\n {}]\n", True)):
                path.write_text(text, encoding="utf-8")
                self.assertEqual(logs.is_document(str(path)), expected, text)

    def test_fields_beside_the_log_are_not_kept(self):
        text = DRESSINGS["loki"](forms.nccl().text).replace("success", "hf_S3cretS3cret")
        source = Source("x.json", text)
        self.assertEqual(source.path, "x.json (lines in its strings)")
        self.assertEqual(source.lines[2], forms.nccl().text.splitlines()[2])
        self.assertNotIn("hf_S3cret", "".join(source.raw))
        for coding in ("utf-16-le", "utf-16-be"):
            self.assertEqual(source_of("x.log", text.encode(coding)).lines, source.lines)

    def test_no_line_has_more_blanks_or_bars_than_patterns_can_look_at(self):
        for filling in (" ", "\t", "|", "\u00a0", " \t", "`", "<td>"):
            lines = Source("x.log", f"a{10_000 * filling}b\n{10_000 * filling}\n").lines
            self.assertLessEqual(max(map(len, lines)), 402, repr(filling))

    def test_line_break_within_the_name_of_a_gpu_is_removed(self):
        for case in corpus.by_hand():
            if case.name in ("mail_wrapped.txt", "terminal_80.log"):
                (found, *_) = imports.parse(Source(case.name, case.text), Given())
                self.assertEqual(set(found.where["devices"]), {"NVIDIA H100 80GB HBM3"}, case.name)

    def test_window_of_the_command_is_that_of_its_table(self):
        text = "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1 5.00\n"
        windows = [point.parameters["window"] for point in corpus.read(
            f"srun -N2 osu_bw -W 128\n{text}srun -N2 osu_bw\n{text}", {})]
        self.assertEqual(windows, [128, 64])

    def test_values_of_other_variables_are_not_shown(self):
        for secret in ("HF_TOKEN=hf_S3cret", "WANDB_API_KEY: S3cret", "--token S3cret",
                       "Authorization: Bearer S3cret", "hf_S3cretS3cret", "ghp_S3cretS3cret",
                       "https://alice:S3cret@example.org", '"password": "S3cret"'):
            for text in (f"export {secret} NCCL_ALGO=Ring\n",
                         f"{secret} NCCL_ALGO=Ring # nThread 1 nGpus 1\n"):
                with self.assertRaises(InputError) as raised:
                    imports.parse(Source("x.log", text), Given())
                self.assertNotIn("S3cret", str(raised.exception))
                self.assertIn("NCCL_ALGO=Ring", str(raised.exception))


class Fuzzed(unittest.TestCase):
    def test_each_number_of_changed_inputs_is_in_the_text(self):
        print(f"seed {SEED}", file=sys.stderr)
        self.assertEqual(fuzz.faults(SEED, TRIES), [])


if __name__ == "__main__":
    unittest.main()
