# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does place say what is best, in all its forms, alike however it runs, and can it be pasted?

Usage: python3 -m cli.place_test BUILD
"""

import csv
import io
import json
import os
import pty
import random
import re
import signal
import sqlite3
import subprocess
import time

from cli.study_for_test import ENVIRONMENT, ROOT, StudyTest, documented_keys, keys_of, main

SEARCH = ("--set", "job.bytes=1MiB", "--slots", "4", "--budget", "40", "--seed", "5")
DOUBLING = ("--set", "job.algorithm=recursive_doubling", "--set", "job.skew=1us")
LONG = ("--cluster", "two_level", "--ranks", "32", "--library", "openmpi_tcp", "--job",
        "allreduce/ring:1MiB", "--objective", "worst_link", "--budget", "1000000")  # hours


class Place(StudyTest):
    def place(self, *words, code=0):
        return self.ringscope("place", *words, "--no-store", code=code)

    def test_the_rack_is_best_without_a_lone_rank_and_the_reason_is_said(self):
        screen = self.place("place-eight-on-three").stdout
        # 8 of 24 cores in order, no host with more than four of them: by hand, 8! times the sum of
        # the ways to choose cores, of C(8,4)C(8,4) for two hosts, and so on.
        four, three, two, one = 70, 56, 28, 8
        ways = 3 * four * four + 6 * four * three * one + 3 * four * two * two + \
            3 * three * three * two
        self.assertIn(f"8 ranks on 3 hosts: {40320 * ways:,} placements, ", screen)
        self.assertIn("all of these were simulated", screen)
        self.assertRegex(screen, r"4-3-1 takes 1\.95x as long as [-0-9x ]+: \+229\.\d ms CPU "
                                 r"copy on host2/numa0/core0 \(rank 7\)")
        self.assertIn("Cross-check with SimGrid: ", screen)
        best = [line.split()[2] for line in screen.splitlines() if re.match(r"[123] ", line)]
        self.assertEqual(len(best), 3)
        self.assertNotIn("4-3-1", best)

    def test_csv_and_json_say_the_same_and_json_what_the_schema_says(self):
        self.place("place-eight-on-three", "--set", "job.bytes=1MiB", "--json", "p.json", "--csv",
                   "p.csv")
        answer = json.loads(self.read("p.json"))
        rows = list(csv.DictReader(io.StringIO(self.read("p.csv"))))
        self.assertEqual([float(row["time_s"]) for row in rows],
                         [one["time_s"] for one in answer["placements"]])
        self.assertEqual([row["placement"] for row in rows],
                         [one["placement"] for one in answer["placements"]])
        self.assertEqual(sum(int(one["alike"]) for one in answer["placements"]),
                         int(answer["raw"]))
        self.assertEqual(int(answer["differ"]), len(rows))
        yours = answer["yours"]["place"]
        self.assertEqual([row["place"] for row in rows if row["yours"] == "1"], [str(yours)])
        self.assertAlmostEqual(answer["yours"]["time_s"] / float(rows[yours - 1]["time_s"]), 1)

        self.place("place-beside-a-neighbour", "--budget", "20", "--json", "n.json")
        beside = json.loads(self.read("n.json"))
        found = {*keys_of(answer), *keys_of(beside)}
        same = re.compile(r"yours\.(?!place$|allowed$)|.*neighbours_s\.")
        self.assertEqual({key for key in found if not same.match(key)},
                         documented_keys("place --json") - {
                             "placements[].ranks[].gpu", "placements[].groups", "free_links_s",
                             "open_order", "placements[].likely", "placements[].likely.low_s",
                             "placements[].likely.high_s"})
        for one in beside["placements"]:
            self.assertAlmostEqual(
                one["time_s"], (one["own_s"] + one["neighbours_s"]["bulk"]) / 2, delta=1e-9)

    def test_a_search_answers_alike_on_any_number_of_threads(self):
        for more in ((), DOUBLING):
            answers = [self.place("place-eight-on-three", *SEARCH, *more, "--threads", threads,
                                  "--json", "-", "--verify", "0").stdout
                       for threads in ("1", "3", "3")]
            self.assertEqual(answers[0], answers[1])
            self.assertEqual(answers[1], answers[2])
            answer = json.loads(answers[0])
            self.assertTrue(answer["searched"])
            if more:
                self.assertEqual(len(answer["placements"]), 40)
            else:  # it ends where its bound tells that no other one is better
                self.assertEqual(answer["bound_s"], answer["placements"][0]["time_s"])

    def test_the_best_one_can_be_pasted(self):
        screen = self.place(
            "--cluster", "rack3", "--library", "slow_tcp", "--ranks", "6", "--job",
            "allreduce/ring:1MiB", "--slots", "4", "--exclude", "host1", "--order", "fixed",
            "--rankfile", "ranks", "--hostfile", "hosts", "--slurm", "slurm").stdout
        self.assertIn("mpirun -n 6 --rankfile ranks PROGRAM\n", screen)
        self.assertIn("SLURM_HOSTFILE=slurm srun -n 6 --distribution=arbitrary PROGRAM\n", screen)
        hosts = self.read("slurm").split()
        self.assertEqual(len(hosts), 6)
        self.assertEqual(set(hosts), {"host0", "host2"})
        self.assertEqual(re.findall(r"^rank \d+=(\w+) slot=0:\d+$", self.read("ranks"), re.M),
                         hosts)
        # Our own reader takes the hostfile.
        (self.folder / "again.yaml").write_text(
            "question: q\ncluster: rack3\nlibrary: slow_tcp\nplacement: {hostfile: hosts}\n"
            "job: {collective: allreduce, algorithm: ring, bytes: 1 MiB}\n", encoding="utf-8")
        done = self.ringscope("run", "again.yaml", "--json", "-")
        self.assertEqual([rank["host"] for rank in json.loads(done.stdout)["cases"][0]["ranks"]],
                         hosts)

    def test_on_a_real_fabric_the_hosts_that_are_free_stand_leaf_by_leaf(self):
        self.ringscope("import-fabric",
                       str(ROOT / "topologies/fabrics/ibnetdiscover-582-adapters.txt"),
                       "--adapters", "-o", "ib.yaml")
        hosts = re.findall(r'- {name: "([^"]+)"', self.read("ib.yaml"))
        random.seed(7)
        taken = random.sample(hosts, 300)
        (self.folder / "busy").write_text("\n".join(taken) + "\n", encoding="utf-8")
        self.place("--cluster", "ib.yaml", "--library", "ideal", "--ranks", "128", "--slots", "2",
                   "--job", "allreduce/ring:1MiB", "--exclude", "busy", "--budget", "17",
                   "--random", "0", "--verify", "0", "--hostfile", "hosts", "--json", "p.json")
        answer = json.loads(self.read("p.json"))
        best, yours = answer["placements"][0], answer["yours"]
        self.assertLess(best["crossings"], yours["crossings"])
        self.assertLess(best["time_s"], yours["time_s"])
        # Leaves have at most 20 adapters, so 64 hosts stand below 4 or more.
        self.assertGreaterEqual(best["crossings"], 4)
        used = {line.split(":")[0] for line in self.read("hosts").split()}
        self.assertEqual(used & set(taken), set())
        self.assertEqual(len(used), 64)

    def test_an_answer_that_simgrid_has_otherwise_is_kept_with_a_warning(self):
        words = ("place-eight-on-three", "--set", "job.bytes=1MiB", "--store", "s.sqlite")
        self.ringscope("place", *words, "--json", "p.json")
        self.assertEqual(json.loads(self.read("p.json"))["warning"], "")
        with sqlite3.connect(self.folder / "s.sqlite") as store:
            store.execute("UPDATE results SET time_s = 1.01 * time_s")
        done = self.ringscope("place", *words, "--csv", "p.csv", code=4)
        self.assertIn("all of these were simulated", done.stdout)
        self.assertRegex(done.stdout, r"\nwarning: .* as SimGrid simulates it \(0\.99 %\)")
        self.assertEqual(len(self.read("p.csv").splitlines()),
                         1 + len(json.loads(self.read("p.json"))["placements"]))
        self.ringscope("place", *words, "--json", "p.json", code=4)
        answer = json.loads(self.read("p.json"))
        self.assertIn("a defect of this program", answer["warning"])
        self.assertEqual(len(answer["verified"]), 3)

    def test_a_case_of_a_scenario_can_be_named(self):
        (self.folder / "two.yaml").write_text(
            "question: q\ncluster: rack3\nlibrary: slow_tcp\nplacement: 2-2\n"
            "job: {collective: allreduce, algorithm: ring, bytes: 64 KiB}\n"
            "cases:\n  - {name: small}\n"
            "  - {name: large, set: {job.bytes: 1 MiB, placement: 2-1}}\n", encoding="utf-8")
        self.assertIn("choose one with --case: ", self.place("two.yaml", code=1).stderr)
        self.assertIn("did you mean 'two large'?",
                      self.place("two.yaml", "--case", "two lrge", code=1).stderr)
        for case, ranks in (("small", 4), ("large", 3)):
            self.assertIn(f"{ranks} ranks on 3 hosts",
                          self.place("two.yaml", "--case", case).stdout)

    def test_search_without_store_reports_only_simulated_points(self):
        done = self.place("03-anomaly", "--set", "job.bytes=64KiB", "--order", "fixed")
        self.assertRegex(done.stderr, r"^\d+ points: \d+ simulated, in ")

    def test_the_best_so_far_is_the_answer_when_the_time_is_up(self):
        begun = time.monotonic()
        screen = self.place(*LONG, "--time-limit", "2s", "--json", "p.json").stderr
        self.assertLess(time.monotonic() - begun, 60)
        self.assertNotIn("\r", screen)
        self.check_stopped(json.loads(self.read("p.json")))
        self.assertIn("--time-limit: expected a time such as",
                      self.place(*LONG, "--time-limit", "2 parsecs", code=1).stderr)

    def test_a_terminal_sees_how_long_it_still_takes(self):
        here, there = pty.openpty()
        with subprocess.Popen(
                [str(self.build / "ringscope"), "place", *LONG, "--no-store", "--time-limit", "5s",
                 "--json", "p.json"], cwd=self.folder, env=ENVIRONMENT, stderr=there,
                stdout=subprocess.DEVNULL) as search:
            os.close(there)
            seen = b""
            while chunk := self.read_terminal(here):
                seen += chunk
        os.close(here)
        self.assertEqual(search.returncode, 0, seen)
        self.assertRegex(seen.decode(), r"\r\[#+ +\] +\d+ %, \d+ s left")

    @staticmethod
    def read_terminal(terminal):
        try:
            return os.read(terminal, 4096)
        except OSError:  # Linux says so when nobody writes to it any more
            return b""

    def test_the_best_so_far_is_the_answer_after_an_interrupt(self):
        with subprocess.Popen(
                [str(self.build / "ringscope"), "place", *LONG, "--store", "s.sqlite", "--json",
                 "p.json", "--csv", "p.csv"], cwd=self.folder, env=ENVIRONMENT,
                stderr=subprocess.PIPE, text=True) as search:
            end = time.monotonic() + 200
            while time.monotonic() < end and not (
                    (self.folder / "s.sqlite").exists() and len(self.rows("s.sqlite")) > 200):
                time.sleep(0.1)
            search.send_signal(signal.SIGINT)
            error = search.communicate(timeout=100)[1]
        self.assertEqual(search.returncode, 0, error)
        self.check_stopped(json.loads(self.read("p.json")))

    def check_stopped(self, answer):
        self.assertTrue(answer["stopped"])
        self.assertGreaterEqual(len(answer["placements"]), 1)
        self.assertLess(len(answer["placements"]), 1000000)
        self.assertLessEqual(answer["bound_s"], answer["placements"][0]["time_s"])
        self.assertNotEqual(answer["placements"][0]["degraded"], "")
        self.assertEqual(answer["verified"], [])

    def test_luck_is_the_baseline_of_a_search_and_of_all_placements(self):
        drawn = [self.place("place-eight-on-three", *SEARCH, "--random", "30", "--threads", jobs,
                            "--json", "p.json", "--csv", "-").stdout for jobs in ("1", "3")]
        self.assertEqual(drawn[0], drawn[1])
        random = json.loads(self.read("p.json"))["random"]
        self.assertEqual(random["count"], 30)
        best = json.loads(self.read("p.json"))["placements"][0]["time_s"]
        self.assertGreater(random["median_s"], best)
        screen = self.place("place-eight-on-three", *SEARCH, "--random", "30").stdout
        self.assertRegex(screen, r"\nrandom +median of 30, seed 5 ")
        self.assertNotIn("\nrandom ", self.place("place-eight-on-three", *SEARCH, "--random",
                                                 "0").stdout)
        # Over all placements: half of them are no slower.
        screen = self.place("place-eight-on-three", "--set", "job.bytes=1MiB", "--json", "p.json",
                            "--csv", "p.csv")
        answer = json.loads(self.read("p.json"))
        self.assertEqual(answer["random"]["count"], 0)
        self.assertEqual(answer["bound_s"], answer["placements"][0]["time_s"])
        times = [(one["time_s"], int(one["alike"])) for one in answer["placements"]]
        for slower in (False, True):
            share = sum(alike for seconds, alike in times
                        if (seconds >= answer["random"]["median_s"] if slower else
                            seconds <= answer["random"]["median_s"]))
            self.assertGreaterEqual(2 * share, int(answer["raw"]))

    def test_ranks_get_the_gpus_of_the_best_order(self):
        words = ("--cluster", "dgx1v", "--ranks", "8", "--on", "gpu", "--job",
                 "allreduce/ring:16MiB", "--library", "cuda_pinned", "--budget", "60", "--random",
                 "0", "--verify", "0")
        self.assertIn("--rankfile: contains the host of each rank, and not its GPU: add --gpus "
                      "FILE",
                      self.place(*words, "--rankfile", "g.rank", code=1).stderr)
        screen = self.place(*words, "--rankfile", "g.rank", "--slurm", "g.slurm", "--gpus", "g.sh",
                            "--json", "p.json", "--csv", "p.csv")
        ranks = json.loads(self.read("p.json"))["placements"][0]["ranks"]
        for variable in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"):
            said = [self.shell("g.sh", "printenv CUDA_VISIBLE_DEVICES", {variable: str(rank)})
                    for rank in range(8)]
            self.assertEqual(said, [str(rank["gpu"]) for rank in ranks])
        hosts = [f"host{rank['host']}" for rank in ranks]
        self.assertEqual(self.read("g.slurm").split(), hosts)
        self.assertEqual(re.findall(r"^rank \d+=(\w+) ", self.read("g.rank"), re.M), hosts)
        screen = self.place(*words, "--slurm", "g.slurm", "--gpus", "g.sh").stdout
        self.assertIn("SLURM_HOSTFILE=g.slurm srun -n 8 --distribution=arbitrary --gpu-bind=none "
                      "sh g.sh PROGRAM\n", screen)

    def test_torchrun_starts_the_order_that_it_can(self):
        fake = self.folder / "torchrun"
        fake.write_text('#!/bin/sh\necho "$CUDA_VISIBLE_DEVICES $*"\n', encoding="utf-8")
        fake.chmod(0o755)
        path = {"PATH": f"{self.folder}:{os.environ['PATH']}"}
        words = ("--cluster", "dgx1v", "--ranks", "16", "--on", "gpu", "--job",
                 "allreduce/ring:16MiB", "--library", "cuda_pinned", "--order", "fixed", "--budget",
                 "40", "--random", "0", "--verify", "0", "--torchrun", "t.sh")
        self.assertIn("sh t.sh PROGRAM", self.place(*words).stdout)
        self.place(*words, "--json", "p.json", "--csv", "p.csv")
        found = []
        for host in (0, 1):
            devices, words = self.shell("t.sh", "train.py", {
                "RINGSCOPE_HOST": f"host{host}", **path}).split(" ", 1)
            self.assertIn("--nnodes=2 --nproc-per-node=8 ", words)
            node = int(re.search(r"--node-rank=(\d)", words)[1])
            found += [(8 * node + i, host, int(gpu)) for i, gpu in enumerate(devices.split(","))]
        ranks = json.loads(self.read("p.json"))["placements"][0]["ranks"]
        self.assertEqual([(host, gpu) for _, host, gpu in sorted(found)],
                         [(rank["host"], rank["gpu"]) for rank in ranks])
        self.assertIn("--torchrun: the ranks are on cores", self.place(
            "03-anomaly", "--torchrun", "t.sh", code=1).stderr)

    def shell(self, script, words, variables):
        return subprocess.run(
            f"sh {script} {words}", shell=True, cwd=self.folder, check=True, text=True,
            capture_output=True, env={"PATH": os.environ["PATH"], **variables}).stdout.strip()

    def test_long_names_are_cut_in_a_sentence(self):
        screen = self.place(
            "--cluster", "star64", "--ranks", "64", "--library", "openmpi_tcp", "--job",
            "broadcast/binomial:1MiB", "--order", "any", "--budget", "20", "--random", "0",
            "--verify", "0", "--slots", "2", "--baseline", "2x32").stdout
        self.assertLess(max(len(line) for line in screen.splitlines()), 200)

    def test_invalid_questions_are_rejected(self):
        for words, message in (
            (("--ranks", "4"), "expected a scenario, or all of --cluster"),
            (("--cluster", "two_level", "--library", "rdma", "--ranks", "4", "--job",
              "allreduce:1MiB"),
             "--job:1:1: expected a collective, its algorithm and bytes, such as "
             "allreduce/ring:64MiB"),
            (("03-anomaly", "--order", "rig"), "did you mean 'ring'?"),
            (("03-anomaly", "--slots", "2"), "no placement of 8 ranks keeps to the rules"),
            (("no-such-study",), "unknown scenario 'no-such-study'"),
        ):
            self.assertIn(message, self.place(*words, code=1).stderr)


if __name__ == "__main__":
    main()
