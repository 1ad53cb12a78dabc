# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the importers read what benchmarks print, in the right units, whatever is in between?"""

import pathlib
import re
import unittest

from validation.calibration import imports
from validation.calibration.imports import findings
from validation.calibration.imports.findings import Given, Layout
from validation.calibration.imports.source import Source, read_source

VALIDATION = pathlib.Path(__file__).resolve().parents[2]

PUBLISHED = [VALIDATION / "published" / name for name in (
    "osu-tcp-c3-standard-4.csv", "osu-ib-4-nodes.log", "nccl-tests-allreduce-4xV100-pcie.log",
    "p2p-gtx1080ti-x4.csv")] + [VALIDATION / "traces" / f"ring-trace-{which}.csv"
                                for which in ("3-3", "5-1")]

FULL = """# OSU MPI Allreduce Latency Test v7.4
# Datatype: MPI_FLOAT.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                       2.81              1.89              3.73          10
"""
BIBW = """# OSU MPI Bi-Directional Bandwidth Test v5.8
# Size      Bandwidth (MB/s)
1048576            20000.00
"""
RATE = """# OSU MPI Multiple Bandwidth / Message Rate Test v5.8
# [ pairs: 4 ] [ window size: 32 ]
# Size                  MB/s        Messages/s
8                      32.00        4000000.00
"""
BARRIER = "# OSU MPI Barrier Latency Test v5.8\n# Avg Latency(us)\n             8.32\n"
LATENCY = "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n"

IMB = """#------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2019 Update 6, MPI-1 part
#------------------------------------------------------------
# List of Benchmarks to run:

# PingPong

#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 6 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.95         0.00
         1024         1000         1.90       538.95


#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 6
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.00         0.00         0.00
            4         1000         2.00         4.00         3.00
      4194304  out-of-mem.; needed X=  0.5 GB

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 8
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         1.00         1.50         1.25

#---------------------------------------------------
# Benchmarking Biband
# #processes = 8
#---------------------------------------------------
       #bytes #repetitions   Mbytes/sec      Msg/sec
            8         1000        16.00      2000000


# All processes entering MPI_Finalize
"""

NCCL = """srun: job 17 started
# nccl-tests version 2.17.6 nccl-headers=22501 nccl-library=22501
# Collective test starting: all_gather_perf
# nThread 1 nGpus 1 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 1 iters: 20
#
# Using devices
#  Rank  0 Group  0 Pid  50292 on node-1 device  0 [0000:30:00] NVIDIA H100
#  Rank  1 Group  0 Pid  49542 on node-2 device  0 [0000:30:00] NVIDIA H100
node-1:50292:50292 [0] NCCL INFO Bootstrap: Using enp39s0:10.0.10.221<0>
# out-of-place in-place
# size count type redop root time algbw busbw #wrong time algbw busbw #wrong
# (B) (elements) (us)  (GB/s)  (GB/s) (us)  (GB/s)  (GB/s)
        1024 128 float none -1 20.50 0.05 0.02 0 19.00 0.05 0.03 0
node-1:50292:50292 [0] NCCL INFO 4 coll channels
        2048 256 float none -1 21.50 0.10 0.05 0 N/A N/A N/A N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.04
"""

NCCL_RANK_1 = "#  Rank  1 Group  0 Pid  49542 on node-2 device  0 [0000:30:00] NVIDIA H100\n"


def found_in(text, **given):
    """[(kind, what, parameters, seconds)] of all formats that occur, and the notes."""
    source = Source("x.log", text)
    all_findings = [one.parse(source, Given(**given)) for one in imports.formats_of(source)]
    return ([(kind, point.what, point.parameters, point.median_s)
             for one in all_findings for kind, point, _ in one.points],
            [note for one in all_findings for note in one.notes])


def import_(path, **given):
    """{kind: document}"""
    source, given = read_source(str(path)), Given(**given)
    all_findings = [one.parse(source, given) for one in imports.formats_of(source)]
    return {document.kind: document for document in findings.documents_of(all_findings, given)}


def replay(what, layout, size=None, **more):
    parameters = {} if size is None else {"bytes": size}
    return parameters | {"collective": what, "algorithm": "", "ranks_count": layout.ranks,
                         "hosts_count": layout.hosts, "placement": layout.placement} | more


class Published(unittest.TestCase):
    def test_osu_over_tcp_is_12_latencies_and_78_allreduces(self):
        documents = import_(PUBLISHED[0])
        probes, replays = documents["probes"], documents["replay"]
        self.assertEqual((len(probes.measurements), len(replays.measurements)), (12, 6 * 13))
        self.assertEqual(probes.measurements[0].parameters, {"bytes": 0, "way": "network"})
        self.assertEqual(probes.measurements[0].median_s, 13.8e-6)
        last = replays.measurements[-1]
        self.assertEqual(last.parameters, replay("allreduce", Layout(128, 1), 1048576))
        self.assertEqual((last.name, last.median_s), ("allreduce 1048576 B on 1x128", 12420.9e-6))
        self.assertIn("metrics-operator-experiments", replays.where["source"])
        self.assertTrue(replays.where["program"].startswith("OSU micro-benchmarks 5.8"))

    def test_a_log_with_a_schedulers_lines_gives_its_three_tables(self):
        documents = import_(PUBLISHED[1])
        streams, latencies = documents["probes"].measurements[:23], \
            documents["probes"].measurements[23:]
        self.assertEqual(len(latencies), 24)
        self.assertEqual(streams[0].parameters, {"bytes": 1, "way": "network", "pairs": 1,
                                                 "directions": 1, "window": 64})
        self.assertEqual(streams[0].median_s, 2 / 7251072.93)  # two pairs, each of its own hosts
        self.assertEqual(latencies[-1].median_s, 308.44e-6)
        self.assertEqual(len(documents["replay"].measurements), 19)
        self.assertEqual(documents["replay"].measurements[0].parameters,
                         replay("allreduce", Layout(4, 1), 4))

    def test_nccl_tests_give_both_buffers_and_name_their_devices(self):
        document = import_(PUBLISHED[2])["replay"]
        self.assertEqual(len(document.measurements), 2 * 25)
        first, second = document.measurements[:2]
        self.assertEqual(first.parameters, replay("allreduce", Layout(4, 4), 8,
                                                  buffers="out of place"))
        self.assertEqual((first.median_s, second.median_s), (13.37e-6, 14.59e-6))
        self.assertEqual(document.where["hosts"], ["bessemer-node026"] * 4)
        self.assertEqual(document.where["devices"], ["Tesla V100-PCIE-32GB"] * 4)

    def test_a_matrix_of_devices_is_probes_from_one_to_another(self):
        points = import_(PUBLISHED[3])["probes"].measurements
        self.assertEqual(len(points), 2 * 16)
        self.assertEqual(points[1].parameters,
                         {"bytes": 16, "way": "network", "from": 0, "to": 1})
        self.assertEqual(points[1].median_s, 0.99e-6)
        self.assertEqual(points[16].median_s, 2 * 40e6 / 354.15e9)  # read and written
        self.assertEqual(points[17].median_s, 40e6 / 10.28e9)

    def test_a_trace_has_every_call_of_every_rank_and_its_end(self):
        document = import_(PUBLISHED[5])["trace"]
        self.assertEqual(len(document.measurements), 6 * (2 * 5 + 1))
        self.assertEqual(document.measurements[0].parameters,
                         {"rank": 0, "placement": "5-1", "step": 0})
        last = document.measurements[-1]
        self.assertEqual((last.what, last.median_s), ("done", 5.20957))



class Osu(unittest.TestCase):
    def test_full_output_keeps_the_least_and_the_most(self):
        source = Source("x.log", FULL)
        ((kind, point, _),) = imports.osu.parse(source, Given(nodes=2, ranks_per_node=4)).points
        self.assertEqual((kind, point.median_s), ("replay", 2.81e-6))
        self.assertEqual(point.parameters, replay("allreduce", Layout(8, 4), 4))
        self.assertEqual(point.extra, {"least_s": 1.89e-6, "most_s": 3.73e-6})

    def test_both_directions_share_the_bandwidth_that_is_printed(self):
        ((_, what, parameters, seconds),), _ = found_in(BIBW)
        self.assertEqual((what, parameters["directions"]), ("stream", 2))
        self.assertEqual(seconds, 2 * 1048576 / 20000e6)

    def test_pairs_are_between_the_same_two_hosts_only_if_so_many_stand_there(self):
        for nodes, pairs, way in ((2, 4, "network"), (4, 2, "network"), (8, 1, "network"),
                                  (1, 4, "shm")):
            ((_, _, parameters, seconds),), _ = found_in(RATE, nodes=nodes)
            self.assertEqual((parameters["pairs"], parameters["way"]), (pairs, way), nodes)
            self.assertEqual((parameters["window"], seconds), (32, 4 / 4000000))

    def test_a_barrier_has_no_size(self):
        ((_, what, parameters, seconds),), _ = found_in(BARRIER, nodes=4)
        self.assertEqual((what, seconds), ("barrier", 8.32e-6))
        self.assertEqual(parameters, replay("barrier", Layout(4, 1)))

    def test_pairs_that_ping_pong_at_once_are_no_plain_ping_pong(self):
        text = LATENCY.replace("Latency Test", "Multi Latency Test") + "8   1.50\n"
        ((_, what, parameters, _),), _ = found_in(text, nodes=2, ranks_per_node=3)
        self.assertEqual((what, parameters["pairs"]), ("ping_pong_pairs", 3))
        ((_, what, parameters, _),), _ = found_in(text, nodes=2)
        self.assertEqual((what, parameters), ("ping_pong", {"bytes": 8, "way": "network"}))

    def test_lines_of_others_may_stand_before_between_and_below_rows(self):
        text = ("slurmstepd: 7 tasks\nNumber of nodes: 1\n" + LATENCY +
                "8     1.50\n[node1:77] warning: no fork\n16    1.75\n\n4 processes left\n"
                "2026-01-02 03:04:05 done\nreal 5.93\nuser 0.20\n")
        points, notes = found_in(text)
        self.assertEqual([(parameters, seconds) for _, _, parameters, seconds in points],
                         [({"bytes": 8, "way": "shm"}, 1.5e-6),
                          ({"bytes": 16, "way": "shm"}, 1.75e-6)])
        self.assertEqual(notes, [])

    def test_lines_may_end_as_on_windows(self):
        points, _ = found_in((LATENCY + "8     1.50\n").replace("\n", "\r\n"))
        self.assertEqual(points[0][3], 1.5e-6)

    def test_repeated_runs_give_one_sample_per_value(self):
        runs = "".join(f"{LATENCY}8 {value}\n" for value in (1.0, 1.2, 1.1))
        (document,) = findings.documents_of(
            [imports.osu.parse(Source("x.log", runs), Given())], Given())
        (point,) = document.measurements
        self.assertEqual((point.samples_s, point.median_s), ([1e-6, 1.2e-6, 1.1e-6], 1.1e-6))

    def test_unknown_tests_and_zeros_are_left_out_and_said(self):
        text = LATENCY + "8 0.00\n16 1.00\n# OSU MPI Init Test v5.8\nnprocs: 4\n"
        points, notes = found_in(text)
        self.assertEqual(len(points), 1)
        self.assertEqual(notes, [
            "x.log:3: 0 is less than what the digits can show: row omitted",
            "x.log:5: 'Init' is no test that this program supports: its table is omitted"])


class Imb(unittest.TestCase):
    def setUp(self):
        self.points, self.notes = found_in("Number of nodes: 2\n" + IMB)

    def test_the_ranks_of_the_first_host_come_first(self):
        self.assertEqual(self.points[1], ("probes", "ping_pong",
                                          {"bytes": 1024, "way": "shm"}, 1.9e-6))
        self.assertEqual(self.points[2], ("replay", "allreduce",
                                          replay("allreduce", Layout(6, 4), 4), 4e-6))
        self.assertEqual(self.points[2][2]["placement"], "4-2")

    def test_the_largest_of_the_ranks_times_counts(self):
        self.assertEqual(self.points[3], ("replay", "barrier", replay("barrier", Layout(8, 4)),
                                          1.5e-6))

    def test_messages_of_both_directions_are_counted(self):
        self.assertEqual(self.points[4], ("probes", "stream", {
            "bytes": 8, "way": "network", "pairs": 4, "directions": 2, "window": 64},
            2 * 4 / 2000000))

    def test_unmeasured_rows_are_reported(self):
        self.assertEqual(self.notes, [
            "x.log:26: not measured: out-of-mem.; needed X= 0.5 GB",
            "x.log:24: 0 is less than what the digits can show: row omitted"])

    def test_one_log_may_hold_what_several_programs_printed(self):
        points, _ = found_in(LATENCY + "8 1.00\n" + IMB + BARRIER, nodes=2)
        self.assertEqual(len(points), 1 + 1 + 5)


class NcclTests(unittest.TestCase):
    def test_the_program_names_the_collective_and_logs_stand_in_between(self):
        points, notes = found_in(NCCL)
        layout = Layout(2, 1)
        self.assertEqual(points, [
            ("replay", "allgather", replay("allgather", layout, size, buffers=buffers), seconds)
            for size, buffers, seconds in ((1024, "out of place", 20.5e-6),
                                           (1024, "in place", 19e-6),
                                           (2048, "out of place", 21.5e-6))])
        self.assertEqual(notes, [])

    def test_the_header_says_which_nccl_it_was(self):
        for code, name in (("22501", "NCCL 2.25.1"), ("2804", "NCCL 2.8.4")):
            source = Source("x.log", NCCL.replace("nccl-library=22501", f"nccl-library={code}"))
            self.assertEqual(imports.nccl_tests.parse(source, Given()).where["mpi"], name)

    def test_the_siblings_have_the_names_that_the_simulator_knows(self):
        whole = re.sub(r"0\.(05|10) 0\.\d\d", r"0.\1 0.\1", NCCL)  # busbw is algbw
        for program, collective, cells, text in (
                ("broadcast", "broadcast", "none 0", whole), ("reduce", "reduce", "sum 0", whole),
                ("sendrecv", "sendrecv", "sum -1", whole),
                ("all_reduce", "allreduce", "sum -1", whole),
                ("reduce_scatter", "reduce_scatter", "sum -1", NCCL),
                ("alltoall", "alltoall", "none -1", NCCL)):
            points, _ = found_in(text.replace("all_gather_perf", f"{program}_perf")
                                 .replace("none -1", cells))
            self.assertEqual({what for _, what, _, _ in points}, {collective}, program)

    def test_sendrecv_of_a_ring_of_ranks_is_imported(self):
        third = NCCL_RANK_1.replace("Rank  1", "Rank  2").replace("node-2", "node-3")
        whole = re.sub(r"0\.(05|10) 0\.\d\d", r"0.\1 0.\1", NCCL)
        points, notes = found_in(whole.replace("all_gather_perf", "sendrecv_perf")
                                 .replace("none -1", "sum -1")
                                 .replace(NCCL_RANK_1, NCCL_RANK_1 + third))
        layout = Layout(3, 1)
        self.assertEqual([(parameters, seconds) for _, _, parameters, seconds in points], [
            (replay("sendrecv", layout, size, buffers=place), seconds) for size, place, seconds in (
                (1024, "out of place", 20.5e-6), (1024, "in place", 19e-6),
                (2048, "out of place", 21.5e-6))])
        self.assertEqual(notes, [])

    def test_runs_of_a_single_rank_each_are_reported(self):
        alone = re.sub(r"0\.(05|10) 0\.\d\d", r"0.\1 0.00", NCCL)  # busbw of one rank
        alone = alone.replace(NCCL_RANK_1, "").removeprefix("srun: job 17 started\n")
        self.assertEqual(found_in(alone)[1], [])
        self.assertEqual(found_in(alone * 2)[1], [  # 15 lines each, head in the third
            "x.log:18: all 2 runs are of a single rank: was nccl-tests built without MPI=1?"])

    def test_a_run_without_its_end_and_wrong_results_are_said(self):
        text = NCCL.replace("values : 0 OK", "values : 3 FAILED").replace("# Avg", "# An")
        _, notes = found_in(text)
        self.assertEqual(notes, [
            "x.log:4: this run had wrong results",
            'x.log:4: this run has no line "# Avg bus bandwidth": was it cut short?'])


if __name__ == "__main__":
    unittest.main()
