# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does whoever waits see how long it takes, and does ^C end it with what is known by then?

Usage: python3 -m cli.waiting_test BUILD
"""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

from cli.study_for_test import ENVIRONMENT, StudyTest, main

# Longer than anybody waits for here; the first hundredths take seconds at most.
LONG = """question: How long do those wait who ask this?
cluster: star8
library: openmpi_tcp
placement: 1x8
job: {collective: allreduce, algorithm: ring, bytes: 64 KiB, repetitions: 1000000}
"""
SHORT_AND_LONG = LONG + """cases:
  - {name: short, set: {job.repetitions: 1}}
  - {name: long, set: {}}
"""
# All pairs talk: 1,400 bytes of each (scenarios/question/estimate.cpp).
MANY = """question: What needs half a terabyte?
cluster: {network: star, hosts: 20000, host: {type: simple, cores: 1},
          link: {bandwidth: 1 Gbit/s, latency: 1 us}}
library: rdma
placement: 1x20000
job: {collective: alltoall, algorithm: posted, bytes: 1 GiB}
"""
RUN = ("long.yaml", "--no-skip")
# Some seconds for all, or for each hundredth where nothing is optimized.
SEEN = (*RUN, "--set", "job.repetitions=40000")
SWEEP = ("study.yaml", "--set", "job.repetitions=50", "--no-skip")
BAR = re.compile(rb"\r\[#* *\] +(\d+) %, \d+ (?:s|min|h) left\x1b\[K")


class Waiting(StudyTest):
    def setUp(self):
        super().setUp()
        (self.folder / "long.yaml").write_text(LONG, encoding="utf-8")
        (self.folder / "both.yaml").write_text(SHORT_AND_LONG, encoding="utf-8")
        self.study(3000)

    def start(self, *words, **options):
        return subprocess.Popen([str(self.build / "ringscope"), *words], cwd=self.folder,
                                env=ENVIRONMENT, **options)

    def seen_on_terminal(self, *words, until=BAR):
        """All that a terminal shows until `until` has come twice; then the run is ended by ^C."""
        here, there = pty.openpty()
        seen, end = b"", time.monotonic() + 200
        with self.start(*words, stderr=there, stdout=subprocess.DEVNULL) as run:
            os.close(there)
            while len(until.findall(seen)) < 2 and time.monotonic() < end and run.poll() is None:
                if select.select([here], [], [], 1)[0]:
                    try:
                        seen += os.read(here, 4096)
                    except OSError:  # the run has ended and closed the terminal
                        break
            run.send_signal(signal.SIGINT)
            run.wait(timeout=100)
        os.close(here)
        return seen, run.returncode

    def announced(self, *words, lines=1):
        """The first lines on standard error, after which the run is ended."""
        with self.start(*words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                        text=True) as run:
            said = "".join(run.stderr.readline() for _ in range(lines))
            run.kill()
        return said

    def interrupted(self, *words, after=1):
        """Code and outputs of a run that ^C ends, so many seconds after it announces a case."""
        with self.start(*words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
            said = run.stderr.readline()
            time.sleep(after)
            run.send_signal(signal.SIGINT)
            out, error = run.communicate(timeout=100)
        error = said + error
        self.assertNotIn("\r", error)
        return run.returncode, out, error

    def check_no_file_but(self, *names):
        """No more has been left, whole or not."""
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         sorted(("both.yaml", "long.yaml", "study.yaml") + names))

    def test_sees_the_share_done_and_the_time_left_of_every_command_that_simulates(self):
        for words in (("run", *SEEN), ("compare", "long.yaml", *SEEN), ("explain", *SEEN),
                      ("what-if", *SEEN, "--top", "1"), ("lesson", *SEEN, "-o", "page.html"),
                      ("sweep", *SWEEP, "--no-store")):
            with self.subTest(words[0]):
                seen, code = self.seen_on_terminal(*words)
                shares = [int(share) for share in BAR.findall(seen)]
                self.assertGreaterEqual(len(shares), 2, seen)
                self.assertEqual(shares, sorted(shares))
                self.assertEqual(code, 130, seen)

    def test_sees_what_goes_on_where_nobody_knows_the_share(self):
        line = re.compile(rb"\rreading and routing, (\d+) s\x1b\[K")
        (self.folder / "large.yaml").write_text(
            "{network: fat_tree, k: 128, hosts: 400000, host: {type: simple}, "
            "link: {bandwidth: 1 Gbit/s, latency: 1 us}}", encoding="utf-8")
        seen, _ = self.seen_on_terminal("show", "large.yaml", until=line)
        self.assertGreaterEqual(len(line.findall(seen)), 2, seen)

    def test_is_told_before_what_takes_more_than_a_minute_and_what_to_lower(self):
        self.assertRegex(self.announced("run", *RUN),
                         r"^long: 8 ranks that send 1.12e\+08 messages, some \d+ s of computing "
                         r"and .* lower 'job.repetitions', the ranks of 'placement'\n")
        self.assertRegex(self.announced("what-if", *RUN, "--set", "job.repetitions=200000"),
                         r"^6 simulations, some \d+ s; to reduce it, ask for fewer, or lower "
                         r"'job.repetitions', the ranks of 'placement'\n")
        self.assertRegex(self.announced("sweep", *SWEEP, "--no-store", "--threads", "2", "--set",
                                        "job.repetitions=1000"),
                         r"^study: 9000 points, some \d+ s on 2 threads; to reduce it, vary "
                         r"less, or lower 'job.repetitions', the ranks of 'placement'\n")

    def test_is_told_what_ranks_that_are_alike_take_and_what_a_tolerance_saves(self):
        star = ("cluster={network: star, hosts: 8192, link: {bandwidth: 10 Gbit/s, latency: 1 us}, "
                "host: {type: simple, cores: 8}}")
        large = ("run", "long.yaml", "--set", star, "--set", "placement=8x8192",
                 "--set", "job.repetitions=1")
        self.assertRegex(self.announced(*large, "--no-fold"),
                         r"^long: 65536 ranks that send 8.58\d*e\+09 messages, at most ")
        self.assertNotIn(" ranks that send ", self.announced(*large))  # one host's are simulated
        contended = ("--set", star, "--set", "placement=1x1800", "--set",
                     "job={collective: alltoall, algorithm: posted, bytes: 1 GiB}")
        self.assertRegex(self.announced("run", "long.yaml", "--no-fold", *contended),
                         r"lower the ranks of 'placement', or ask for --tolerance 0.1%\n")

    def test_is_told_what_a_search_for_a_placement_may_take(self):
        self.assertRegex(self.announced("place", "long.yaml", "--no-store", "--threads", "2",
                                        "--budget", "1000", "--no-skip"),
                         r"^long: 1000 placements or fewer, some \d+ \w+ on 2 threads; to "
                         r"reduce it, give it a --time-limit or a lower --budget, or lower ")

    def test_is_told_how_many_placements_fit_at_most_into_the_time_of_a_search(self):
        said = self.announced("place", *SEEN, "--slots", "1", "--no-store", "--threads", "2",
                              "--time-limit", "1000s", lines=2)
        pace = re.match(r"long: one simulation takes (\d\S*) s\n"
                        r"long: at this pace at most (\d+) more fit into the time\n", said)
        self.assertTrue(pace, said)
        self.assertLessEqual(int(pace[2]), 2 * 0.75 * 1000 / float(pace[1]))

    def test_is_refused_a_study_for_which_there_is_no_memory(self):
        (self.folder / "many.yaml").write_text(MANY, encoding="utf-8")
        (self.folder / "many-sizes.yaml").write_text(
            "scenario: many.yaml\nsweep: {grid: {job.bytes: [1 MiB, 1 GiB]}}\n", encoding="utf-8")
        for words in (("place", "many.yaml"), ("sweep", "many-sizes.yaml")):
            with self.subTest(words[0]):
                done = self.ringscope(*words, "--no-store", "--no-fold", code=1)
                self.assertEqual(done.stdout, "")
                self.assertRegex(done.stderr,
                                 r"20000 ranks that send 3.9998e\+08 messages need some 52\d.\d\d? "
                                 r"GiB of memory, and \S+ GiB are free: lower the ranks of "
                                 r"'placement'")

    def test_interrupts_cases_and_gets_those_that_have_ended(self):
        for command in ("run", "compare", "explain"):
            with self.subTest(command):
                code, out, error = self.interrupted(command, "both.yaml", "--no-skip", "--json",
                                                    "o.json")
                self.assertEqual(code, 130, error)
                self.assertTrue(error.endswith("interrupted: 1 of 2 cases had ended\n"), error)
                self.assertIn("both short", out)
                cases = json.loads(self.read("o.json"))["cases"]
                self.assertEqual([case["name"] for case in cases], ["both short"])
                self.check_no_file_but("o.json")

    def test_interrupts_what_has_no_answer_yet_and_no_file_is_left(self):
        for words in (("run", *RUN, "--json", "o.json", "--trace", "t.json"),
                      ("what-if", *RUN, "--json", "o.json"),
                      ("lesson", *RUN, "-o", "page.html")):
            with self.subTest(words[0]):
                code, out, error = self.interrupted(*words)
                self.assertEqual((code, out), (130, ""), error)
                self.assertTrue(error.endswith("interrupted before any case had ended\n"), error)
                self.check_no_file_but()

    def test_interrupts_a_lesson_of_which_a_part_is_known_and_no_page_is_left(self):
        code, _, error = self.interrupted("lesson", "both.yaml", "--no-skip", "-o", "p.html")
        self.assertEqual(code, 130, error)
        self.assertTrue(error.endswith("1 of 2 cases had ended: no page is written\n"), error)
        self.check_no_file_but()

    def test_interrupts_a_sweep_and_goes_on_from_there(self):
        with self.start("sweep", *SWEEP, "--csv", "rows.csv", stderr=subprocess.PIPE,
                        text=True) as run:
            end = time.monotonic() + 200
            while time.monotonic() < end and not (
                    (self.folder / "study.sqlite").exists() and self.rows()):
                time.sleep(0.1)
            run.send_signal(signal.SIGINT)
            error = run.communicate(timeout=100)[1]
        self.assertEqual(run.returncode, 130, error)
        self.assertRegex(error, r"^study: interrupted: [\d.]+ % of the points are simulated, and "
                                r"kept: the next call goes on from there; or lower how many")
        self.check_no_file_but("study.sqlite")


if __name__ == "__main__":
    main()
