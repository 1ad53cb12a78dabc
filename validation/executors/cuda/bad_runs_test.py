# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do runs that go wrong on GPUs end soon, say why, and leave no file?

Usage: python3 -m validation.executors.cuda.bad_runs_test BUILD PROGRAM
"""

from validation.executors.cuda.runs_for_test import RunTest, main
from validation.small_scenario_for_test import scenario

PLACE = (r"rank \d was in ((reduce-scatter|allgather), step \d, \w+"
         r"|the (start|end) of a repetition)")


class BadRuns(RunTest):
    def ends(self, wanted, pattern, text, *more, fake=""):
        code, _, err = self.replay(text, "-o", str(self.output), *more, fake=fake)
        self.assertEqual(code, wanted, err)
        self.assertRegex(err, pattern)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["x.yaml"])
        return err

    def test_no_gpu_is_said(self):
        self.ends(1, "^no GPU found", scenario(), fake="gpus=0")

    def test_half_a_float_is_refused(self):
        self.ends(1, "expected a whole number of floats of 4 B to replay, got 6 B",
                  scenario(size="6 B"))

    def test_a_gpu_that_is_not_there_is_refused(self):
        self.ends(1, "--gpus: expected GPUs from 0 to 1, got 2", scenario(), "--gpus", "0,2",
                  fake="gpus=2")

    def test_a_segment_of_half_a_float_is_refused(self):
        self.ends(1, "--segment:1:1: expected a positive number of whole floats",
                  scenario(), "--segment", "6 B")

    def test_insufficient_memory_is_rejected_with_a_fitting_size(self):
        err = self.ends(1, r"x.yaml:5:6: 3 of 6 ranks on GPU 0 \(fake GPU\) need", scenario(6),
                        fake="gpus=2,memory=3000000")
        fits = err.split("at most ")[1].split(",")[0]
        self.assertRegex(fits, r"^\d+ KiB$")
        self.assertIn("or put no more than 2 there", err)
        self.assertEqual(self.replay(scenario(6, size=fits), fake="gpus=2,memory=3000000")[0], 0)

    def test_a_collective_beside_a_computation_is_refused(self):
        text = scenario().rstrip()[:-1] + ", overlap: 1 ms}\n"
        self.ends(1, "a non-blocking collective of ours cannot be replayed", text)
        self.ends(1, "its steps; choose an algorithm that has none inside",
                  scenario(4, algorithm="han"))

    def test_an_error_of_a_gpu_names_the_call_the_rank_the_phase_and_the_step(self):
        found = set()
        for number in range(60, 160, 7):
            code, _, err = self.replay(scenario(3), "--path", "staged", "-o", str(self.output),
                                       fake=f"fail={number}")
            self.assertEqual(code, 4, err)
            found.add(err.split(":")[0])
            self.assertRegex(err, rf"^\w+: told to fail; {PLACE}")
        self.assertIn("copy", found)

    def test_a_hang_is_cut_off_and_says_what_each_rank_waits_for(self):
        err = self.ends(3, "^timeout .* s after the start of a repetition: rank 0 is in ",
                        scenario(3), "--path", "staged", "--timeout", "2", fake="hang=40")
        self.assertRegex(err, r"rank \d is in reduce-scatter, step \d, \w+.*, waiting for .* rank")

    def test_a_call_that_does_not_return_is_cut_off_too(self):
        # Pageable memory: the call itself waits for the copy.
        self.ends(3, "^timeout after .* s: rank 0 is in ", scenario(3), "--path", "staged",
                  "--host-memory", "pageable", "--timeout", "1", fake="hang=7")

    def test_probes_and_collectives_that_hang_are_cut_off_with_what_was_measured(self):
        for words, point in ((("probe", "--only", "gpu_copy", "--sizes", "1MiB"), "h2d"),
                             (("nccl", "--only", "allreduce", "--sizes", "1MiB"),
                              "allreduce, 2 ranks, 1 MiB")):
            code, _, err = self.run_program(*words, "-o", str(self.output), "--timeout", "1",
                                            fake="gpus=2,hang=9")
            self.assertEqual(code, 3, err)
            self.assertIn("timeout after 1 s: ", err)
            self.assertIn(point, err)
            self.assertFalse(self.output.exists())

    def test_a_deadlock_is_found_at_once(self):
        self.ends(3, r"^deadlock at .* us: rank 0 is in .*send with rank 1, waiting for rank 1 to "
                     r"receive \d+ items \(no match yet\); rank 1 ",
                  scenario(2, "exchange", "head_to_head"))


if __name__ == "__main__":
    main()
