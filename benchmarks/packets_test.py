# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do small rows of packets.csv come out again, and does the page have its ratios?"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

from benchmarks import packets

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else HERE.parent / "build"
LINES = (HERE / "packets.csv").read_text(encoding="utf-8").splitlines()
TABLE = {(row["pattern"], row["network"], int(row["hosts"]), int(row["bytes"])): row
         for row in csv.DictReader(LINES)}
PAGE = HERE.parent.joinpath("docs", "explanation", "bandwidth-sharing.md").read_text(
    encoding="utf-8").splitlines()
SKIPPED = 77


def cell(case, queues):
    """Packets over fluid as the page prints it, from a row of the table."""
    row = TABLE.get(case)
    if row is None:
        return "-"
    return row[queues] if row[queues] == "crash" else (
        f"{float(row[queues]) / float(row['fluid_us']):.2f}")


class Packets(unittest.TestCase):
    def test_small_rows_are_reproduced(self):
        for pattern in packets.JOBS:
            with self.subTest(pattern):
                self.assertIn(packets.row(BUILD, pattern, "star", 8, 10_000), LINES)

    def test_incast_of_32_hosts_waits_for_a_retransmission_timeout(self):
        *_, fluid, deep, shallow = packets.row(BUILD, "incast", "star", 32, 10_000).split(",")
        self.assertLess(float(deep), 1.2 * float(fluid))
        self.assertGreater(float(shallow), 200e3)  # us: MinRto of packets.SHALLOW

    def test_fluid_of_simgrid_is_that_of_ringscope(self):
        # SimGrid has a message wait for its latency first. On the tree, the route inside a rack is
        # two links of 5 us shorter: there, an incast begins that much earlier.
        for pattern in packets.JOBS:
            for network in packets.NETWORKS:
                with self.subTest(pattern=pattern, network=network), \
                        tempfile.NamedTemporaryFile(suffix=".xml") as file:
                    ours = packets.fluid(BUILD, pattern, network, 8, 10_000, file.name)
                    theirs = packets.simulated(BUILD, "CM02", file.name, pattern, 10_000)
                    earlier = 10e-6 if (pattern, network) == ("incast", "tree") else 0
                    self.assertLessEqual(theirs, ours + 1e-9)
                    self.assertGreaterEqual(theirs, ours - earlier - 1e-9)


class Page(unittest.TestCase):
    def test_has_the_ratios_of_the_table(self):
        for pattern in packets.JOBS:
            for network in packets.NETWORKS:
                for hosts in packets.HOSTS:
                    cells = [cell((pattern, network, hosts, size), "deep_us")
                             for size in packets.SIZES]
                    self.assertIn(f"| {pattern}, {network} | {hosts} | {' | '.join(cells)} |", PAGE)

    def test_has_the_ratios_of_incasts_in_shallow_queues(self):
        for network in packets.NETWORKS:
            for hosts in packets.HOSTS:
                cells = [cell(("incast", network, hosts, size), "shallow_us")
                         for size in packets.SIZES]
                line = f"| {network}, shallow queues | {hosts} | {' | '.join(cells)} |"
                self.assertIn(line, PAGE)

    def test_has_the_command_that_makes_the_table(self):
        self.assertIn("`python3 -m benchmarks.packets > benchmarks/packets.csv`", "\n".join(PAGE))


if __name__ == "__main__":
    linked = subprocess.run(["ldd", BUILD / "packets"], capture_output=True, text=True, check=False)
    if "libns3" not in linked.stdout:
        print("SKIP packets: SimGrid is built without ns-3")
        sys.exit(SKIPPED)
    unittest.main()
