# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do whole collectives tell what a ping-pong cannot: jitter, and the cores' part of the time?

The simulator measures a cluster whose values are known. Usage:
python3 -m validation.calibration.fit.collectives_test BUILD
"""

import contextlib
import dataclasses
import io
import itertools
import os
import pathlib
import sys
import unittest
from unittest import mock

import numpy as np

from common.programs import InputError
from common.quantities import format_bandwidth, parse_quantity
from validation.calibration.fit import (alone, calibration, collectives, cores, draws, parameters,
                                        profile, report)
from validation.calibration.fit.segments import constant
from validation.calibration.fit.synthetic_for_test import TCP, Cluster
from validation.calibration.fit.unknowns import Unknown
from validation.calibration.verdict import model
from validation.calibration.verdict.simulator import Simulator
from validation.calibration.verdict.waits import share_of
from validation.measurements import Document, Measurement

HOSTS = 4
TRUTH = dataclasses.replace(TCP, latency=constant(20e-6), send_cost=0.6e-9, recv_cost=0.6e-9,
                            eager_limit=65535.0, unexpected_cost=0.0, late=(0.6,))


def probes(transport, with_calls):
    cluster = Cluster(noise=0.002)
    cluster.add_ping_pong(transport, "network")
    cluster.add_late_receiver(transport, "network")
    if with_calls:
        cluster.add_calls(transport, "network")
        cluster.add_streams(transport, "network")
    else:
        cluster.add_curve("stream", transport, "network", [1 << 20, 1 << 22], pairs=1,
                          directions=1, window=16,
                          form=lambda one, sizes: sizes * one.moving())
    cluster.add_reductions(0.1e-9)
    cluster.add_reductions(1e-15, what="copy", ranks=(1,))
    return cluster.document()


def replays(transport, algorithm, named=True, ranks=(HOSTS,), mpi="", per_host=1, detours=0.0,
            receiving=0.0):
    """Time of that transport's ring, by the simulator."""
    result = calibration.calibrate([probes(transport, True)], calibration.Settings(bootstrap=0))
    result.transports["network"].transport = transport
    result.host.detours, result.host.receiving = detours, receiving
    document = Document("replay.json", "replay", {"hosts": [], "mpi": mpi}, [
        Measurement("allreduce", {"bytes": size, "collective": "allreduce",
                                  "ranks_count": count * per_host,
                                  "hosts_count": count, "placement": f"{per_host}x{count}",
                                  "algorithm": algorithm}, 1.0, name=f"{size} B on {count}")
        for count in ranks for size in (4, 1024, 16384, 262144, 4194304)])
    loop = collectives.Loop(result, [document], Simulator(), calibration.Settings())
    for one, seconds in zip(document.measurements, loop.predict(result)):
        one.median_s = float(seconds)
        if not named:
            one.parameters["algorithm"] = ""
    return document


def posted(mpi: str, values: dict):
    """Non-blocking allreduces of 8 ranks of one host, in shared memory of these values."""
    document = Document("posted.json", "replay", {"hosts": [], "mpi": mpi}, [
        Measurement("allreduce", {"bytes": 4 ** power, "collective": "allreduce", "ranks_count": 8,
                                  "hosts_count": 1, "placement": "8", "algorithm": "",
                                  "compute_s": 0}, 1.0, name=f"{4 ** power} B")
        for power in range(1, 11)])
    if values:
        settings = calibration.Settings()
        loop = collectives.Loop(calibration.calibrate([probes(TRUTH, True)], settings), [document],
                                Simulator(), settings)
        alone.begin(loop.result, loop.cases)
        shm = loop.result.transports["shm"]
        shm.transport = alone.shm_with(shm.transport, values)
        for one, seconds in zip(document.measurements, loop.predict(loop.result)):
            one.median_s = float(seconds)
    return document


class Collectives(unittest.TestCase):
    settings = calibration.Settings(bootstrap=20)

    def calibrated(self, transport, algorithm, with_calls, **changes):
        documents = [probes(transport, with_calls), replays(transport, algorithm, **changes)]
        result = calibration.calibrate(documents, self.settings)
        parameters.add_intervals(result, self.settings)
        return result

    def test_tell_jitter(self):
        result = self.calibrated(TRUTH, "recursive_doubling", True)
        self.assertAlmostEqual(result.network.late[0], 0.6, delta=0.06)
        one = result.parameters["library.network.jitter.0.time"]
        self.assertAlmostEqual(one.value / 12e-6, 1, delta=0.12)
        self.assertTrue(one.low <= one.value <= one.high)
        self.assertIn("jitter", profile.library_of(result)["network"])

    def test_tell_how_much_of_a_byte_is_the_cores(self):
        steady = dataclasses.replace(TRUTH, late=())
        result = self.calibrated(steady, "ring", False)
        self.assertAlmostEqual(result.network.send_cost / 0.6e-9, 1, delta=0.1)
        self.assertLess(result.network.late[0], 0.1)
        self.assertNotIn("library.network.send_cost", result.assumed)

    def test_two_numbers_of_hosts_separate_detours_from_jitter(self):
        result = self.calibrated(TRUTH, "recursive_doubling", True, ranks=(HOSTS, 4 * HOSTS),
                                 detours=0.01)
        self.assertAlmostEqual(result.host.detours / 0.01, 1, delta=0.2)  # 3 % on 16 hosts
        self.assertAlmostEqual(result.network.late[0], 0.6, delta=0.06)
        one = result.parameters["library.detours"]
        self.assertTrue(one.low <= one.value <= one.high)
        self.assertAlmostEqual(share_of(profile.library_of(result)), one.value, delta=1e-5)

    def test_many_ranks_per_host_separate_link_from_core_costs(self):
        # One pair streams at 0.9 ns/B, its cores' rate; the link of 0.3 is full with four.
        slow = dataclasses.replace(TRUTH, late=(), send_cost=0.9e-9, recv_cost=0.9e-9, wire=0.3e-9)
        result = self.calibrated(slow, "recursive_doubling", False, per_host=4)
        self.assertAlmostEqual(result.network.wire / 0.3e-9, 1, delta=0.1)
        self.assertAlmostEqual(result.network.send_cost / 0.9e-9, 1, delta=0.1)
        link = result.parameters["cluster.link.bandwidth"]
        self.assertEqual(link.evidence, "collectives (wire_share)")
        self.assertTrue(link.low <= link.value <= link.high)
        self.assertEqual(profile.cluster_of(result)["link"]["bandwidth"],
                         format_bandwidth(link.value))

    def test_messages_slower_than_the_ping_pong_are_found_with_the_table(self):
        steady = dataclasses.replace(TRUTH, late=())
        result = self.calibrated(steady, "open_mpi_tuned_4_0", True, named=False, per_host=4,
                                 receiving=300e-6)
        self.assertAlmostEqual(result.host.receiving / 300e-6, 1, delta=0.05)
        self.assertEqual(result.algorithms, {"allreduce": "open_mpi_tuned_4_0"})
        self.assertNotIn("the algorithm of allreduce is a guess", result.notes)
        self.assertRegex(report.warnings_of(result)[0], "^a message of these collectives takes its "
                         "receiver (29[0-9]|30[0-9]) us longer than a message of ping_pong")
        overhead = profile.library_of(result)["shm"]["recv_overhead"]
        self.assertAlmostEqual(parse_quantity(overhead) / 300e-6, 1, delta=0.05)

    def test_one_host_tells_its_shared_memory(self):
        truth = {"shm_latency": 0.5, "shm_small": 0.3, "shm_handshake": 1.2, "shm_copy": 0.25}
        document = posted("Open MPI 4.0.5", truth)
        result = calibration.calibrate([document], self.settings)
        parameters.add_intervals(result, self.settings)
        for name, value in truth.items():
            one = result.parameters[parameters.SCALED[name][0]]
            self.assertAlmostEqual(one.value / parameters.SCALED[name][2] / value, 1, delta=0.1)
        self.assertNotIn("library.shm", result.assumed)
        self.assertEqual(report.warnings_of(result), [])
        self.assertEqual(len(draws.draw_again(result, self.settings).models), draws.COUNT)

    def test_collectives_alone_tell_a_network_whose_senders_wait(self):
        document = Document("alone.json", "replay", {"hosts": [], "mpi": "MPICH 4.2"}, [
            Measurement("allgather", {"bytes": size, "collective": "allgather", "ranks_count": 12,
                                      "hosts_count": 2, "placement": "6x2", "algorithm": name},
                        1.0, name=f"{name} {size} B")
            for name in ("bruck", "ring") for size in (96, 1536, 24576, 393216, 6291456)])
        settings = calibration.Settings(bootstrap=20, transport="rdma")
        loop = collectives.Loop(calibration.calibrate([probes(TRUTH, True)], settings), [document],
                                Simulator(), settings)
        shm, network = (loop.result.transports[way] for way in ("shm", "network"))
        loop.result.host.copy_cost = cores.USUAL_COPY
        shm.change(eager_limit=65536.0)
        shm.transport = alone.shm_with(shm.transport, {"shm_latency": 0.5, "shm_small": 0.3,
                                                       "shm_handshake": 1.2, "shm_copy": 0.25})
        network.transport = dataclasses.replace(calibration.USUAL_RDMA, latency=constant(4e-6),
                                                wire=0.05e-9, eager_limit=0.0)
        for one, seconds in zip(document.measurements, loop.predict(loop.result)):
            one.median_s = float(seconds)
        result = calibration.calibrate([document], settings)
        self.assertEqual(result.network.eager_limit, 0)
        self.assertLess(np.max(np.abs(result.collectives.errors)), 0.05)
        self.assertAlmostEqual(result.network.latency.times[0] / 4e-6, 1, delta=0.15)
        self.assertRegex(report.warnings_of(result)[0], "^no latency between hosts was measured")

    def test_non_blocking_collectives_go_by_their_own_tables(self):
        for mpi, name in (("openmpi@3.1.6", "open_mpi_libnbc"), ("", "open_mpi_libnbc"),
                          ("Open MPI v5.0.6", "open_mpi_libnbc_5_0"), ("mpich@3.3.2", "mpich_4")):
            loop = collectives.Loop(calibration.calibrate([probes(TRUTH, True)], self.settings),
                                    [posted(mpi, {})], Simulator(), self.settings)
            fitted = model.Model("", {}, {}, {"algorithms": {"allreduce": "ring"}})
            self.assertEqual({fitted.algorithm_of(case) for case in loop.cases}, {name})

    def test_library_choice_is_predicted_by_its_rules(self):
        result = self.calibrated(TRUTH, "open_mpi_tuned_4_0", True, named=False, ranks=(2, HOSTS))
        self.assertEqual(result.algorithms, {"allreduce": "open_mpi_tuned_4_0"})
        self.assertEqual(sum("allreduce" in key for key in result.fitted), 10)

    def test_fits_by_each_table_tell_them_apart_on_one_number_of_ranks(self):
        result = self.calibrated(TRUTH, "open_mpi_tuned_4_0", True, named=False)
        self.assertEqual(result.algorithms, {"allreduce": "open_mpi_tuned_4_0"})
        self.assertRegex(result.assumed["algorithm of allreduce"], "^open_mpi_tuned_4_0, by whose "
                         r"fit the collectives err least \(open_mpi_tuned \d+%, ")
        self.assertEqual(result.tables, {"allreduce": ["open_mpi_tuned_4_0"]})
        self.assertNotIn("the algorithm of allreduce is a guess", result.notes)

    def test_known_version_uses_its_table(self):
        for mpi, name in (("Open MPI 4.0.5", "open_mpi_tuned_4_0"),
                          ("Open MPI v4.1.4", "open_mpi_tuned"),
                          ("Open MPI v5.0.6", "open_mpi_5_0"), ("MPICH 4.0.2", "mpich_4")):
            document = replays(TRUTH, name, named=False, mpi=mpi)
            result = calibration.calibrate([probes(TRUTH, True)], self.settings)
            loop = collectives.Loop(result, [document], Simulator(), self.settings)
            collectives.choose_algorithms(loop)
            self.assertEqual((loop.algorithms, loop.rounds), ({}, 0))
            fitted = model.Model("", {}, {}, {})
            self.assertEqual({fitted.algorithm_of(case) for case in loop.cases}, {name})

    def test_emulated_and_plain_times_are_two_machines(self):
        document = replays(TRUTH, "ring")
        document.where["emulated"] = "send 8 ns/B, slept"
        with self.assertRaisesRegex(InputError, "where.emulated: expected the same in all documents"
                                    ".*replay.json: 'send 8 ns/B, slept'"):
            calibration.calibrate([probes(TRUTH, True), document], self.settings)

    def test_are_fitted_to_the_same_however_slow_the_machine_is(self):
        hours = itertools.count(0, 3600)
        with mock.patch("time.monotonic", lambda: next(hours)):
            slow = self.calibrated(TRUTH, "recursive_doubling", True)
        again = self.calibrated(TRUTH, "recursive_doubling", True)
        self.assertTrue(slow.collectives.converged)
        np.testing.assert_array_equal(slow.collectives.values, again.collectives.values)

    def test_exhausted_rounds_are_a_warning(self):
        said = io.StringIO()
        settings = dataclasses.replace(self.settings, rounds=3)
        documents = [probes(TRUTH, True), replays(TRUTH, "recursive_doubling")]
        with contextlib.redirect_stderr(said):
            result = calibration.calibrate(documents, settings)
        self.assertFalse(result.collectives.converged)
        self.assertRegex(said.getvalue(), "^warning: .* did not converge: its 3 rounds")
        self.assertIn("did not converge", report.text_of(result))

    def test_may_be_chosen_by_a_parameter(self):
        document = replays(TRUTH, "ring")
        settings = dataclasses.replace(self.settings, only={"hosts_count": ["3", "5"]})
        with self.assertRaisesRegex(InputError, "--only hosts_count=3 or 5: expected replays"):
            calibration.calibrate([probes(TRUTH, True), document], settings)

    def test_may_be_chosen_by_several_values_of_it(self):
        document = replays(TRUTH, "ring", ranks=(2, 3, HOSTS))
        settings = dataclasses.replace(self.settings, only={"hosts_count": ["2", "4"]})
        (kept,) = calibration.chosen_replays([document], settings)
        self.assertEqual([one.parameters["hosts_count"] for one in kept.measurements],
                         5 * [2] + 5 * [4])


class Few(unittest.TestCase):
    """Three cases, each of which takes as long as the first of two unknowns says."""

    class Loop:
        cases, left, cut, result = [1, 2, 3], 100, False, None

        def measured(self):
            return np.ones(3)

        def predict(self, values):
            return np.full(3, values[0] / 0.6)

    def test_unidentified_unknown_keeps_its_start_value(self):
        unknowns = [Unknown("told", 0.3, 0.0, 1.0), Unknown("not told", 0.5, 0.0, 1.0)]
        start = np.array([one.start for one in unknowns])
        with mock.patch.object(collectives, "with_values", lambda _, __, values: values):
            held = collectives.fit_unknowns(self.Loop(), unknowns, start, 50, True)
            free = collectives.fit_unknowns(self.Loop(), unknowns, start, 50)
        self.assertAlmostEqual(free.values[0], 0.6, delta=0.01)
        # Held to 0.3, too, which counts as one measurement that is as uncertain as itself.
        self.assertTrue(0.55 < held.values[0] < 0.6, held.values)
        self.assertAlmostEqual(held.values[1], 0.5, delta=0.01)
        self.assertEqual((len(held.residuals), len(held.pulls), len(free.pulls)), (3, 2, 0))

    def test_errors_that_are_kept_are_those_of_the_predictions(self):
        class Loop(self.Loop):
            left = 1000

            def measured(self):
                return np.array([1.0, 1.0, 1.0, 20.0])

            def predict(self, values):
                return np.full(4, values[0] / 0.6)

        unknowns = [Unknown("told", 0.3, 0.0, 1.0)]
        with mock.patch.object(collectives, "with_values", lambda _, __, values: values):
            fit = collectives.fit_unknowns(Loop(), unknowns, np.array([0.3]), 50)
        np.testing.assert_allclose(fit.errors, fit.predicted / Loop().measured() - 1)
        self.assertGreater(np.min(fit.errors), -1)


if __name__ == "__main__":
    os.environ["RINGSCOPE"] = str(pathlib.Path(sys.argv[1]).resolve() / "ringscope")
    unittest.main(argv=sys.argv[:1])
