#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does scripts/fuzz find what is planted, and the same again?"""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

from testing.fuzzing import inputs, jobs, quantities, readers, scenarios, verdict
from testing.fuzzing.run import Ended, Program
from testing.fuzzing.seeds import Seeds, by_target

HERE = os.path.dirname(os.path.abspath(__file__))

# Stands all inputs but those with an escape in a file.
CRASHES_ON_ESCAPE = """#!/bin/sh
if grep -q "$(printf '\\033')" * 2>/dev/null; then kill -SEGV $$; fi
"""


def ended(code, err="", out="", late=False):
    return Ended(["run", "s.yaml"], code, out.encode(), err.encode(), late, {})


class Planted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, text):
        path = os.path.join(self.folder.name, "program")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def fuzz(self, text, *options):
        out = os.path.join(self.folder.name, "out")
        return subprocess.run(
            [os.path.join(HERE, "fuzz"), "syntax", "--program", self.program(text), "-o", out,
             *options], capture_output=True, text=True), out

    def test_a_planted_crash_is_found_with_the_input_that_draws_it(self):
        ran, out = self.fuzz(CRASHES_ON_ESCAPE, "--seed", "3", "--count", "400")
        self.assertEqual(ran.returncode, 4, ran.stdout + ran.stderr)
        self.assertIn("killed by signal 11", ran.stdout)
        for name in os.listdir(out):
            kept = [name for name in os.listdir(os.path.join(out, name))
                    if name not in ("problem.txt", "again.txt")]
            contents = b""
            for file in kept:
                with open(os.path.join(out, name, file), "rb") as opened:
                    contents += opened.read()
            self.assertIn(b"\x1b", contents)

    def test_kept_input_is_reproduced_from_its_number(self):
        _, out = self.fuzz(CRASHES_ON_ESCAPE, "--seed", "3", "--count", "400")
        first = sorted(os.listdir(out))[0]
        with open(os.path.join(out, first, "again.txt"), encoding="utf-8") as file:
            options = file.read().split()[2:]
        ran, _ = self.fuzz(CRASHES_ON_ESCAPE, *options)
        self.assertIn("1 x syntax: killed by signal", ran.stdout)

    def test_a_program_that_stands_everything_draws_nothing(self):
        ran, out = self.fuzz("#!/bin/sh\nexit 0\n", "--seed", "3", "--count", "100")
        self.assertEqual((ran.returncode, os.path.exists(out)), (0, False), ran.stdout)
        self.assertEqual(ran.stdout.splitlines()[0], "seed 3")

    def test_time_ends_a_run_as_a_count_does(self):
        ran, _ = self.fuzz("#!/bin/sh\nexit 0\n", "--time", "1s")
        self.assertEqual(ran.returncode, 0, ran.stdout)

    def interrupted(self, text, lines, seconds=0, times=1):
        """^C so many seconds after so many lines: exit code and output."""
        command = [os.path.join(HERE, "fuzz"), "syntax", "--program", self.program(text), "-o",
                   os.path.join(self.folder.name, "out"), "--seed", "3", "--first", "7", "--time",
                   "1h", "--jobs", "2"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as running:
            begin = "".join(running.stdout.readline() for _ in range(lines))
            time.sleep(seconds)
            for _ in range(times):
                running.send_signal(signal.SIGINT)
                time.sleep(0.2)
            try:
                out, _ = running.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                running.kill()  # the end of the block would wait for it
                raise
        return running.returncode, begin + out

    def test_an_interrupt_ends_it_with_what_is_known_and_how_to_go_on(self):
        code, out = self.interrupted("#!/bin/sh\nexit 2\n", 4)
        self.assertEqual(code, 130, out)
        self.assertIn("exit code 2", out)
        done = int(re.search(r"syntax: (\d+) inputs", out)[1])
        self.assertIn(f"to go on: scripts/fuzz syntax --seed 3 --first {7 + done}\n", out)
        self.assertIn("x syntax: exit code N", out)

    def test_an_interrupt_at_any_moment_ends_with_a_summary(self):
        for tick in range(12):
            with self.subTest(tick):
                code, out = self.interrupted("#!/bin/sh\nsleep 0.1\n", 1, 0.02 * tick)
                self.assertEqual(code, 130, out)
                self.assertIn("nothing found", out)
                self.assertNotIn("Traceback", out)

    def test_a_second_interrupt_waits_for_no_input(self):
        begin = time.monotonic()
        code, out = self.interrupted("#!/bin/sh\nsleep 50\n", 1, 2, times=2)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual((code, out), (130, "seed 3\nnothing found\n"))

    def test_endless_run_is_stopped_and_late(self):
        program = Program(self.program("#!/bin/sh\nwhile :; do :; done\n"), cpu_s=1)
        self.assertTrue(program.run(["run"], {}).late)

    def test_a_file_that_it_writes_is_read_whole_or_not_at_all(self):
        program = Program(self.program("#!/bin/sh\nhead -c 3000000 /dev/zero > a.json\n"
                                       "head -c 70000000 /dev/zero > b.json\n"))
        files = program.run(["run"], {}, keep=True).files
        self.assertEqual({name: len(text) for name, text in files.items()}, {"a.json": 3000000})


class Served(unittest.TestCase):
    """The program that forks for each input ends as the one that is started for each."""

    def served(self, **limits):
        build = sys.argv[1]
        return Program(os.path.join(build, "ringscope"), **limits,
                       server=os.path.join(build, "fork_server"))

    def test_a_fork_says_what_a_program_says(self):
        started, seeds = Program(os.path.join(sys.argv[1], "ringscope")), Seeds()
        served = self.served()
        for number in range(60):
            made = inputs.make(random.Random(f"served {number}"), seeds)
            if made.words[0] in ("sweep", "place", "import", "calibrate"):
                continue  # these tell times of the wall clock, or start other programs
            one, other = (program.run(made.words, made.files, keep=True)
                          for program in (started, served))
            named = other.err.replace(b"`fork_server'", b"`ringscope'")  # hwloc says whose input
            self.assertEqual((one.code, one.err, sorted(one.files)),
                             (other.code, named, sorted(other.files)), made.words)

    def test_a_fork_that_takes_too_long_is_ended_and_late(self):
        text = (b"question: Late?\ncluster: {base: star8, hosts: 4096}\nlibrary: offload\n"
                b"placement: {hosts: 1x4096}\n"
                b"job: {collective: allreduce, algorithm: ring, bytes: 1 GiB}\n")
        words = ["run", "s.yaml", "--no-skip", "--no-fold"]
        self.assertTrue(self.served(cpu_s=1).run(words, {"s.yaml": text}).late)


class Readers(unittest.TestCase):
    def test_inputs_are_counted_over_sessions(self):
        sums, corpus = [], os.path.join(readers.CORPORA, "logs")
        for seed in ("1", "2"):
            files = len(os.listdir(corpus)) if os.path.isdir(corpus) else None
            ran = subprocess.run([os.path.join(HERE, "fuzz"), "readers", "logs", "--count", "20",
                                  "--seed", seed], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            done = int(re.search(r"readers: (\d+) inputs", ran.stdout)[1])
            self.assertGreaterEqual(done, len(by_target()["logs"]))
            if files is not None:  # the whole corpus is read first, and seeds that are new in it
                self.assertGreaterEqual(done, max(20, files))
            sums.append(int(re.search(r"of all sessions (\d+)", ran.stdout)[1]))
        self.assertGreaterEqual(sums[1] - sums[0], done)  # others may count beside it

    def test_counts_go_on_from_what_is_kept(self):
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(readers, "CORPORA", folder):
            before = readers.in_all_sessions("logs", 0)
            self.assertEqual(readers.in_all_sessions("logs", 20) - before, 20)
            self.assertEqual(readers.in_all_sessions("logs", 3) - before, 23)

    def test_logs_that_are_rejected_alike_are_kept_once(self):
        with tempfile.TemporaryDirectory() as folder:
            corpus, smallest = (os.path.join(folder, name) for name in ("corpus", "smallest"))
            os.mkdir(corpus), os.mkdir(smallest)
            for name, text in (("longer", "no table either\n"), ("short", "no table\n")):
                with open(os.path.join(corpus, name), "w", encoding="utf-8") as file:
                    file.write(text)
            subprocess.run([sys.executable, "-B", "-m", "scripts.testing.fuzzing.logs", "-merge=1",
                            smallest, corpus], cwd=os.path.dirname(HERE), check=True)
            self.assertEqual(os.listdir(smallest), ["short"])

    def test_every_target_has_seeds(self):
        seeds = by_target()
        self.assertEqual(sorted(seeds), sorted(readers.TARGETS))
        for name, texts in seeds.items():
            self.assertTrue(texts, name)


class Inputs(unittest.TestCase):
    def test_the_same_seed_gives_the_same_inputs_in_every_process(self):
        code = ("import random; from testing.fuzzing import inputs\n"
                "from testing.fuzzing.seeds import Seeds\n"
                "seeds = Seeds()\n"
                "for n in range(200): print(inputs.make(random.Random(f'7 syntax {n}'), seeds))\n")
        texts = {subprocess.run([sys.executable, "-B", "-c", code], cwd=HERE, capture_output=True,
                                env={**os.environ, "PYTHONHASHSEED": hash_seed}).stdout
                 for hash_seed in ("1", "2")}
        self.assertEqual(len(texts), 1)
        self.assertGreater(len(texts.pop()), 10000)

    def test_another_seed_gives_other_inputs(self):
        seeds = Seeds()
        one, other = ([inputs.make(random.Random(f"{seed} syntax {n}"), seeds) for n in range(20)]
                      for seed in (7, 8))
        self.assertNotEqual(one, other)

    def test_every_kind_has_good_seeds(self):
        for name, texts in vars(Seeds()).items():
            self.assertTrue(texts, name)


class Verdict(unittest.TestCase):
    def test_documented_outcomes_are_no_problem(self):
        for run in (ended(0, out="case  time\none  1 us\n"), ended(3, "deadlock: rank 0 waits"),
                    ended(1, "s.yaml:1:2: expected a map\n  x\n   ^\n"),
                    ended(1, "--set placement: a key is empty\n"), ended(4, "kernels differ"),
                    ended(1, "s.yaml:1:1: unknown key 'questoion'\n  questoion: 1\n  ^\n")):
            self.assertIsNone(verdict.problem(run), run)

    def test_everything_else_is_named(self):
        for run, word in (
                (ended(-11), "signal 11"), (ended(2), "exit code 2"), (ended(1), "without a word"),
                (ended(1, "went wrong"), "without its place"), (ended(0, late=True), "in time"),
                (ended(3, "std::bad_alloc"), "words of a library"),
                (ended(3, "s: its process was killed by signal 6"), "words of a library"),
                (ended(0, "x.cpp:3: runtime error: overflow"), "sanitizer"),
                (ended(1, "unknown \x1b[31m"), "control character"),
                (ended(0, out="time  nan us"), "no number")):
            self.assertIn(word, verdict.problem(run) or "", run)

    def test_a_name_in_the_input_is_no_number(self):
        scenario = {"s.yaml": b"cases:\n  - {name: nan servers, set: {}}\n"}
        named = ended(0, out="s nan servers takes 82.68 ms\n")
        self.assertIsNone(verdict.problem(named, scenario))
        self.assertIsNone(verdict.problem(ended(0, out="time  nan serv..  a\n"), scenario))
        self.assertIn("no number", verdict.problem(named))
        apostrophe = {"s.yaml": b"cases:\n  - {name: NCCL's choice of nan KiB, set: {}}\n"}
        self.assertIsNone(verdict.problem(ended(0, out="s NCCL's choice of nan KiB: 2 us\n"),
                                          apostrophe))
        comma = {"s.yaml": b"cases:\n  - name: 10 Gbit/s, inf worker\n    set: {}\n"}
        self.assertIsNone(verdict.problem(ended(0, out="s 10 Gbit/s, inf worker: 890 ms"), comma))
        self.assertIn("no number", verdict.problem(ended(0, out="s 10 Gbit/s, inf worker: inf s"),
                                                   comma))
        both = ended(0, out="s nan servers takes nan ms\n")
        self.assertIn("no number", verdict.problem(both, scenario))

    def test_files_are_read_as_others_will_read_them(self):
        self.assertIsNone(verdict.file_problem("o.json", b'{"a": 1}'))
        self.assertIn("NaN", verdict.file_problem("o.json", b'{"a": NaN}'))
        self.assertIn("UTF-8", verdict.file_problem("o.csv", b"\xff"))
        self.assertIsNone(verdict.file_problem("s.sqlite", b"\xff"))


def listed(collective, name, *options, **facts):
    """As `ringscope list algorithms --json` has it."""
    return {"collective": collective, "algorithm": name, "options": list(options),
            "least_ranks": 1, "one_host": False, "threads": 1, "nonblocking": 0, "ring": False,
            "selects": False, **facts}


CATALOGUE = jobs.Catalogue([
    listed("allreduce", "ring"), listed("allreduce", "library", selects=True),
    listed("alltoall", "nobody_knows_it", "nor_this_option"),
    listed("parameter_server", "asynchronous", "segment", "servers", "steps"),
    listed("training", "mirrored", "model", "input", "exchange", one_host=True)])


def drawn(count=300):
    return [scenarios.scenario(random.Random(f"scenarios {n}"), CATALOGUE) for n in range(count)]


class Scenarios(unittest.TestCase):
    def test_whatever_is_listed_is_drawn(self):
        jobs_drawn = [one["job"] for one in drawn()]
        algorithms = {job["algorithm"] for job in jobs_drawn if "program" not in job}
        self.assertEqual(algorithms, {"ring", "library", "nobody_knows_it", "asynchronous",
                                      "mirrored"})
        self.assertTrue(any("program" in job for job in jobs_drawn))

    def test_gpus_background_jobs_and_training_are_among_them(self):
        on_gpus = [one for one in drawn() if one["placement"].get("on") == "gpu"]
        self.assertTrue(on_gpus)
        for one in on_gpus:
            self.assertEqual(one["cluster"]["host"]["type"], "pcie_tree")
            self.assertIn("p2p", one["library"])
        self.assertTrue(any("nvlink" in one["cluster"]["host"] for one in on_gpus))
        self.assertTrue(any("neighbours" in one for one in drawn()))
        self.assertTrue(any("storage" in one for one in drawn()))

    def test_an_algorithm_for_one_host_has_one(self):
        for one in drawn():
            if one["job"].get("algorithm") == "mirrored":
                self.assertNotIn("-", one["placement"]["hosts"])

    def test_an_exchange_is_an_algorithm_that_stands_for_itself(self):
        self.assertEqual(CATALOGUE.exchanges(), ["ring"])

    def test_few_pieces_are_in_flight_at_once(self):
        server = listed("parameter_server", "asynchronous", "segment")
        for n in range(300):
            job = jobs.Job(random.Random(n), CATALOGUE, server, ranks=2 + n % 30)
            segment = int(job.made["options"].get("segment", "65536 B").split()[0])
            self.assertLessEqual(-(-job.bytes // segment) * job.ranks, jobs.MOST_IN_FLIGHT)

    def test_all_that_has_a_time_in_it_is_scaled(self):
        made = {"a": [quantities.Rate(6), quantities.PerSecond(6)], "b": quantities.Time(6),
                "c": {"d": quantities.Cost(6), "e": 6, "f": "6 B"}}
        self.assertEqual(quantities.as_yaml(quantities.scaled(made, 3)), quantities.as_yaml({
            "a": [quantities.Rate(18), quantities.PerSecond(18)], "b": quantities.Time(2),
            "c": {"d": quantities.Cost(2), "e": 6, "f": "6 B"}}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
