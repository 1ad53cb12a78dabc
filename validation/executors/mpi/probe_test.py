# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the probes measure what measurement.md says, in the time they are given, and nothing else?

Usage: python3 -m validation.executors.mpi.probe_test BUILD MPIEXEC PROGRAM
"""

import json
import os
import re
import shutil
import subprocess
import sys

from validation.executors.mpi.jobs_for_test import ROOT, JobTest, main

FORMAT = (ROOT / "validation" / "measurement.md").read_text(encoding="utf-8").partition(
    "## Probes\n")[2].partition("## Probes of GPUs")[0]
# name: parameters, as the table of probes documents them.
DOCUMENTED = {name: parameters.split(", ") for name, parameters in
              re.findall(r"^\| `(\w+)` \| ([a-z_, ]+) \|", FORMAT, re.MULTILINE)}
MOST_MESSAGES = 4096  # that eager_room tries
ON_ONE_HOST = set(DOCUMENTED) - {"threads", "eager_room"}


class Probes(JobTest):
    def probe(self, ranks, *more, before=()):
        """(exit code, document or None, standard error) of a job that may write a file."""
        command = [self.mpiexec, "-n", str(ranks), *before, str(self.program), "probe",
                   "-o", str(self.output), *more]
        code, _, err = self.finish(self.launch(command))
        return code, self.document() if self.output.exists() else None, err

    def document(self):
        return json.loads(self.output.read_text(encoding="utf-8"))

    def measured(self, ranks, *more):
        code, document, err = self.probe(ranks, *more)
        self.assertEqual(code, 0, err)
        return document["measurements"]

    def check_against_the_format(self, measurements):
        for one in measurements:
            with self.subTest(what=one["what"], parameters=one["parameters"]):
                self.assertEqual(list(one["parameters"]), DOCUMENTED[one["what"]])
                self.assertGreaterEqual(len(one["samples_s"]), 5)
                self.assertGreaterEqual(min(one["samples_s"]), 0)
                self.assertGreater(max(one["samples_s"]), 0)
                self.assertLessEqual(one["p10_s"], one["median_s"])
                self.assertLessEqual(one["median_s"], one["p90_s"])

    def test_plan_has_shares_of_the_budget_and_measures_nothing(self):
        """One ping-pong and two directions of a stream, of equal weight: a third of 60 s each."""
        code, out, err = self.finish(self.launch(
            [self.mpiexec, "-n", "2", str(self.program), "probe", "-o", str(self.output), "--plan",
             "--only", "ping_pong,stream", "--way", "shm", "--sizes", "8B,1KiB", "--budget", "60"]))
        self.assertEqual(code, 0, err)
        head, *rows = out.splitlines()
        self.assertEqual(head, "2 ranks on 1 host: 3 series in at most 1.0 min, of 2 sizes")
        self.assertEqual([row.split()[:5] for row in rows], [
            ["ping_pong", "1", "series", "20.0", "s"], ["stream", "2", "series", "40.0", "s"]])
        self.assertFalse(self.output.exists())

    def test_every_probe_gives_what_is_documented(self):
        code, document, err = self.probe(3, "--budget", "15", "--repetitions", "5",
                                         "--sizes", "8B,1KiB,64KiB,1MiB")
        self.assertEqual(code, 0, err)
        self.assertEqual((document["schema"], document["kind"]), (2, "probes"))
        self.assertEqual(len(document["where"]["hosts"]), 3)
        self.assertIn("no two ranks reach each other by network: omitted", err)
        measurements = document["measurements"]
        self.assertEqual({one["what"] for one in measurements}, ON_ONE_HOST)
        self.check_against_the_format(measurements)
        points = [(one["what"], tuple(one["parameters"].items())) for one in measurements]
        self.assertEqual(len(points), len(set(points)))
        self.assertEqual({one["parameters"].get("way") for one in measurements},
                         {"self", "shm", None})

    def test_computing_takes_its_time_and_a_late_receiver_delays_long_messages(self):
        measurements = self.measured(2, "--only", "overlap,late_receiver", "--repetitions", "5")
        late = [one for one in measurements if one["what"] == "late_receiver"]
        # On one machine, hence by one clock.
        longest = max(late, key=lambda one: one["parameters"]["bytes"])
        self.assertGreaterEqual(min(longest["samples_s"]), longest["parameters"]["delay_s"])
        shortest = min(late, key=lambda one: one["parameters"]["bytes"])
        self.assertLess(min(shortest["samples_s"]), shortest["parameters"]["delay_s"])
        overlaps = [one for one in measurements if one["what"] == "overlap"]
        self.assertEqual({(one["parameters"]["side"], one["parameters"]["tests"])
                          for one in overlaps},
                         {(side, tests) for side in ("sender", "receiver")
                          for tests in (False, True)})
        for one in overlaps:
            self.assertGreaterEqual(min(one["samples_s"]), one["parameters"]["compute_s"])

    def test_late_sends_that_a_longer_eager_one_contradicts_are_measured_again(self):
        code, document, err = self.probe(2, "--only", "late_receiver", "--budget", "60",
                                         before=self.fault("lost_core"))
        self.assertEqual(code, 0, err)
        late = {one["parameters"]["bytes"]: one for one in document["measurements"]}
        for size in (64, 256):
            samples = late[size]["samples_s"]
            self.assertGreaterEqual(len(samples), 10)  # five twice, or more
            self.assertGreaterEqual(min(samples[:5]), 0.04)
            self.assertLess(min(samples), late[size]["parameters"]["delay_s"] / 2)

    def test_foreign_load_is_measured_and_reported(self):
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                for _ in range(os.cpu_count())]
        try:
            # Receivers that are late by 20 ms or more: no machine is done within 0.2 s, below
            # which ticks of the kernel's clock tell nothing.
            code, document, err = self.probe(2, "--only", "late_receiver", "--budget", "20",
                                             "--repetitions", "20")
        finally:
            for one in busy:
                one.kill()
                one.wait()
        self.assertEqual(code, 0, err)
        where = document["where"]
        self.assertEqual(where["cores"], os.cpu_count())
        self.assertGreater(where["foreign_cores"], 0.3)
        self.assertIn(f"others used {where['foreign_cores']:.1f} of {where['cores']} cores "
                      "meanwhile: measure again", err)

    def test_only_what_was_asked_for_is_measured(self):
        measurements = self.measured(2, "--only", "ping_pong,copy", "--sizes", "64KiB,8 B",
                                     "--way", "self", "--repetitions", "7")
        self.assertEqual([(one["what"], one["parameters"]["bytes"]) for one in measurements],
                         [("ping_pong", 8), ("ping_pong", 65536)] +
                         2 * [("copy", 8), ("copy", 65536)])
        for one in measurements:
            self.assertEqual(len(one["samples_s"]), 7)
            self.assertEqual(one["parameters"].get("way", "self"), "self")

    def test_one_rank_alone_measures_what_it_can(self):
        code, document, err = self.probe(1, "--budget", "3", "--sizes", "1KiB")
        self.assertEqual(code, 0, err)
        for way in ("shm", "network"):
            self.assertIn(f"no two ranks reach each other by {way}: omitted", err)
        self.assertEqual({one["what"] for one in document["measurements"]},
                         {"ping_pong", "reduction", "copy"})

    def between_two_hosts(self, ranks, *more):
        """Measurements of a job with so many ranks on each of two hosts, and standard error."""
        if os.geteuid() != 0 or shutil.which("unshare") is None:
            self.skipTest("a second host name needs root and unshare")
        words = ["probe", "-o", str(self.output), "--repetitions", "5", *more]
        other = ["unshare", "--uts", "sh", "-c", 'hostname other; exec "$0" "$@"']
        job = [self.mpiexec, "-n", str(ranks), str(self.program), *words, ":",
               "-n", str(ranks), *other, str(self.program), *words]
        code, _, err = self.finish(self.launch(job))
        self.assertEqual(code, 0, err)
        self.assertEqual(len(set(self.document()["where"]["hosts"])), 2)
        measurements = self.document()["measurements"]
        self.check_against_the_format(measurements)
        return measurements, err

    def test_two_hosts_reach_each_other_by_the_network(self):
        measurements, _ = self.between_two_hosts(2, "--budget", "8", "--sizes", "8B,16KiB",
                                                 "--only", "ping_pong,stream,barrier")
        streams = {(one["parameters"]["pairs"], one["parameters"]["directions"])
                   for one in measurements if one["parameters"].get("way") == "network" and
                   one["what"] == "stream"}
        self.assertEqual(streams, {(1, 1), (1, 2), (2, 1), (2, 2)})

    def test_a_send_is_held_back_where_there_is_no_room_for_more(self):
        measurements, err = self.between_two_hosts(1, "--budget", "15", "--way", "network",
                                                   "--only", "late_receiver,eager_room")
        some = sorted((one for one in measurements if one["what"] == "eager_room"),
                      key=lambda one: one["parameters"]["messages"])
        if "eager_room" in err:  # for lack of time
            return
        fewest, most = some[0], some[-1]
        held = most["parameters"]["delay_s"] / 4
        if fewest["parameters"]["messages"] > 1:
            self.assertLess(min(fewest["samples_s"]), held)
        if most["parameters"]["messages"] <= MOST_MESSAGES / 2:
            self.assertGreaterEqual(min(most["samples_s"]), held)

    def test_a_budget_too_small_leaves_out_sizes_and_says_so(self):
        code, document, err = self.probe(2, "--budget", "0.01", "--only", "ping_pong",
                                         "--way", "shm", "--sizes", "8B,64MiB,256MiB")
        self.assertEqual(code, 0, err)
        self.assertIn("and more omitted, for lack of time (--budget)", err)
        self.assertNotIn(256 << 20, [one["parameters"]["bytes"]
                                     for one in document["measurements"]])

    def test_unknown_names_are_rejected_once_with_the_known_names(self):
        for more, message in (
                (("--only", "ping_pung"),
                 "--only:1:1: unknown probe 'ping_pung'; did you mean 'ping_pong'? (known: "),
                (("--only", "threads"), "this probe needs MPI_THREAD_MULTIPLE: add --threads"),
                (("--way", "air"), "--way:1:1: unknown way 'air'"),
                (("--sizes", "8B,10"), '--sizes:1:1: expected a'),
                (("--sizes", "0B"), 'expected a size from 1 B to 1 GiB, got "0B"'),
                (("--sizes", "2GiB"), 'expected a size from 1 B to 1 GiB, got "2GiB"')):
            with self.subTest(more=more):
                code, document, err = self.probe(2, *more)
                self.assertEqual((code, document), (1, None))
                self.assertEqual(err.count(message), 1, err)

    def test_timeout_ends_a_probe_with_the_state_of_each_rank(self):
        code, document, err = self.probe(3, "--only", "late_receiver", "--timeout", "0.05")
        # MPICH's launcher may tell how it ended the other ranks instead.
        self.assertIn(code, (3, 9))
        self.assertIsNone(document)
        self.assertRegex(err, r"timeout after 0.05 s: rank \d is in late_receiver, shm: "
                              r"(\d.* B, the (warm-up|samples)|waiting for the others)")

    def test_help_lists_every_probe(self):
        _, out, _ = self.finish(self.launch([str(self.program), "probe", "--help"]))
        for name in DOCUMENTED:
            self.assertRegex(out, rf"(?m)^  {name} ")


if __name__ == "__main__":
    main()
