# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is every input that an importer cannot read refused with its line, its column and a reason?"""

import gzip
import tempfile
import time
import unittest

from common.programs import InputError
from validation.calibration import imports
from validation.calibration.imports.findings import Given
from validation.calibration.imports.source import Source, read_source

OSU = "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n"
ALLREDUCE = "# OSU MPI Allreduce Latency Test v5.8\n# Size       Avg Latency(us)\n"
RATE = "# OSU MPI Multiple Bandwidth / Message Rate Test v5.8\n"
IMB = "# Benchmarking PingPong\n# #processes = 2\n"
RCCL = "numCycle,collective,gpus,size,type,redop,inplace,time,algbw,busbw,#wrong\n"
IMB_HEADER = "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
NCCL = "# nThread 1 nGpus 2 minBytes 8\n"
DEVICES = ("#  Rank  0 Group  0 Pid 1 on a device  0 [0x07] H100\n"
      "#  Rank  1 Group  0 Pid 1 on a device  1 [0x0f] H100\n")
NCCL_HEADER = "#  size  count  type  redop  time  algbw  busbw\n"
NCCL_UNITS = "#  (B)  (elements)  (us)  (GB/s)  (GB/s)\n"
RUN = NCCL + DEVICES
ROW = "8 2 float sum 1.0 0.0 0.0\n"
CSV = "benchmark,nodes,ranks_per_node,bytes,median_us\n"
TRACE = "# placed 1 + 1 ranks per node\nrank,step,event,seconds\n"
P2P = "metric,src,dst,value\n"

# (input, what is said after "x.log:")
BAD = [
    (RCCL + '0,"AllReduce",8,1024,"float","sum",2,20.0,0.0512,0.0896,"0"\n',
     "2:1: expected name, gpus or ranksPerNode and gpusPerRank, size, type, redop, inPlace, time, "
     "algBw, busBw, got IndexError: tuple index out of range"),
    (RCCL + '0,"AllReduce",8,1024,"float","sum",0,20.0,0.0256,0.0448,"0"\n',
     "2:1: expected an algorithm bandwidth of 1024 B or 8192 B in 20 us, got 0.0256 GB/s"),
    (RCCL.replace("gpus,", "ranks,rankspernode,gpusperrank,") +
     '0,"AllReduce",1,8,8,1,1024,"float","sum",0,20.0,0.0512,0.0896,"0"\n',
     "2:1: expected --nodes N or --ranks-per-node N, which this format lacks, got neither"),
    (RCCL + '"AllReduce",1,8,1024,"float","sum",0,20.0,0.0512,0.0896,"0"\n',
     "2:1: expected a collective (allgather, allreduce, alltoall, alltoallv, barrier, broadcast, "
     "exchange, gather, reduce, reduce_scatter, scatter, sendrecv), got \"1\""),
    (RCCL + '0,"AllReduce",900000000,1024,"float","sum",0,20.0,0.0512,0.0896,"0"\n',
     "2:1: expected 1 to 131072 GPUs, got 900000000"),
    (RCCL + '0,"AllReduce",8,1024,"float","sum",0,20.0,0.0512,0.0896,"3"\n',
     "1:1: expected a table with times of rccl-tests, got x.log:2: 3 wrong results out of place: "
     "time omitted"),
    ("hello\nworld\n",
     "1:1: expected output of a known format (osu, imb, nccl-tests, "
     "nccl-tests-json, nccl-csv, csv, ring-trace,"
     " p2p-csv, rates-csv, p2p-test, nvbandwidth, overlap-csv, nccl-inspector, transferbench, "
     "rccl-tests, deepspeed, markdown, own-table), got"
     " none of their headers in the file; --format NAME sets it. Your own table needs units in its "
     "header, such as size_mb,time_ms"),
    (OSU, "2:1: expected rows below this header, got none"),
    (OSU + "\n# OSU MPI Init Test v5.8\n", "2:1: expected rows below this header, got none"),
    ("# OSU MPI Latency Test v5.8\n",
     '1:1: expected a header ("# Size ...") below this title, got none'),
    ("# OSU MPI Latency Test v5.8\n" + ALLREDUCE + "4 1.0\n",
     '1:1: expected a header ("# Size ...") below this title, got none'),
    (OSU.replace("(us)", "(ms)") + "8 1.0\n", "2:25: expected (us), got (ms)"),
    (OSU.replace("(us)", "(us)  Jitter (us)") + "8 1.0 2.0\n",
     "2:31: expected a column of OSU micro-benchmarks (Size, Latency (us), Min "
     "Latency(us), Max Latency(us), P50 Tail Lat(us), Bandwidth (MB/s), MB/s, "
     'Messages/s, Iterations, Validation; of non-blocking collectives Overall(us), '
     'Compute(us), Pure Comm.(us), Overlap(%)), got "Jitter (us)"'),
    (OSU + "8\n", "3:2: expected 2 cells (Size, time), got 1"),
    (OSU + "8  1.50  7\n", "3:10: expected 2 cells (Size, time), got 3"),
    (OSU + "8  fast\n", '3:4: expected a time in microseconds, got "fast"'),
    (OSU + "8  1.5us\n", '3:4: expected a time in microseconds, got "1.5us"'),
    (OSU + "8  nan\n", '3:4: expected a time in microseconds, got "nan"'),
    (OSU + "8  5e-324\n", '3:4: expected a time in microseconds, got "5e-324"'),
    (OSU + "8  1e300\n", '3:4: expected a time in microseconds, got "1e300"'),
    (OSU.replace("Latency", "Bandwidth").replace("(us)", "(MB/s)") + "8  5e-324\n",
     '3:4: expected a number, not negative, got "5e-324"'),
    (OSU + "8  -1.5\n", '3:4: expected a time in microseconds, got "-1.5"'),
    (OSU + "8x  1.5\n", '3:1: expected a size in bytes, got "8x"'),
    (OSU + "1.5  1.5\n", '3:1: expected a size in bytes, got "1.5"'),
    (OSU + "16  1.7",
     "3:8: expected the end of the line (a file that was cut short lacks it), got "
     "the end of the file"),
    (OSU + "8  1.50\nwarning\n16  1.7x\n", '5:5: expected a time in microseconds, got "1.7x"'),
    (ALLREDUCE + "4 1.0\n",
     '1:1: expected on how many nodes this ran: --nodes N, or a line "Number of '
     'nodes: N" before this table, got neither'),
    (RATE + "# Size  MB/s  Messages/s\n8 1.0 1.0\n",
     '2:1: expected "# [ pairs: N ] [ window size: N ]" before this header, got none'),
    (RATE + "# [ pairs: 2 ] [ window size: 64 ]\n# Size  MB/s  Messages/s\n8 1.0 1.0\n",
     "1:1: expected between how many nodes the 2 pairs were: --nodes N, or a line "
     '"Number of nodes: N" before this table, got neither'),
    (RATE + "# [ pairs: 1 ] [ window size: 64 ]\n# Size  MB/s\n8 1.0\n",
     "3:1: expected the column Messages/s of 'Multiple Bandwidth / Message Rate', "
     "got Size, rate"),
    ("# OSU MPI Bandwidth Test v5.8\n# Size  Bandwidth (GB/s)\n8 1.0\n",
     "2:19: expected (MB/s), got (GB/s)"),
    ("# OSU MPI Init Test v5.8\nnprocs: 4\n",
     "1:1: expected a table with times of osu, got x.log:1: 'Init' is no test "
     "that this program supports: its table is omitted"),
    ("# OSU MPI Latency Test v5.8\n8  1.50\n# Size  Latency (us)\n16  1.50\n",
     "2:1: expected one header below the title of line 1, then rows, got another order: did two "
     "programs print into this log?"),
    (IMB,
     '1:1: expected "# #processes = N" and a header ("#bytes #repetitions ...") '
     "below this title, got none"),
    (IMB + IMB_HEADER, "3:1: expected rows below this header, got none"),
    (IMB + IMB_HEADER.replace("t[usec]", "t[msec]") + "8 1000 1.0 2.0\n",
     "3:33: expected a column of the Intel MPI Benchmarks (#bytes, #repetitions, "
     "t[usec], t_min[usec], t_max[usec], t_avg[usec], t_ovrl[usec], t_pure[usec], "
     "t_CPU[usec], overlap[%], Mbytes/sec, Msg/sec, defects, Group),"
     ' got "t[msec]"'),
    (IMB + IMB_HEADER +
     "8 1000 1.0\n", "4:11: expected 4 cells (bytes, repetitions, time, rate), got 3"),
    (IMB + IMB_HEADER + "8 1000 x 2.0\n", '4:8: expected a time in microseconds, got "x"'),
    (IMB.replace("PingPong", "Allreduce").replace("2", "4") +
     IMB_HEADER.replace("t[usec]   Mbytes/sec", "t_max[usec]") + "8 1000 1.0\n",
     "1:1: expected on how many nodes the 4 processes ran: --nodes N or "
     '--ranks-per-node N, or a line "Number of nodes: N" before this table, got '
     "neither"),
    (IMB + "#repetitions t[usec]\n1000 1.0\n",
     "3:1: expected the column bytes of 'PingPong', got repetitions, time"),
    (IMB + "#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n8 1000 1.0 2.0 1.5\n",
     "3:1: expected the column rate of 'PingPong', got bytes, repetitions, least, most, mean"),
    ("# Benchmarking PingPong\n" + IMB_HEADER + "8 1000 1.0 2.0\n",
     '1:1: expected "# #processes = N" and a header ("#bytes #repetitions ...") '
     "below this title, got no number of processes"),
    (NCCL, '1:1: expected a header ("# size count type ...") below this line, got none'),
    (NCCL + NCCL_HEADER + NCCL_UNITS + ROW,
     '1:1: expected lines "#  Rank N ... on HOST device N ..." below, or --nodes N and '
     "--ranks-per-node N, got none"),
    (RUN, '1:1: expected a header ("# size count type ...") below this line, got none'),
    (RUN + "a: Test NCCL failure x.cu:5\nsrun: error: a: task 0: Exited with exit code 3\n",
     '1:1: expected a header ("# size count type ...") below this line, got none: the run ended '
     'before it ("a: Test NCCL failure x.cu:5", exit code 3)'),
    (RUN.replace("\n#  Rank  1", "\n#  Bank  1") * 2,
     "4:1: expected the table of the run of line 1, got another run: was nccl-tests built "
     "without MPI=1?"),
    (RUN * 2, "4:1: expected the table of the run of line 1, got another run: two runs printed "
     "into this log"),
    ("# OSU MPI Latency Test v5.8\nmpirun noticed that process rank 1 exited on signal 11\n",
     '1:1: expected a header ("# Size ...") below this title, got none: the run ended before it '
     '("mpirun noticed that process rank 1 exited on signal 11")'),
    (OSU + "slurmstepd: error: *** STEP 1.0 CANCELLED DUE TO TIME LIMIT ***\n",
     "2:1: expected rows below this header, got none: the run ended before it "
     '("slurmstepd: error: *** STEP 1.0 CANCELLED DUE TO TIME LIMIT ***")'),
    (RUN + NCCL_HEADER + NCCL_UNITS, "5:1: expected rows below this header, got none"),
    (RUN + NCCL_HEADER + NCCL_UNITS.replace("us", "ms") + ROW,
     "5:21: expected (us), got (ms)"),
    (RUN + NCCL_HEADER + NCCL_UNITS + "8 2 float sum 1.0 0.0\n",
     "6:22: expected 7 cells (size, count, type, redop, time, algbw, busbw), got 6"),
    ("# all_reduce_perf\n" + RUN + NCCL_HEADER + NCCL_UNITS + "8 2 float sum abc 0.0 0.0\n",
     '7:15: expected a time in microseconds, got "abc"'),
    (RUN + NCCL_HEADER + NCCL_UNITS + ROW,
     "1:1: expected which collective this is: --collective NAME, or a line with the "
     "program's name (all_reduce_perf), got neither; by its columns: all_reduce or "
     "reduce_scatter or sendrecv"),
    ("Number of nodes: 1\n" + ALLREDUCE + "4 1.0\n",
     "2:1: expected how many ranks ran on the one node: --ranks-per-node N, got nothing"),
    (RATE + "# [ pairs: 0 ] [ window size: 64 ]\n# Size  MB/s  Messages/s\n8 1.0 1.0\n",
     '3:1: expected "# [ pairs: N ] [ window size: N ]" before this header, got none'),
    (CSV + "osu_allreduce,99999999999,1,4,1.0\n",
     "2:15: expected a number of 1 to 1000000, got 99999999999"),
    (IMB.replace("= 2", "= 1") + IMB_HEADER + "8 1000 1.0 2.0\n",
     "1:1: expected at least two processes for PingPong, got 1"),
    (RUN + NCCL_HEADER.replace("time", "latency") + NCCL_UNITS + ROW,
     "4:30: expected a column of nccl-tests (size, count, type, redop, root, time, "
     'cputime, algbw, busbw, error, #wrong, '
     '#bitdiff, i_min, i_max, i_p99, i_cv%, timestamp, algo, proto, nchannels), got "latency"'),
    (NCCL + DEVICES.replace("Rank  1", "Rank  2") + NCCL_HEADER + NCCL_UNITS + ROW,
     "1:1: expected a device for rank 1, or --nodes N or --ranks-per-node N, got one for "
     "rank 2"),
    (CSV, "1:1: expected rows below this header, got none"),
    (CSV + "osu_latency,2,1,8\n",
     "2:18: expected 5 cells (benchmark, nodes, ranks_per_node, bytes, median_us), got 4"),
    (CSV + "osu_latency,2,1,8,1.5,9\n",
     "2:23: expected 5 cells (benchmark, nodes, ranks_per_node, bytes, median_us), got 6"),
    (CSV + "osu_latency,2,1,8,quick\n", '2:19: expected a time in microseconds, got "quick"'),
    (CSV + "osu_latency,0,1,8,1.5\n", "2:13: expected a number of 1 to 1000000, got 0"),
    (CSV + "osu_bw,2,1,8,1.5\n",
     "2:1: expected one of osu_latency, osu_alltoall, osu_alltoallv, osu_bcast, "
     "osu_allgather, osu_allgatherv, osu_allreduce, osu_barrier, osu_gather, "
     "osu_gatherv, osu_reduce, osu_reduce_scatter, osu_scatter, osu_scatterv, got "
     '"osu_bw"'),
    (CSV.replace("median_us", "median_ms") + "osu_latency,2,1,8,1.5\n",
     "1:38: expected the columns benchmark,nodes,ranks_per_node,bytes,median_us, got"
     ' "median_ms"'),
    (CSV.replace(",bytes", "") + "osu_latency,2,1,1.5\n",
     "1:41: expected the columns benchmark,nodes,ranks_per_node,bytes,median_us, got no bytes"),
    (CSV + "osu_latency,2,1,8,1.5",
     "2:22: expected the end of the line (a file that was cut short lacks it), got "
     "the end of the file"),
    (CSV + "osu_latency,2,1,8,0\n", "2:19: expected a positive time, got 0"),
    (TRACE + "0,0,send_returned,0.5\n0,,done,1.0\n",
     "4:1: expected a line with the event done of rank 1, got none"),
    (TRACE +
     "0,0,sent,0.5\n", '3:5: expected one of send_returned, wait_returned, done, got "sent"'),
    (TRACE + "2,0,send_returned,0.5\n", "3:1: expected a rank below 2, as 1-1 has, got 2"),
    (TRACE + "0,,send_returned,0.5\n", '3:3: expected a step, got ""'),
    (TRACE.split("\n")[1] + "\n0,,done,1.0\n",
     '1:1: expected the placement: --placement 3-3, or a comment with "3 + 3 ranks '
     'per node", got neither'),
    (P2P + "latency_ms,0,1,0.5\n",
     '2:1: expected one of latency_us, bandwidth_gb_per_s, got "latency_ms"'),
    (P2P + "latency_us,a,1,0.5\n", '2:12: expected a device, got "a"'),
]


def complaint(action) -> str:
    try:
        action()
    except InputError as error:
        return str(error)
    return "nothing"


def parse(text):
    source = Source("x.log", text)
    imports.parse(source, Given())


class BadInput(unittest.TestCase):
    def test_is_refused_with_its_place_the_line_and_a_caret(self):
        for text, said in BAD:
            with self.subTest(said):
                line, column = (int(number) for number in said.split(":")[:2])
                self.assertEqual(complaint(lambda: parse(text)).splitlines(), [
                    f"x.log:{said}", "  " + text.splitlines()[line - 1],
                    " " * (column + 1) + "^"])

    def test_a_long_line_is_shown_around_its_place(self):
        text = "benchmark,nodes,ranks_per_node,bytes,median_us\n" + "osu_bcast," * 40 + "\n"
        _, line, caret = complaint(lambda: parse(text)).splitlines()
        self.assertLess(len(line), 170)
        self.assertLess(len(caret), 170)

    def test_time_of_a_long_line_is_linear(self):
        for text in ("x" * 300000, "Aa" * 150000):
            begun = time.process_time()
            self.assertIn("known format", complaint(lambda: parse(text + "\n")))
            self.assertLess(time.process_time() - begun, 5, text[:4])


class Files(unittest.TestCase):
    def read(self, data):
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            return complaint(lambda: read_source(file.name)).replace(file.name, "x.log")

    def test_a_log_may_be_packed_by_gzip_to_a_200th_of_its_size(self):
        log = (OSU + "".join(f"{8 << i} {1.5 + i}\n" for i in range(12))).encode()
        packed = gzip.compress(log)
        self.assertEqual(self.read(packed), "nothing")
        self.assertIn("expected one whole file of gzip's, got a cut one", self.read(packed[:-9]))
        self.assertIn("got more behind it", self.read(packed + b"more"))
        self.assertIn("cannot be unpacked", self.read(packed[:12] + b"\xff" * 20))
        self.assertIn("at most 200 times the size that gzip packed it to",
                      self.read(gzip.compress(b"8 1.5\n" * (1 << 18))))

    def test_an_empty_file_a_binary_file_and_a_folder_are_named(self):
        self.assertEqual(self.read(b" \n"),
                         "x.log:1:1: expected the output of a benchmark, got an empty file")
        self.assertEqual(self.read(b"\x7fELF\x01\x00"), "x.log: expected text, got a binary file")
        self.assertEqual(self.read("caf\u00e9\n".encode("latin-1")), "nothing")
        self.assertEqual(complaint(lambda: read_source("/")), "/: cannot be read: Is a directory")

    def test_a_file_may_be_of_windows(self):
        for data in (OSU.encode("utf-16"), OSU.encode() + b"\x1a", OSU.encode("utf-8-sig")):
            self.assertEqual(self.read(data), "nothing")
            with tempfile.NamedTemporaryFile() as file:
                file.write(data)
                file.flush()
                self.assertEqual(read_source(file.name).lines[:2], OSU.splitlines()[:2])

    def test_a_number_that_no_float_holds_is_refused_with_its_place(self):
        for begin in (b"# OSU MPI Latency Test v5.8\n", b"nvbandwidth Version: v0.4\n a "):
            line, column = begin.count(b"\n") + 1, len(begin.split(b"\n")[-1]) + 1
            self.assertEqual(self.read(begin + b"7" * 300 + b"\n"), "nothing")
            for digits in (301, 5000):  # Python itself reads at most 4300
                said = self.read(begin + b"7" * digits + b" 1\n")
                self.assertEqual(said.splitlines()[0],
                                 f"x.log:{line}:{column}: expected numbers of at most 300 digits, "
                                 f"got one of {digits}")


if __name__ == "__main__":
    unittest.main()
