# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do importers of OSU, IMB, nvbandwidth and p2pBandwidthLatencyTest omit what is no valid time of
one machine, and report it?"""

import unittest

from common.programs import InputError
from validation.calibration import imports
from validation.calibration.imports import findings
from validation.calibration.imports.findings import Given
from validation.calibration.imports.source import Source

CHECKED = ("# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n"
           "# Size       Avg Latency(us)        Validation\n")
PAIRS = ("# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n"
         "# [ pairs: {} ] [ window size: 64 ]\n"
         "# Size                  MB/s        Messages/s\n8     32.00     4000000.00\n")
TAILS = ("# OSU MPI Allreduce Latency Test v7.5\n"
         "# Size  Avg Latency(us)  P50 Tail Lat(us)  P90 Tail Lat(us)  P99 Tail Lat(us)\n"
         "64      30.00            20.00             45.00             90.00\n")
BANDWIDTH = "# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n1048576   {}\n"
IMB = ("# Benchmarking {}\n# #processes = {}\n"
       "  #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]      defects\n"
       "       8         1000         1.00         1.50         1.25         0.00\n"
       "      64         1000         1.00         1.75         1.25         3.00\n")
MT = ("# Benchmarking {}\n# #processes = 2 (threads: {})\n# window_size = 32\n"
      "#---\n#bytes #repetitions {}\n")
TIMES_OF_MT = "t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec\n8 9 4.00 9.00 6.50 8.00"
MATRIX = ("memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n     0   1\n"
          " 0  N/A 20.0\n 1 25.0 N/A\n")
OWN = ("Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D  0  1  2\n"
       "  0 900.0 25.0 25.0\n  1 25.0 400.0 25.0\n  2 25.0 25.0 910.0\n")


def parsed(text: str, **given) -> list:
    source = Source("x.log", text)
    return imports.parse(source, Given(**given))


def read(text: str, **given):
    """(points, notes)"""
    found = parsed(text, **given)
    return ([point for one in found for _, point, _ in one.points],
            [note for one in found for note in one.notes])


class Osu(unittest.TestCase):
    def test_failed_validation_is_no_time(self):
        points, notes = read(CHECKED + "8  1.50  Pass\n1024  2.50  Fail\n", nodes=2)
        self.assertEqual([point.median_s for point in points], [1.5e-6])
        self.assertEqual(notes, ["x.log:5: the results failed their validation: row omitted"])
        with self.assertRaisesRegex(InputError, 'x.log:4:10: expected one of Pass, Fail, got "Oo'):
            read(CHECKED + "8  1.50  Oops\n", nodes=2)

    def test_ranks_of_a_command_and_nodes_of_an_option_make_a_placement(self):
        for given, placement in (({"nodes": 1}, "36"), ({"nodes": 3}, "12x3"),
                                 ({"ranks_per_node": 9}, "9x4")):
            (point,), _ = read("$ mpirun -np 36 osu_allreduce\n" + TAILS, **given)
            self.assertEqual(point.parameters["placement"], placement)

    def test_pairs_of_the_log_win_over_the_option(self):
        points, notes = read(PAIRS.format(4), nodes=2, ranks_per_node=1)
        self.assertEqual((points[0].parameters["pairs"], points[0].parameters["way"]),
                         (4, "network"))
        self.assertEqual(notes, ["x.log:1: 4 pairs on 2 nodes are 4 ranks per node: "
                                 "--ranks-per-node 1 is not used here"])
        points, notes = read(PAIRS.format(3), nodes=2, ranks_per_node=3)
        self.assertEqual((points[0].parameters["pairs"], notes), (3, []))

    def test_printed_median_is_the_median(self):
        ((point,), _) = read(TAILS, nodes=2)
        self.assertEqual(point.median_s, 20e-6)
        self.assertEqual(point.extra, {"p90_s": 45e-6, "p99_s": 90e-6, "mean_s": 30e-6})

    def test_gpu_buffers_are_not_host_memory(self):
        gpu = BANDWIDTH.format(9000).replace("OSU MPI", "OSU MPI-CUDA")
        with self.assertRaisesRegex(InputError, "its buffers are in GPU memory"):
            read(gpu, nodes=2)
        hosts = "# Send Buffer on HOST (H) and Receive Buffer on HOST (H)\n"
        points, _ = read(gpu.replace("# Size", hosts + "# Size"), nodes=2)
        self.assertEqual(len(points), 1)
        device = "# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)\n"
        with self.assertRaisesRegex(InputError, "its buffers are in GPU memory"):
            read(BANDWIDTH.format(9000).replace("# Size", device + "# Size"), nodes=2)

    def test_nodes_of_srun_count(self):
        for words, way in (("srun -N1 -n2", "shm"), ("$ srun --nodes=1 -n 2", "shm"),
                           ("srun -N 2 -n2", "network")):
            points, _ = read(f"{words} ./osu_bw\n" + BANDWIDTH.format(9000))
            self.assertEqual(points[0].parameters["way"], way, words)

    def test_probes_of_two_states_are_rejected_with_both_lines(self):
        text = BANDWIDTH.format(22000) + "after the update\n" + BANDWIDTH.format(4400)
        with self.assertRaisesRegex(InputError, "x.log:5: expected tables of one state of the "
                                    "machine, got 5 x the time of the table at x.log:1: keep one"):
            findings.documents_of(parsed(text), Given())
        same = BANDWIDTH.format(22000) + BANDWIDTH.format(21000)
        (document,) = findings.documents_of(parsed(same), Given())
        self.assertEqual(len(document.measurements[0].samples_s), 2)

    def test_broadcast_has_one_name(self):
        text = TAILS.replace("Allreduce", "Broadcast")
        self.assertEqual(read(text, nodes=2)[0][0].parameters["collective"], "broadcast")


    def test_table_ends_where_one_without_a_label_begins(self):
        table = "# OSU MPI {} Latency Test v7.4\n# Size   Avg Latency(us)\n{}     {}\n"
        labelled = table.format("Broadcast", 1, 3.0).replace("\n", "\n0: ", 2)
        points, _ = read(f"0: {labelled}{table.format('Allreduce', 1, 7.98)}0: 64   9.00\n",
                         nodes=2)
        self.assertEqual(sorted((one.what, one.median_s) for one in points),
                         [("allreduce", 7.98e-6), ("broadcast", 3e-6)])


class Others(unittest.TestCase):
    def test_defects_of_imb_are_no_times(self):
        points, notes = read(IMB.format("Bcast", 4), nodes=2)
        self.assertEqual([point.parameters["collective"] for point in points], ["broadcast"])
        self.assertEqual(notes, ["x.log:5: wrong results: row omitted"])

    def test_patterns_of_imb_are_not_confused(self):
        for test, name in (("PingPing", "exchange"), ("Sendrecv", "sendrecv"),
                           ("Exchange", "imb_exchange")):
            self.assertEqual(read(IMB.format(test, 2), nodes=2)[0][0].what, name)

    def test_scripts_that_print_benchmarking_are_not_imb(self):
        text = "".join(f"{stamp}Benchmarking {name}\n{TAILS}" for name in ("Allreduce", "Bcast")
                       for stamp in ("", "2026-01-05 10:11:12,123 INFO ", "10:11:12 "))
        self.assertEqual({one.what for one in read(text, nodes=2)[0]}, {"allreduce"})

    def test_suites_of_imb_without_a_counterpart_are_named(self):
        tables = IMB.format("Bcast", 4)
        for test, words in (("Get_accumulate", "one-sided (IMB-EXT, IMB-RMA)"),
                            ("P_Read_Shared", "a test of files (IMB-IO)"),
                            ("BiBandMT", "a test with several threads per rank (IMB-MT)"),
                            ("Ibcast_persist", "a persistent collective (IMB-MPI4)"),
                            ("Corandom", "a pattern of IMB-P2P without a counterpart"),
                            ("Multi-Bcast", "run by groups concurrently"),
                            ("Reduce_local", "no test that this program supports")):
            points, notes = read(IMB.format(test, 4) + tables, nodes=2)
            self.assertEqual(len(points), 1)
            self.assertEqual(notes[0], f"x.log:1: '{test}' is {words}: its table is omitted")

    def test_imb_with_one_thread_per_rank_is_read_as_the_tests_without_threads(self):
        for test, columns, what, seconds in (
                ("AllReduceMT", TIMES_OF_MT, "allreduce", 9e-6),
                ("AllreduceMT", TIMES_OF_MT, "allreduce", 9e-6),  # as the user guide has it
                ("PingPongMT", TIMES_OF_MT, "ping_pong", 9e-6),
                ("SendRecvMT", TIMES_OF_MT, "sendrecv", 9e-6),
                ("BiBandMT", "t_avg[usec] Mbytes/sec Msg/sec\n8 9 2.00 8.00 500000",
                 "stream", 4e-6)):
            (point,), _ = read(MT.format(test, 1, columns), nodes=2)
            self.assertEqual((point.what, point.median_s), (what, seconds))
        self.assertEqual(point.parameters["window"], 32)

    def test_imb_with_threads_or_pairs_in_halves_is_no_case(self):
        for test, ranks, threads in (("AllreduceMT", 2, 4), ("ExchangeMT", 8, 1)):
            text = MT.format(test, threads, TIMES_OF_MT).replace("= 2", f"= {ranks}")
            points, (note, *_) = read(text + IMB.format("Bcast", 4), nodes=2)
            self.assertEqual(len(points), 1)
            self.assertIn("its table is omitted", note)

    def test_ping_pongs_of_all_ranks_are_no_single_one(self):
        text = "# Benchmarking PingPong\n# #processes = 8\n" \
            "#bytes #repetitions t[usec] Mbytes/sec Msg/sec\n1 1000 1.40 2.70 2700000\n"
        self.assertEqual([(one.what, one.parameters) for one in read(text, nodes=2)[0]], [
            ("ping_pong_pairs", {"bytes": 1, "way": "network", "pairs": 4})])
        _, notes = read(text + text.replace("Pong", "Ping"), nodes=2)
        self.assertEqual(notes[0], "x.log:5: pairs i, i + P/2 of PingPing are no case of ours: "
                         "its table is omitted")

    def test_sum_names_a_matrix_of_nvbandwidth(self):
        for head, name in (("nvbandwidth Version: v0.8\n", "read"), ("", "write")):
            points, notes = read(f"{head}{MATRIX}\nSUM device_to_device_memcpy_{name}_ce 45.0\n")
            self.assertEqual([(point.parameters["from"], point.parameters["to"])
                              for point in points], [(0, 1), (1, 0)])
            self.assertEqual((points[0].parameters["by"], notes), (f"{name}_ce", []))
        with self.assertRaisesRegex(InputError, 'x.log:1: no line "Running NAME." above, and no '
                                    'line "SUM NAME value" below: matrix omitted'):
            read(MATRIX)

    def test_gpu_with_slow_memory_is_named(self):
        _, notes = read(OWN)
        self.assertEqual(notes, ["x.log:1: copies inside GPU 1 reach 400 GB/s, the median of all "
                                 "GPUs is 900 GB/s: is another program using it?"])
        table = "metric,src,dst,value\n" + "".join(
            f"bandwidth_gb_per_s,{gpu},{gpu},{rate}\n" for gpu, rate in enumerate((700, 710, 300)))
        _, notes = read(table)
        self.assertIn("copies inside GPU 2 reach 300 GB/s", notes[0])


if __name__ == "__main__":
    unittest.main()
