# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do run, compare and explain from Python answer as the program does, and fail as plainly?"""

import collections
import html
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import ringscope

ROOT = pathlib.Path(__file__).resolve().parent.parent
PING = {
    "question": "How long does one message take?",
    "cluster": {"network": "star", "hosts": 2, "link": {"bandwidth": "10 Gbit/s",
                                                        "latency": "5 us"},
                "host": {"type": "simple", "cores": 1}},
    "library": "ideal",
    "placement": "1-1",
    "job": {"collective": "broadcast", "algorithm": "flat", "bytes": "1 MiB"},
}
STUCK = "05-deadlock"
PARTS = {"cluster": "star8", "library": "rdma", "placement": "1x4", "job": "allreduce/ring:1MiB"}
LONG = {"scenario": "02-ring-of-8", "set": {"placement": "2-2-2-2", "job.repetitions": 100000,
                                            "job.skew": "1 us", "job.bytes": "64 MiB"}}


def program(*words, check=True):
    return subprocess.run([BUILD / "ringscope", *words], capture_output=True, text=True,
                          check=check, timeout=120)


def without_clock(document):
    """A document without what differs from run to run."""
    if isinstance(document, dict):
        return {key: without_clock(value) for key, value in document.items()
                if key not in ("wall_s", "peak_rss_bytes")}
    return [without_clock(one) for one in document] if isinstance(document, list) else document


class InNotebooks(unittest.TestCase):
    def test_a_table_has_times_and_shares_of_the_critical_path(self):
        cases = ringscope.run("03-anomaly")
        table = cases._repr_html_()
        for case in cases:
            causes = collections.Counter()
            for part in case.critical_path:
                causes[part["cause"]] += part["seconds"]
            (most, seconds), = causes.most_common(1)
            self.assertIn(f"<td>{case.name}</td><td>{1e3 * case.time_s:.1f} ms</td><td>{most} "
                          f"{100 * seconds / causes.total():.0f} %, ", table)

    def test_names_are_no_tags(self):
        case = {"name": "a<b", "set": {}}
        self.assertIn("a&lt;b</td>", ringscope.run({**PING, "cases": [case]})._repr_html_())

    def test_other_answers_are_their_screen(self):
        places = ringscope.place(PING)
        self.assertEqual(html.unescape(places._repr_html_()), f"<pre>{places}</pre>")

    def test_the_lesson_is_the_page_of_the_program_in_a_frame(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.html"
            program("lesson", "03-anomaly", "--set", "job.bytes=1 MiB", "-o", path)
            page = ringscope.run("03-anomaly", set={"job.bytes": "1 MiB"}).lesson()
            self.assertEqual(page, path.read_text(encoding="utf-8"))
            source = pathlib.Path(folder) / "scenario.yaml"
            source.write_text(json.dumps(PING), encoding="utf-8")
            program("lesson", source, "-o", path)
            self.assertEqual(ringscope.run(PING).lesson(), path.read_text(encoding="utf-8"))
        self.assertRegex(page._repr_html_(), r'^<iframe srcdoc="&lt;!DOCTYPE html&gt;[^"]*" ')

    def test_a_lesson_needs_the_program(self):
        with unittest.mock.patch("ringscope._project.program", lambda: ""), \
                self.assertRaisesRegex(FileNotFoundError, "expected the program `ringscope`"):
            ringscope.run(PING).lesson()


class Documents(unittest.TestCase):
    def test_are_those_of_the_program(self):
        for command, ask in (("run", ringscope.run), ("compare", ringscope.compare),
                             ("explain", ringscope.explain)):
            with self.subTest(command):
                written = json.loads(program(command, "03-anomaly", "--json", "-").stdout)
                self.assertEqual(without_clock(ask("03-anomaly").document()),
                                 without_clock(written))

    def test_parts_in_place_of_a_scenario_are_the_options_of_the_program(self):
        words = [word for name, value in PARTS.items() for word in (f"--{name}", value)]
        for command, ask in (("run", ringscope.run), ("compare", ringscope.compare),
                             ("explain", ringscope.explain)):
            written = json.loads(program(command, *words, "--json", "-").stdout)
            found = without_clock(ask(**PARTS).document())
            self.assertEqual(str(found["cases"]).replace("'scenario'", "'job'"),
                             str(without_clock(written)["cases"]).replace("'scenario'", "'job'"))
        self.assertEqual(ringscope.run("02-ring-of-8", bytes="1 KiB")[0].time_s,
                         ringscope.run("02-ring-of-8", set={"job.bytes": "1 KiB"})[0].time_s)
        self.assertEqual(ringscope.run(**PARTS, set={"job.bytes": "2 MiB"})[0].time_s,
                         ringscope.run(**PARTS, bytes="2 MiB")[0].time_s)
        with self.assertRaisesRegex(ringscope.InputError, "'--clustr'; did you mean '--cluster'"):
            ringscope.run("02-ring-of-8", clustr="star8")
        with self.assertRaisesRegex(ValueError, "expected COLLECTIVE/ALGORITHM:BYTES"):
            ringscope.run("02-ring-of-8", job="ring")

    def test_every_option_of_the_program_is_a_keyword_argument(self):
        short = {"job.bytes": "1 MiB"}
        for command, ask, options in (
                ("run", ringscope.run, {"exact": True, "time_limit": 60}),
                ("run", ringscope.run, {"no_fold": True, "case": "4-3-1"}),
                ("compare", ringscope.compare, {"against": "4-3-1"}),
                ("explain", ringscope.explain, {"case": "4-2-2", "all": True})):
            with self.subTest(command, options=options):
                words = ["--set", "job.bytes=1 MiB"]
                for name, value in options.items():
                    said = f"{value} s" if name == "time_limit" else value
                    words += [f"--{name.replace('_', '-')}", *[said] * (value is not True)]
                found = ask("03-anomaly", set=short, **options)
                self.assertEqual(str(found), program(command, "03-anomaly", *words).stdout)
                written = json.loads(program(command, "03-anomaly", *words, "--json", "-").stdout)
                self.assertEqual(without_clock(found.document()), without_clock(written))
                self.assertEqual(len(found.frame()), len(found))
                self.assertGreater(len(found.timeline()), 0)
                self.assertIn("<html", found.lesson())
        with self.assertRaisesRegex(ringscope.InputError, "--time-limit"):
            ringscope.run(LONG["scenario"], set={**LONG["set"], "job.repetitions": 10 ** 6},
                          time_limit=0.2)
        with self.assertRaisesRegex(ringscope.DeadlockError, "wait"):
            ringscope.run(STUCK, exact=True)

    def test_other_commands_answer_as_the_program(self):
        path = str(ROOT / "scenarios/lessons/03-anomaly.yaml")
        self.assertEqual(ringscope.show("star8"), program("show", "star8", "--quiet").stdout)
        self.assertEqual(ringscope.show("star8", **{"from": "host0", "to": "host3"}),
                         program("show", "star8", "--from", "host0", "--to", "host3").stdout)
        self.assertEqual(ringscope.check(path), program("check", path).stdout)
        with self.assertRaisesRegex(ringscope.InputError, "did you mean 'broadcast'"):
            ringscope.check({**PING, "job": {"collective": "broadcst"}})
        words = ("h100_nvswitch", "--bytes", "1MiB,8MiB", "--format")
        self.assertEqual(ringscope.estimate("h100_nvswitch", bytes="1MiB,8MiB"),
                         json.loads(program("estimate", *words, "json").stdout))
        self.assertEqual(ringscope.estimate(cluster="h100_nvswitch", bytes="1MiB,8MiB",
                                            format="csv"),
                         program("estimate", *words, "csv").stdout)
        model = {"layers": 4, "hidden": 1024, "heads": 8, "sequence": 1024}
        found = ringscope.advise(model, {"base": "h100_nvswitch", "hosts": 1}, gpus=4, batch=8)
        self.assertEqual({split["gpus"] if "gpus" in split else 4 for split in found["splits"]},
                         {4})
        told = ringscope.predict({**PING, "library": {"base": "rdma", "spread": {
            "several_hosts": [{"low": 0.5, "high": 2}]}}}, bytes="2 MiB")
        self.assertAlmostEqual(told["cases"][0]["high_s"], 2 * told["cases"][0]["time_s"])

    def test_names_are_those_that_the_program_lists(self):
        for line in program("list").stdout.splitlines():
            kind, count = line.split()
            self.assertEqual(len(set(ringscope.names(kind))), int(count), kind)
        with self.assertRaisesRegex(ringscope.InputError, "trcs.*known: .*traces"):
            ringscope.names("trcs")

    def test_screens_are_those_of_the_program(self):
        for command, ask in (("run", ringscope.run), ("compare", ringscope.compare),
                             ("explain", ringscope.explain)):
            with self.subTest(command):
                self.assertEqual(str(ask("03-anomaly")), program(command, "03-anomaly").stdout)

    def test_settings_are_laid_over_the_scenario(self):
        written = json.loads(program("run", "03-anomaly", "--set", "placement=5-3",
                                     "--set", "job.bytes=1 MiB", "--json", "-").stdout)
        cases = ringscope.run("03-anomaly", set={"placement": "5-3", "job.bytes": f"{1 << 20} B"})
        self.assertEqual([case.time_s for case in cases],
                         [case["time_s"] for case in written["cases"]])

    def test_the_timeline_is_that_of_the_program(self):
        frame = ringscope.run("03-anomaly", record=True).timeline()
        rows = program("run", "03-anomaly", "--timeline", "-").stdout.splitlines()
        self.assertEqual((list(frame.columns), len(frame)), (rows[0].split(","), len(rows) - 1))


class Questions(unittest.TestCase):
    def test_may_be_a_dict_whose_time_is_that_of_the_formula(self):
        # One message on an ideal library: latency and bytes over bandwidth.
        time_s = ringscope.run(PING).only.time_s
        self.assertAlmostEqual(time_s / (2 * 5e-6 + (1 << 20) * 8 / 10e9), 1, places=9)

    def test_may_be_yaml_a_file_or_a_name(self):
        path = ROOT / "scenarios/lessons/01-two-hosts.yaml"
        times = {tuple(case.time_s for case in ringscope.run(question))
                 for question in (path, str(path), path.read_text(), "01-two-hosts")}
        self.assertEqual(len(times), 1)

    def test_hold_numbers_of_numpy_as_well(self):
        import numpy
        cluster = {**PING["cluster"], "hosts": numpy.int64(2)}
        self.assertEqual(ringscope.run({**PING, "cluster": cluster}).only.time_s,
                         ringscope.run(PING).only.time_s)


class Errors(unittest.TestCase):
    def test_bad_input_is_a_value_error_that_says_where_and_what_is_known(self):
        with self.assertRaises(ValueError) as caught:
            ringscope.run({**PING, "libary": "ideal"})
        self.assertIsInstance(caught.exception, ringscope.InputError)
        self.assertRegex(str(caught.exception), r"scenario:\d+:\d+: .*did you mean 'library'")

    def test_a_name_that_is_none_suggests_one(self):
        with self.assertRaisesRegex(ringscope.InputError, "did you mean '03-anomaly'"):
            ringscope.run("03-anomly")

    def test_an_unknown_kernel_names_those_that_are_there(self):
        with self.assertRaisesRegex(ringscope.InputError, "known: .*fluid"):
            ringscope.run(PING, kernel="flud")

    def test_a_deadlock_says_who_waits_for_whom(self):
        with self.assertRaisesRegex(ringscope.DeadlockError, "rank"):
            ringscope.run(STUCK)

    def test_more_than_the_memory_is_refused_before_it_is_tried(self):
        with self.assertRaisesRegex(ringscope.InputError, "memory"):
            ringscope.run("02-ring-of-8", set={"cluster": "star64", "placement": {
                "hosts": "256x64", "oversubscribe": True},
                "job.collective": "alltoall", "job.algorithm": "posted"}, fold=False)

    def test_memory_is_asked_for_ranks_that_are_simulated(self):
        # 65,536 ranks, of which 8 are simulated, in half a gigabyte of addresses more than now.
        code = ("import resource, ringscope\n"
                "now = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
                "resource.setrlimit(resource.RLIMIT_AS, (now + (1 << 29),) * 2)\n"
                "run = ringscope.run('02-ring-of-8', set={'placement': '8x8192', "
                "'cluster': {'base': 'star8', 'hosts': 8192}})\n"
                "print(len(str(run)) > 0)")
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                             check=False, timeout=120)
        self.assertEqual((ran.returncode, ran.stdout), (0, "True\n"), ran.stderr)

    def test_a_case_that_is_not_there_names_those_that_are(self):
        with self.assertRaisesRegex(KeyError, "4-2-2"):
            ringscope.run("03-anomaly").named("4-2-1")


class LongRuns(unittest.TestCase):
    def test_an_interrupt_ends_them(self):
        code = (f"import ringscope\nprint('begun', flush=True)\n"
                f"ringscope.run({LONG['scenario']!r}, set={LONG['set']!r}, skip=False)")
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "begun\n")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", error)
        self.assertNotIn("%", error)  # no bar in a pipe

    def test_leave_other_threads_running(self):
        ticks, ended = [], threading.Event()

        def tick():
            while not ended.wait(0.01):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        begin = time.monotonic()
        ringscope.run(LONG["scenario"], set={**LONG["set"], "job.repetitions": 300}, skip=False)
        end = time.monotonic()
        ended.set()
        thread.join()
        gaps = [b - a for a, b in zip([begin, *ticks], [*ticks, end])]
        self.assertLess(max(gaps), 0.8 * (end - begin))

    def test_tell_how_far_they_are(self):
        shares = []
        ringscope.run(LONG["scenario"], set={**LONG["set"], "job.repetitions": 1000}, skip=False,
                      progress=shares.append)
        self.assertTrue(shares)
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(all(0 <= share <= 1 and math.isfinite(share) for share in shares))


class Figures(unittest.TestCase):
    def test_have_a_panel_for_each_case(self):
        figure = ringscope.figure(ringscope.run("03-anomaly", record=True))
        self.assertEqual(len(figure.axes), 2)

    def test_figure_without_recording_explains_how_to_record(self):
        with self.assertRaisesRegex(ValueError, "record=True"):
            ringscope.figure(ringscope.run("03-anomaly"))


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    os.chdir(ROOT)
    unittest.main()
