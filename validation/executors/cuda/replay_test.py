# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the program of every algorithm give the right result on GPUs, and what does the file say?

Usage: python3 -m validation.executors.cuda.replay_test BUILD PROGRAM
"""

import re

from validation.executors.cuda.runs_for_test import ROOT, RunTest, main
from validation.small_scenario_for_test import scenario

# Keys of imported logs, and of the other one of the two documents that the same page describes.
OF_MPI_ONLY = {"where.link_kind", "where.environment", "where.cores", "where.foreign_cores",
               "where.instrument_s", "measurements[].start", "measurements[].missed_starts",
               "measurements[].start_spread_s"}


class Replay(RunTest):
    def test_every_allreduce_gives_the_right_sums_on_every_path(self):
        for ranks, size in ((3, "28 B"), (5, "40 kB")):
            for name in self.algorithms("allreduce"):
                for path in ("auto", "staged"):
                    with self.subTest(algorithm=name, ranks=ranks, path=path):
                        text = scenario(ranks, algorithm=name, size=size)
                        case = self.measured(text, "--path", path, "--segment", "1 kB",
                                             fake="seed=3")["measurements"][0]
                        self.assertEqual(case["what"], "allreduce")
                        self.assertEqual(case["parameters"]["algorithm"], name)
                        self.assertEqual(case["parameters"]["placement"], str(ranks))
                        self.assertEqual(len(case["samples_s"]), 2)
                        self.assertEqual(len(case["ranks"]), ranks)
                        self.assertEqual(case["path"], "device" if path == "auto" else "staged")

    def test_the_file_has_only_documented_keys(self):
        document = self.measured(scenario(), "--phases", "--path", "staged")
        keys = set(document) | {f"where.{key}" for key in document["where"]}
        keys |= {f"measurements[].{key}" for key in document["measurements"][0]}
        text = (ROOT / "validation" / "measurement.md").read_text(encoding="utf-8")
        listed = re.findall(r"^\| (`(?:schema|kind|where|measurements)[^|]*`) \|", text,
                            re.MULTILINE)
        documented = set(re.findall(r"`([^`]+)`", " ".join(listed)))
        self.assertEqual(keys, documented - OF_MPI_ONLY)

    def test_the_document_names_the_gpus_and_how_messages_went(self):
        document = self.measured(scenario(4, size="1 kB"), "--path", "staged", "--segment",
                                 "256 B", "--host-memory", "pageable", "--progress", "callbacks")
        self.assertEqual((document["schema"], document["kind"]), (2, "replay"))
        where, case = document["where"], document["measurements"][0]
        self.assertEqual(len(where["devices"]), 4)
        self.assertTrue(where["driver"])
        self.assertEqual((case["path"], case["host_memory"], case["segment_bytes"]),
                         ("staged", "pageable", 256))
        self.assertEqual(case["progress"], "callbacks")

    def test_the_verbs_are_those_of_the_text_and_take_no_longer_than_it(self):
        case = self.measured(scenario(3), "--phases")["measurements"][0]
        for rank in case["ranks"]:
            self.assertLessEqual(set(rank["seconds"]), {"send", "wait", "reduce"})
            self.assertIn("reduce", rank["seconds"])
            self.assertLessEqual(sum(rank["seconds"].values()), max(case["samples_s"]) * 1.001)
            steps = [(step["phase"], step["step"]) for step in rank["phases"]]
            self.assertEqual(steps, [(phase, step) for phase in ("reduce-scatter", "allgather")
                                     for step in range(2)])

    def test_the_number_of_ranks_may_be_given(self):
        case = self.measured(scenario(2), "--ranks", "4")["measurements"][0]
        self.assertEqual(case["parameters"]["ranks_count"], 4)


class OnFakes(RunTest):
    def setUp(self):
        super().setUp()
        if not self.program.name.endswith("-fake"):
            self.skipTest("of several GPUs, which may not be there")

    def test_ranks_go_on_the_gpus_in_turn_or_as_asked(self):
        for fake, more, gpus, path in (
                ("gpus=2,peers=1", (), [0, 1, 0], "device, peer"),
                ("gpus=2", (), [0, 1, 0], "device, staged"),
                ("gpus=3,peers=1", ("--gpus", "2,1,1"), [2, 1, 1], "device, peer")):
            case = self.measured(scenario(3), *more, fake=fake)["measurements"][0]
            self.assertEqual([rank["gpu"] for rank in case["ranks"]], gpus)
            self.assertEqual(case["path"], path)

    def test_the_same_run_takes_the_same_time(self):
        first, second = (self.measured(scenario(4), fake="gpus=2") for _ in range(2))
        self.assertEqual(first["measurements"], second["measurements"])


if __name__ == "__main__":
    main()
