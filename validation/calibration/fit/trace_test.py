# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a traced ring give the costs that it was made of?"""

import sys
import unittest

from common.programs import InputError
from validation.calibration.fit import calibration, profile, trace
from validation.measurements import Document, Measurement

REDUCE, COPY, NETWORK = 0.3, 0.08, 0.2  # seconds per chunk


def traced(placement="3-3", lost=None):
    """A ring whose steps all take copy + network + reduction, an allgather without the last."""
    counts = [int(count) for count in placement.split("-")]
    hosts = [host for host, count in enumerate(counts) for _ in range(count)]
    ranks, found = len(hosts), []

    def add(what, rank, seconds, **step):
        if (what, rank, step.get("step")) != lost:
            found.append(Measurement(what, {"rank": rank, "placement": placement, **step}, seconds))

    move = COPY + NETWORK
    for rank, host in enumerate(hosts):
        receives = hosts[rank - 1] == host
        for step in range(ranks - 1):
            begin = step * (move + REDUCE)
            add("send", rank, begin + (move if receives else COPY), step=step)
            add("wait", rank, begin + move + REDUCE, step=step)
        add("done", rank, (ranks - 1) * (2 * move + REDUCE))
    return Document("trace.json", "trace", {}, found)


def calibrated(document):
    return calibration.calibrate([document], calibration.Settings(bootstrap=10))


class Traces(unittest.TestCase):
    def test_tell_costs_per_chunk(self):
        result = calibrated(traced())
        self.assertAlmostEqual(result.host.reduce_cost * trace.CHUNK, REDUCE)
        self.assertAlmostEqual(result.transports["shm"].transport.recv_cost * trace.CHUNK, COPY)
        self.assertAlmostEqual(result.network.send_cost * trace.CHUNK, NETWORK)
        self.assertEqual(result.network.recv_cost, result.network.send_cost)

    def test_leave_open_how_the_ends_share_the_cost(self):
        parameters = calibrated(traced()).parameters
        send = parameters["library.network.send_cost"]
        recv = parameters["library.network.recv_cost"]
        for one, low, high in ((send, COPY, NETWORK), (recv, COPY, NETWORK + COPY)):
            self.assertAlmostEqual(one.low * trace.CHUNK, low)
            self.assertAlmostEqual(one.high * trace.CHUNK, high)
            self.assertAlmostEqual(one.value * trace.CHUNK, NETWORK)

    def test_say_what_they_assume(self):
        result = calibrated(traced())
        self.assertEqual(result.trace.chunk, "100 MB")
        self.assertIn("bytes of a chunk", result.assumed)
        self.assertIn("100 MB", profile.text_of(result, "test", ["test"], {}))
        self.assertEqual(len(result.fitted), 6 * (5 + 5 + 1))

    def test_trace_with_a_lone_rank_is_rejected(self):
        with self.assertRaisesRegex(InputError, "several ranks on each host.* got 5-1"):
            calibrated(traced("5-1"))

    def test_trace_with_a_missing_call_is_rejected(self):
        with self.assertRaisesRegex(InputError, "a wait of rank 2 in step 3, got none"):
            calibrated(traced(lost=("wait", 2, 3)))
        with self.assertRaisesRegex(InputError, "when rank 4 was done"):
            calibrated(traced(lost=("done", 4, None)))

    def test_stand_alone(self):
        with self.assertRaisesRegex(InputError, "trace to be fitted by itself, got 2"):
            calibration.calibrate([traced(), traced()], calibration.Settings())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
