# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are values of a busy machine omitted where its other probes refute them, and kept elsewhere?"""

import dataclasses
import math
import unittest

from common.programs import InputError
from validation.calibration.fit import calibration, parameters, profile, report
from validation.calibration.fit.synthetic_for_test import SHM, SIZES, TCP, Cluster

KIB, MIB = 1 << 10, 1 << 20
SUM, COPY = 0.12e-9, 0.06e-9  # s/B of one rank
SETTINGS = calibration.Settings(bootstrap=0)


def measured(slow=lambda one: 1.0, memory=math.inf, **where):
    """A host of two cores and its network. `slow`: times as long as on a quiet machine, of a
    measurement."""
    cluster = Cluster(noise=0.005, **where)
    for way, one in (("shm", SHM), ("network", TCP)):
        for add in (cluster.add_ping_pong, cluster.add_late_receiver, cluster.add_calls):
            add(one, way)
    cluster.add_streams(TCP, "network")
    for size in SIZES[5:]:
        cluster.add("exchange", 1.3e-6 + size * SHM.recv_cost, bytes=size, way="shm", set=size)
    for what, cost, uses in (("reduction", SUM, 3), ("copy", COPY, 2)):
        for size in SIZES[6:] + [64 * KIB]:
            for ranks in (1, 2):
                cluster.add(what, size * max(cost, uses * ranks / memory), bytes=size, ranks=ranks)
    for one in cluster.measurements:
        times = slow(one)
        one.median_s *= times
        one.samples_s = [times * sample for sample in one.samples_s]
    return cluster.document()


def calibrated(document):
    result = calibration.calibrate([document], SETTINGS)
    parameters.add_intervals(result, SETTINGS)
    return result


def written(result):
    return profile.cluster_of(result), profile.library_of(result)


def two_ranks_slow(from_size, times):
    """Reductions of two ranks that share a busy core, as long ones do; short ones are lucky."""
    return lambda one: times if (one.what == "reduction" and one.parameters["ranks"] == 2
                                 and one.parameters["bytes"] >= from_size) else 1.0


class BusyMachine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.quiet = calibrated(measured())

    def expect_omitted(self, slow, name, *words):
        """The value is omitted with its reason; returns the fit."""
        result = calibrated(measured(slow))
        found = [one for one in report.warnings_of(result) if one.startswith(f"{name} ")]
        self.assertEqual(len(found), 1, report.warnings_of(result))
        for word in (*words, "at least, and took", ": measure again"):
            self.assertIn(word, found[0])
        self.assertIn(found[0], result.notes)
        self.assertIn(found[0], report.text_of(result))
        return result

    def test_quiet_machine_is_fitted_without_warnings(self):
        self.assertEqual(report.warnings_of(self.quiet), [])
        self.assertEqual(self.quiet.doubts, [])

    def test_memory_bandwidth_slower_than_one_rank_alone_is_omitted(self):
        """Two ranks took 238 us for 256 KiB and one 31.6."""
        result = self.expect_omitted(two_ranks_slow(256 * KIB, 238 / 31.6),
                                      "cluster.host.memory_bandwidth",
                                      "omitted: reduction (bytes 65536, ranks 2) would take")
        self.assertEqual(written(result), written(self.quiet))
        self.assertIn("omitted", result.undetermined["cluster.host.memory_bandwidth"])
        self.assertFalse(any("bytes=1048576 ranks=2" in key for key in result.fitted))

    def test_memory_bandwidth_that_sums_in_caches_exceed_is_omitted(self):
        """Two ranks on one core take twice as long, as ranks that share a memory may."""
        result = self.expect_omitted(two_ranks_slow(256 * KIB, 2.0),
                                      "cluster.host.memory_bandwidth")
        self.assertEqual(written(result), written(self.quiet))

    def test_memory_bandwidth_that_all_probes_share_is_kept(self):
        """2 ranks ask for 2 x 3 / 0.12 ns = 50 GB/s, a message for 2 / 0.2 ns = 10 GB/s."""
        result = calibrated(measured(memory=36e9))
        self.assertAlmostEqual(result.host.memory / 36e9, 1, delta=0.02)
        self.assertEqual(report.warnings_of(result), [])

    def test_costs_of_one_rank_that_two_at_once_undercut_are_omitted(self):
        for what, name in (("reduction", "reduce_cost"), ("copy", "copy_cost")):
            with self.subTest(what):
                result = self.expect_omitted(
                    lambda one, what=what: 3.0 if one.what == what and one.parameters["ranks"] == 1
                    else 1.0, f"library.{name}", f"{what} (bytes", "ranks 2)")
                self.assertAlmostEqual(getattr(result.host, name)
                                       / getattr(self.quiet.host, name), 1, delta=0.02)

    def test_calls_longer_than_a_whole_ping_pong_are_omitted(self):
        for what, name in (("send_call", "send_overhead"), ("recv_call", "recv_overhead")):
            with self.subTest(what):
                result = self.expect_omitted(
                    lambda one, what=what: 12.0 if one.what == what
                    and one.parameters["way"] == "shm" else 1.0, f"library.shm.{name}", "ping_pong")
                errors = report.errors_of(result)
                self.assertLess(errors["ping_pong shm"]["median"], 0.05)

    def test_slope_of_calls_that_also_wait_is_omitted(self):
        """One receive of 4 B took 1.28 ms, and 362 ns for each byte of 4 KiB came of it."""
        cluster = Cluster(noise=0.005)
        cluster.add_streams(SHM, "shm")
        document = measured(lambda one: 1.0 if one.what != "recv_call"
                            or one.parameters["way"] != "shm" else
                            3.0 if one.parameters["bytes"] == SIZES[0] else 3000.0)
        document = dataclasses.replace(document,
                                       measurements=document.measurements + cluster.measurements)
        result = calibrated(document)
        self.assertEqual([one.split(" omitted: ping_pong")[0] for one in result.doubts],
                         ["library.shm.recv_cost by recv_call"])
        self.assertLess(report.errors_of(result)["ping_pong shm"]["median"], 0.1)

    def test_exchanges_far_slower_than_ping_pongs_are_omitted(self):
        result = self.expect_omitted(lambda one: 8.0 if one.what == "exchange" else 1.0,
                                      "library.shm.recv_cost", "by exchanges omitted: ping_pong")
        self.assertLess(report.errors_of(result)["ping_pong shm"]["median"], 0.05)

    def test_copies_by_streams_far_slower_than_ping_pongs_are_omitted(self):
        """Between ranks that share busy cores, without exchanges."""
        document = measured()
        cluster = Cluster(noise=0.005)
        cluster.add_streams(SHM, "shm")
        for one in cluster.measurements:
            one.median_s *= 8
            one.samples_s = [8 * sample for sample in one.samples_s]
        kept = [one for one in document.measurements if one.what != "exchange"
                and (one.what != "ping_pong" or one.parameters["bytes"] in (1, 1024, 1 << 20)
                     or one.parameters["way"] != "shm")]
        for driver in (False, True):
            with self.subTest(driver):
                overlap = Cluster()
                overlap.add_overlap(SHM, "shm", "sender", MIB, 1e-3, 1e-3 + 210e-6)
                result = calibrated(dataclasses.replace(document, measurements=(
                    kept + cluster.measurements + driver * overlap.measurements)))
                self.assertLess(report.errors_of(result)["ping_pong shm"]["median"], 0.1)
                self.assertEqual([one.split()[0] for one in result.doubts],
                                 ["library.shm.recv_cost"])

    def test_a_sender_that_waits_longer_than_a_transfer_tells_no_driver(self):
        document, overlap = measured(), Cluster()
        overlap.add_overlap(SHM, "shm", "sender", MIB, 1e-3, 1e-3 + 400e-6)
        fitted = calibrated(dataclasses.replace(document, measurements=(
            document.measurements + overlap.measurements))).transports["shm"]
        self.assertEqual(fitted.transport.driver, "receiver")
        self.assertIn("driver", fitted.assumed)

    def test_exchanges_of_what_no_cache_holds_are_kept(self):
        result = calibrated(measured(lambda one: 1.9 if one.what == "exchange" else 1.0))
        self.assertEqual(result.doubts, [])

    def test_streams_slower_than_long_ping_pongs_are_omitted(self):
        result = self.expect_omitted(lambda one: 4.0 if one.what == "stream" else 1.0,
                                      "cluster.link", "ping_pong")
        self.assertNotIn("streams", result.transports["network"].evidence["wire"])

    def test_a_burst_of_a_token_bucket_refutes_nothing(self):
        slow = dataclasses.replace(TCP, wire=1 / 120e6)
        cluster = Cluster()
        for transport, sizes in ((TCP, SIZES[:9]), (slow, SIZES[9:])):
            cluster.add_curve("ping_pong", transport, "network", sizes)
        cluster.add_streams(slow, "network")
        result = calibrated(cluster.document())
        self.assertEqual(result.doubts, [])
        self.assertTrue(any("bucket" in note for note in result.notes), result.notes)


class ForeignLoad(unittest.TestCase):
    def doubts(self, **where):
        return calibrated(measured(**where)).doubts

    def test_above_the_limit_is_reported_and_kept(self):
        result = calibrated(measured(foreign_cores=1.8, cores=2))
        expected = "synthetic.json: others used 1.8 of 2 cores meanwhile: measure again"
        self.assertEqual(report.warnings_of(result), [expected])
        self.assertIn(expected, profile.calibration_of(result, "test", {})["notes"])

    def test_load_of_an_unknown_machine_has_no_share(self):
        self.assertEqual(self.doubts(foreign_cores=1.0),
                         ["synthetic.json: others used 1.0 cores meanwhile: measure again"])

    def test_below_the_limit_or_unknown_is_no_doubt(self):
        self.assertEqual(self.doubts(foreign_cores=0.3, cores=2) + self.doubts(), [])

    def test_load_that_is_not_a_number_is_an_error(self):
        with self.assertRaisesRegex(InputError, "synthetic.json: where.foreign_cores: expected a "
                                                'number of cores, got "much"'):
            calibrated(measured(foreign_cores="much"))


if __name__ == "__main__":
    unittest.main()
