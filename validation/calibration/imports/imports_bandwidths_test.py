# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are bandwidths read as times: those that people quote, and those of matrices between GPUs?"""

import tempfile
import unittest

from common.programs import InputError
from validation.calibration import imports
from validation.calibration.imports.findings import Given
from validation.calibration.imports.source import read_source

QUOTED = "# source: somebody\ncollective,algorithm,hosts,ranks_per_host,bytes,busbw_GBps\n"
MATRIX = "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1\n" \
    "     0 900.00  20.00\n     1  10.00 900.00\n"
NVBANDWIDTH = """nvbandwidth Version: v0.4
Running host_to_device_memcpy_ce.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0     50.00     25.00

SUM host_to_device_memcpy_ce 75.00

Running device_to_device_memcpy_read_ce.
memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)
           0         1
 0       N/A    100.00
 1    200.00       N/A

Running all_to_host_memcpy_ce.
memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)
           0         1
 0     50.00     25.00
"""


PAGE = """# Two tunings

| Size | plain busbw | tuned busbw | change |
|------|-------------|-------------|--------|
| 4M   | 50.00 GB/s  | 100 GB/s    | +100%  |
| 8 MiB | 60.00 GB/s | 1.25 GB/s (stall!) | -98% |
| **Avg** | **55 GB/s** | **50 GB/s** | |

## Repetitions (GB/s)

| Size | Rep1 | Rep2 |
|:-----|-----:|-----:|
| 512  |  0.5 |  1.0 |

| Size | cost |
|------|------|
| 4M   | 10   |
"""


def found(text: str, given=Given()) -> tuple:
    """[(what, parameters, seconds)], and the notes."""
    with tempfile.NamedTemporaryFile("w", suffix=".log", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        source = read_source(file.name)
        formats = imports.formats_of(source)
        try:
            findings = [one.parse(source, given) for one in formats]
        except InputError as error:
            raise InputError(str(error).replace(file.name, "x.log").splitlines()[0]) from None
    return ([(one.what, one.parameters, one.median_s) for part in findings
             for _, one, _ in part.points], [note for part in findings for note in part.notes])


class Quoted(unittest.TestCase):
    def test_the_factor_is_that_of_nccl_tests(self):
        # allreduce: 2 (P - 1) / P, allgather: (P - 1) / P, broadcast: 1; P = 16
        for name, factor in (("allreduce", 30 / 16), ("allgather", 15 / 16), ("broadcast", 1)):
            points, _ = found(QUOTED + f"{name},auto,2,8,1000000,10\n")
            self.assertAlmostEqual(points[0][2], factor * 1e6 / 10e9)
            self.assertEqual(points[0][1]["placement"], "8x2")

    def test_wrong_cells_are_refused_with_their_place(self):
        for row, said in (
                ("allreduced,auto,2,8,1,10", '3:1: expected one of allreduce, allgather, '
                 'reduce_scatter, alltoall, broadcast, reduce, got "allreduced"'),
                ("allreduce,nvls,2,8,1,10", '3:11: expected one of auto, ring, tree, got "nvls"'),
                ("allreduce,auto,1,1,1,10", "3:1: expected 2 to 1000000 ranks, got 1"),
                ("allreduce,auto,2,8,1,0", "3:1: expected a size and a bandwidth above 0, got 0")):
            with self.assertRaises(InputError) as caught:
                found(QUOTED + row + "\n")
            self.assertEqual(str(caught.exception), "x.log:" + said)


class Own(unittest.TestCase):
    def test_times_by_gpus_are_those_of_nccl(self):
        for column, of_nccl in (("gpus", True), ("GPUs per node", True), ("ranks", False)):
            points, notes = found(f"op,nodes,{column},size_mb,time_ms\nallreduce,2,8,64,0.62\n")
            self.assertEqual(points[0][2], 0.62e-3)
            self.assertEqual([note for note in notes if "times of NCCL" in note] != [], of_nccl)


BENCH = """The average bandwidth of all_reduce over 16 ranks (10 warmups / 20 trials):

| payload |    busbw   |    algbw   |
| ------: | ---------: | ---------: |
|   64MiB |  50.00GBps |  26.67GBps |
|    1GiB | 200.00GBps | 106.67GBps |
"""
DEEPSPEED = """---- Performance of all_reduce on 16 devices -------
Size (Bytes)   Description   Duration    Throughput (Gbps)  BusBW (Gbps)
1.0 MB         524288x2      50.000 us   335.544            314.573
64.0 MB        33554432x2    1.700 ms    631.613            592.137
"""


class Pages(unittest.TestCase):
    GIVEN = Given(nodes=1, ranks_per_node=4, collective="all_reduce")

    def test_each_column_of_a_markdown_table_is_a_series(self):
        points, _ = found(PAGE, self.GIVEN)
        rates = {("plain busbw", 4 << 20): 50, ("tuned busbw", 4 << 20): 100,
                 ("plain busbw", 8 << 20): 60, ("tuned busbw", 8 << 20): 1.25,
                 ("Rep1", 512): 0.5, ("Rep2", 512): 1}
        self.assertEqual(len(points), len(rates))
        for _, parameters, seconds in points:
            size = parameters["bytes"]
            # PERFORMANCE.md of nccl-tests: 2 (P - 1) / P of an allreduce's size over its time
            self.assertAlmostEqual(1.5 * size / seconds / 1e9,
                                   rates[parameters["column"], size], 9)

    def test_all_reduce_bench_names_its_collective_and_ranks(self):
        points, _ = found(BENCH, Given(nodes=2))
        self.assertEqual([(one[1]["bytes"], one[1]["placement"]) for one in points],
                         [(64 << 20, "8x2"), (1 << 30, "8x2")])
        for (_, parameters, seconds), rate in zip(points, (50, 200)):  # 2 (P - 1) / P: 1.875
            self.assertAlmostEqual(1.875 * parameters["bytes"] / seconds / 1e9, rate, 9)

    def test_deepspeed_prints_durations_with_units(self):
        points, _ = found(DEEPSPEED, Given(ranks_per_node=8))
        self.assertEqual([(one[1]["bytes"], one[2]) for one in points],
                         [(1 << 20, 50e-6), (64 << 20, 1.7e-3)])

    def test_a_page_is_asked_for_its_collective_then_for_its_ranks(self):
        for given, said in ((Given(), "--collective NAME"),
                            (Given(collective="allreduce"), "--nodes N and --ranks-per-node N")):
            with self.assertRaisesRegex(InputError, rf"^x\.log:3:1: expected {said}"):
                found(PAGE, given)


class Matrices(unittest.TestCase):
    def test_copies_of_p2pbandwidthlatencytest_are_of_40_mb(self):
        points, _ = found(MATRIX)
        self.assertEqual([(one["from"], one["to"], one["access"]) for _, one, _ in points],
                         [(0, 1, "staged"), (1, 0, "staged")])
        self.assertAlmostEqual(points[0][2], 40e6 / 20e9)

    def test_pairs_without_peer_access_are_staged_whatever_is_enabled(self):
        connected = ("P2P Connectivity Matrix\n     D\\D     0     1\n     0\t     1     {0}\n"
                     "     1\t     {0}     1\n") + MATRIX.replace("Disabled", "Enabled")
        for access, expected in ((0, "staged"), (1, "peer")):
            points, _ = found(connected.format(access))
            self.assertEqual([one["access"] for _, one, _ in points], [expected] * 2)

    def test_both_ways_count_both_and_latencies_are_of_16_bytes(self):
        points, _ = found(MATRIX.replace("Unid", "Bid").replace("Disabled", "Enabled"))
        self.assertAlmostEqual(points[0][2], 2 * 40e6 / 20e9)
        points, _ = found("P2P=Enabled Latency (P2P Writes) Matrix (us)\n   GPU     0      1\n"
                          "     0   1.00   2.50\n     1   2.50   1.00\n")
        self.assertEqual(points[0][1]["bytes"], 16)
        self.assertAlmostEqual(points[0][2], 2.5e-6)

    def test_a_matrix_that_is_cut_short_is_refused(self):
        for text, said in ((MATRIX.splitlines()[0] + "\n", 'x.log:1:1: expected a header such as '
                            '"D\\D  0  1", got none'),
                           (MATRIX[:-22], "x.log:3:21: expected the end of the line, got")):
            with self.assertRaises(InputError) as caught:
                found(text)
            self.assertIn(said.rsplit(", got", 1)[0], str(caught.exception))
        with self.assertRaisesRegex(InputError, "x.log:3:1: expected 2 rows, got 1"):
            found("".join(MATRIX.splitlines(keepends=True)[:-1]))

    def test_nvbandwidth_says_from_where_to_where(self):
        points, notes = found(NVBANDWIDTH)
        self.assertEqual([(what, one.get("gpu"), one.get("from"), one.get("to"))
                          for what, one, _ in points],
                         [("gpu_copy", 0, None, None), ("gpu_copy", 1, None, None),
                          ("gpu_peer_copy", None, 1, 0), ("gpu_peer_copy", None, 0, 1)])
        self.assertAlmostEqual(points[2][2], (512 << 20) / 100e9)
        self.assertEqual(len(notes), 1)
        self.assertIn("unknown test 'all_to_host_memcpy_ce': omitted", notes[0])


if __name__ == "__main__":
    unittest.main()
