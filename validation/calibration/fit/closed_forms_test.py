# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the simulator take as long for a fitted file as the closed forms that it was fitted by?

Usage: python3 -m validation.calibration.fit.closed_forms_test BUILD
"""

import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from validation.calibration.fit import calibration, closed_forms, profile
from validation.calibration.fit.pieces import PACKET
from validation.calibration.fit.synthetic_for_test import TCP, Cluster, everything

ROUNDS = 5
SIZES = np.array([1.0, 1024.0, 1025.0, 65535.0, 65536.0, 4194304.0])


def file_of(document, **settings):
    """(the text of the fitted file, what was fitted)."""
    result = calibration.calibrate([document], calibration.Settings(bootstrap=0, **settings))
    return profile.text_of(result, "test", ["test"], {}), result


class Simulated(unittest.TestCase):
    program = None

    def seconds(self, text, placement, collective, algorithm, sizes, options=None):
        """End of rank 0, for each size; the same file is the cluster and the library."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "fitted.yaml"
            path.write_text(text, encoding="utf-8")
            job = {"collective": collective, "algorithm": algorithm,
                   "bytes": [f"{int(size)} B" for size in sizes], "options": options or {}}
            scenario = {"question": "As fitted?", "cluster": str(path), "library": str(path),
                        "placement": placement, "job": job}
            (pathlib.Path(folder) / "test.yaml").write_text(json.dumps(scenario))
            ran = subprocess.run([self.program, "run", f"{folder}/test.yaml", "--json", "-"],
                                 capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            return np.array([case["ranks"][0]["finish_s"]
                             for case in json.loads(ran.stdout)["cases"]])

    def expect_ping_pong(self, text, way, placement):
        found = self.seconds(text, placement, "pingpong", "blocking", SIZES, {"rounds": ROUNDS})
        np.testing.assert_allclose(found / 2 / ROUNDS, closed_forms.ping_pong(way, SIZES),
                                   rtol=0.005)

    def test_half_a_ping_pong_between_hosts(self):
        text, result = file_of(everything())
        self.expect_ping_pong(text, result.network, "1-1")

    def test_half_a_ping_pong_in_shared_memory(self):
        cluster = Cluster()
        cluster.add_ping_pong(dataclasses.replace(TCP, driver="receiver", wire=0.0), "shm")
        text, result = file_of(cluster.document())
        self.expect_ping_pong(text, result.transports["shm"].transport, "2")

    def test_half_a_ping_pong_in_pieces(self):
        for cost in (0.5e-9, 1.2e-9):
            text, result = file_of(everything(dataclasses.replace(
                TCP, send_cost=0.3e-9, recv_cost=cost, eager_piece=PACKET)))
            self.assertIn("eager_piece: 1448 B", text)
            self.expect_ping_pong(text, result.network, "1-1")

    def test_half_a_ping_pong_by_nics(self):
        text, result = file_of(everything(), transport="rdma")
        self.expect_ping_pong(text, result.network, "1-1")

    def test_a_nominal_rate_and_goodput_make_the_same_wire(self):
        text, result = file_of(everything(link_bandwidth="10 Gbit/s"))
        self.assertIn("goodput", text)
        self.expect_ping_pong(text, result.network, "1-1")

    def test_both_directions_at_once_share_the_cores(self):
        for cost in (0.1e-9, 8e-9):
            transport = dataclasses.replace(TCP, send_cost=cost, recv_cost=cost)
            text, result = file_of(everything(transport))
            size = np.array([64 * 2.0**20])
            found = self.seconds(text, "1-1", "exchange", "bidirectional", size)
            expected = closed_forms.stream(result.network, size, 1e9, directions=2)
            np.testing.assert_allclose(found, expected, rtol=0.01)

    def test_a_sender_alone_and_its_transfer(self):
        text, result = file_of(everything())
        found = self.seconds(text, "1-1", "overlap", "sender", SIZES[4:], {"compute": "0 s"})
        whole = closed_forms.send_complete(result.network, SIZES[4:])
        np.testing.assert_allclose(found, whole, rtol=0.005)


if __name__ == "__main__":
    Simulated.program = str(pathlib.Path(sys.argv[1]).resolve() / "ringscope")
    unittest.main(argv=sys.argv[:1])
