# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the fit find the GPUs that the probes were measured on, and write what the simulator reads?

Usage: python3 -m validation.calibration.fit.gpus_test BUILD
"""

import dataclasses
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from common.programs import InputError
from validation.calibration.fit import calibration, parameters, profile, report
from validation.calibration.fit.gpus import Line
from validation.measurements import Document, Measurement

VALIDATION = pathlib.Path(__file__).resolve().parents[2]

BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else None
SIZES = [4096 * 4**power for power in range(8)]
SEGMENT = float(1 << 20)


@dataclasses.dataclass
class Machine:
    """GPUs whose engines make one copy after the other."""
    h2d: Line = Line(1.5e-6, 1 / 24e9)
    d2h: Line = Line(2e-6, 1 / 20e9)
    d2d: Line = Line(1e-6, 1 / 800e9)
    peer: Line = Line(3e-6, 1 / 40e9)
    reduction: Line = Line(2e-6, 1 / 500e9)
    pageable: Line = Line(5e-6, 1 / 5e9)
    notice: float = 4e-6
    both: float = 0.0  # bytes/s together; 0: each way by itself
    engines: int = 2

    def copy(self, direction, memory, size):
        if direction == "d2d":
            return self.d2d(size)
        ways = [self.pageable] * 2 if memory == "pageable" else [self.h2d, self.d2h]
        if direction != "both":
            return ways[direction == "d2h"](size)
        times = [way(size) for way in ways]
        together = max(times) if self.engines == 2 else sum(times)
        return max(together, 2 * size / self.both if self.both else 0.0)

    def staged(self, size, segment):
        pieces, first = math.ceil(size / segment), min(size, segment)
        up, down = self.d2h(first), self.h2d(first)
        return up + down + (pieces - 1) * max(up, down)


def document(machine=Machine(), noise=0.003, gpus=2, peers=True):
    random = np.random.default_rng(3)
    points = []

    def add(what, seconds, **settings):
        samples = list(seconds * np.exp(random.normal(0, noise, 9)))
        points.append(Measurement(what, settings, float(np.median(samples)), samples))

    for size in SIZES:
        for gpu in range(gpus):
            for direction in ("h2d", "d2h", "both", "d2d"):
                for memory in ("device",) if direction == "d2d" else ("pinned", "pageable"):
                    seconds = machine.copy(direction, memory, size)
                    copy = {"bytes": size, "gpu": gpu, "direction": direction, "memory": memory}
                    add("gpu_copy", seconds, **copy, streams=1)
                    if direction != "both":
                        add("gpu_copy_done", seconds + machine.notice, **copy)
            add("gpu_reduction", machine.reduction(size), bytes=size, gpu=gpu)
        if peers and gpus > 1:
            pair = {"bytes": size, "from": 0, "to": 1, "access": "peer"}
            add("gpu_peer_copy", machine.peer(size), **pair, directions=1)
            add("gpu_peer_copy_done", machine.peer(size) + machine.notice, **pair)
        for segment in (SEGMENT / 4, SEGMENT, 4 * SEGMENT):
            if size >= segment:
                add("staged_pipeline", machine.staged(size, segment), bytes=size, gpu=0,
                    segment=int(segment), memory="pinned")
    return Document("gpus.json", "probes", {"hosts": ["a"] * gpus, "cpu": "a CPU",
                                            "devices": ["a GPU"] * gpus}, points)


def calibrated(one, **settings):
    settings = calibration.Settings(bootstrap=20, segment=SEGMENT, **settings)
    result = calibration.calibrate([one], settings)
    parameters.add_intervals(result, settings)
    return result


class Known(unittest.TestCase):
    """Parameters come back within 3 %: three times what the drawn noise leaves of a slope."""
    machine = Machine()

    @classmethod
    def setUpClass(cls):
        cls.result = calibrated(document(cls.machine))

    def expect(self, name, truth, slack=0.03):
        one = self.result.parameters[name]
        self.assertAlmostEqual(one.value / truth, 1, delta=slack, msg=name)
        self.assertLessEqual(one.low, truth * (1 + slack), name)
        self.assertGreaterEqual(one.high, truth * (1 - slack), name)

    def test_bandwidths_are_of_copies_of_a_segment(self):
        gpu = "cluster.host.gpu"
        self.expect(f"{gpu}.send_bandwidth", SEGMENT / self.machine.d2h(SEGMENT))
        self.expect(f"{gpu}.receive_bandwidth", SEGMENT / self.machine.h2d(SEGMENT))
        self.expect(f"{gpu}.memory_bandwidth", 2 / self.machine.d2d.cost)
        self.expect(f"{gpu}.peer_bandwidth", 1 / self.machine.peer.cost)

    def test_a_staged_message_is_a_pipeline_paced_by_its_slower_copy(self):
        pace = self.machine.d2h(SEGMENT) / SEGMENT
        self.expect("library.staged.gap", self.machine.d2h.time / pace, 0.1)
        values = {name.removeprefix("library.staged."): one.value
                  for name, one in self.result.parameters.items()}
        for size in SIZES:
            segment = "0" if size <= SEGMENT else "1"
            told = (values["gap"] + size) * pace + values[f"latency.{segment}.time"] + \
                size * values.get(f"latency.{segment}.cost", 0.0)
            truth = self.machine.staged(size, SEGMENT) + 2 * self.machine.notice
            self.assertAlmostEqual(told / truth, 1, delta=0.08, msg=str(size))

    def test_kernels_have_their_launch_and_their_rate(self):
        self.expect("library.gpu.launch", self.machine.reduction.time, 0.05)
        self.expect("library.gpu.reduce_cost", self.machine.reduction.cost)
        self.assertTrue(any("a reduction moves 94%" in note for note in self.result.notes),
                        self.result.notes)

    def test_copy_completion_is_noticed_late(self):
        self.expect("library.p2p.latency", self.machine.notice, 0.1)
        self.expect("library.p2p.gap", self.machine.peer.time / self.machine.peer.cost, 0.1)

    def test_the_fit_says_how_well_it_fits_and_what_it_has_seen(self):
        errors = report.errors_of(self.result)
        for what in ("gpu_copy", "gpu_copy_done", "gpu_peer_copy", "gpu_reduction",
                     "staged_pipeline"):
            self.assertLess(errors[what]["median"], 0.01, what)
        self.assertTrue(any(key.startswith("gpu_copy bytes=4096") for key in self.result.fitted))
        self.assertNotIn("Progress", report.text_of(self.result))


class Directions(unittest.TestCase):
    def host(self, **settings):
        found = profile.cluster_of(calibrated(document(dataclasses.replace(Machine(),
                                                                           **settings))))
        return found["host"]["gpu"]

    def test_two_engines_copy_both_ways_at_once(self):
        gpu = self.host()
        self.assertEqual(gpu["copy_engines"], 2)
        self.assertNotIn("both", gpu)

    def test_one_engine_makes_one_copy_after_the_other(self):
        gpu = self.host(engines=1)
        self.assertEqual(gpu["copy_engines"], 1)
        self.assertIn("copy_bandwidth", gpu)

    def test_both_directions_may_share_a_limit(self):
        self.assertRegex(self.host(both=30e9)["both"], r"^(29|30)")


class MatrixAlone(unittest.TestCase):
    """p2pBandwidthLatencyTest prints copies between GPUs, and none to or from their host."""

    def test_links_are_as_fast_as_copies_without_peer_access(self):
        ways = {"staged": Line(11e-6, 1 / 11e9), "peer": Line(1e-6, 1 / 10e9)}
        points = [Measurement("gpu_peer_copy", {"bytes": size, "from": one, "to": 1 - one,
                                                "access": access, "directions": 1},
                              line(size), [line(size)])
                  for access, line in ways.items() for size in (16, 40_000_000) for one in (0, 1)]
        result = calibrated(Document("p2p.json", "probes", {"hosts": ["a"] * 2}, points))
        host = profile.cluster_of(result)["host"]
        self.assertEqual(host["peer_access"], "all")
        self.assertEqual((host["gpu"]["bandwidth"], host["gpu"]["peer_bandwidth"]),
                         ("11 GB/s", "10 GB/s"))
        self.assertEqual(profile.library_of(result)["staged"]["latency"][1], {"time": "11 us"})
        self.assertIn("cluster.host.gpu.send_bandwidth", result.gpus.assumed)


class Refused(unittest.TestCase):
    def test_without_copies_to_and_from_the_host(self):
        one = document()
        one.measurements = [point for point in one.measurements if point.what != "gpu_copy"]
        with self.assertRaisesRegex(InputError, "expected copies h2d and d2h of pinned memory"):
            calibrated(one)


class File(unittest.TestCase):
    """The simulator reads what was written; a message takes what the fit says."""

    def seconds(self, result, job, placement, changes=None):
        library = profile.library_of(result)
        cluster = profile.cluster_of(result)
        cluster["host"] |= changes or {}
        scenario = {"question": "?", "cluster": cluster, "library": library,
                    "placement": placement, "job": job}
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump(scenario, file)
            file.flush()
            ran = subprocess.run([BUILD / "ringscope", "run", file.name, "--json", "-"],
                                 check=False, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)["cases"][0]["times_s"][0]

    def test_is_read_and_gives_a_ping_pong_its_time(self):
        machine, size = Machine(), 1 << 24
        result = calibrated(document(machine))
        job = {"collective": "pingpong", "algorithm": "blocking", "bytes": f"{size} B"}
        on_two = [{"host": 0, "gpu": 0}, {"host": 0, "gpu": 1}]
        for changes, truth in (({}, machine.peer(size) + machine.notice),
                               ({"peer_access": "none"},
                                machine.staged(size, SEGMENT) + 2 * machine.notice)):
            told = self.seconds(result, job, on_two, changes) / 2
            self.assertAlmostEqual(told / truth, 1, delta=0.05, msg=str(changes))

    def test_pageable_memory_is_copied_by_the_core(self):
        machine, size = Machine(), 1 << 24
        result = calibrated(document(machine), memory="pageable")
        told = self.seconds(result, {"collective": "pingpong", "algorithm": "blocking",
                                     "bytes": f"{size} B"},
                            [{"host": 0, "gpu": 0}, {"host": 0, "gpu": 1}],
                            {"peer_access": "none"}) / 2
        pieces = size / SEGMENT
        self.assertAlmostEqual(told / (2 * pieces * machine.pageable(SEGMENT)), 1, delta=0.1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
