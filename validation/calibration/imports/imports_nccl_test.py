# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are logs of nccl-tests read in all the shapes in which people quote them?"""

import argparse
import json
import unittest

from common.programs import InputError
from validation.calibration import imports
from validation.calibration.imports import collectives, findings
from validation.calibration.imports.findings import Given
from validation.calibration.imports.source import Source

FIRST = "# nThread 1 nGpus 1 minBytes 4194304 maxBytes 8388608\n"
HEADER = ("#       size         count      type   redop    root     time   algbw   busbw #wrong"
          "     time   algbw   busbw #wrong\n"
          "#        (B)    (elements)                     (us)  (GB/s)  (GB/s)"
          "            (us)  (GB/s)  (GB/s)       \n")
END = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 12\n"


def device(rank: int, host: str, number: int) -> str:
    return (f"#  Rank {rank:2} Group  0 Pid {900 + rank} on {host} device {number:2} "
            f"[0x0{number}] NVIDIA A100\n")


def devices(counts=(2, 2)) -> str:
    places = [(f"node{host}", i) for host, count in enumerate(counts) for i in range(count)]
    return "".join(device(rank, *place) for rank, place in enumerate(places))


def row(size: int, factor: float, redop="sum", root=-1, seconds=2e-4, wrong=("0", "0"),
        kind="float") -> str:
    algbw = size / seconds / 1e9
    half = f"{1e6 * seconds:.2f} {algbw:.2f} {algbw * factor:.2f}"
    return f"{size} {size // 4} {kind} {redop} {root} {half} {wrong[0]} {half} {wrong[1]}\n"


def log(rows: str, places: str = None, first=FIRST) -> str:
    return first + (devices() if places is None else places) + HEADER + rows + END


def read(text: str, **given):
    """(the points, the notes)"""
    source = Source("x.log", text)
    (one,) = [form.parse(source, Given(**given)) for form in imports.formats_of(source)]
    return [point for _, point, _ in one.points], one.notes


def complaint(text: str, **given) -> str:
    try:
        read(text, **given)
    except InputError as error:
        return str(error).splitlines()[0]
    return ""


class Collective(unittest.TestCase):
    def test_ratio_and_columns_name_it(self):
        share = 3 / 4
        for name, line in (("allreduce", row(4 << 20, 2 * share)),
                           ("reduce_scatter", row(4 << 20, share)),
                           ("allgather", row(4 << 20, share, "none")),
                           ("alltoall", row(4 << 20, share, "none", wrong=("0", "N/A"))),
                           ("broadcast", row(4 << 20, 1, "none", 2)),
                           ("reduce", row(4 << 20, 1, "max", 0))):
            points, notes = read(log(line))
            self.assertEqual({point.what for point in points}, {name})
            self.assertEqual(notes, [])

    def test_two_ranks_without_root_allreduce(self):
        points, _ = read(log(row(4 << 20, 1), devices((1, 1))))
        self.assertEqual({point.what for point in points}, {"allreduce"})

    def test_half_of_a_table_is_of_the_place_above_it(self):
        halves = HEADER.replace("     time   algbw   busbw #wrong\n", "\n").replace(
            "            (us)  (GB/s)  (GB/s)       \n", "\n")
        line = "4194304 1048576 float sum -1 200.00 20.97 31.46 0\n"
        for above in ("out of place", "in place"):
            text = FIRST + devices() + f"#   {above.replace(' ', '-')}\n" + halves + line + END
            points, _ = read(text)
            self.assertEqual([point.parameters["buffers"] for point in points], [above])

    def test_ambiguous_table_is_rejected_with_candidates(self):
        unchecked = row(4 << 20, 3 / 4, "none", wrong=("N/A", "N/A"))
        self.assertIn("got neither; by its columns: all_gather or alltoall",
                      complaint(log(unchecked)))
        self.assertIn("all_reduce or reduce_scatter of a single rank",
                      complaint(log(row(4 << 20, 0), devices((1,)))))

    def test_option_accepts_known_spellings_only(self):
        for text in ("all_gather", "allgather", "All-Gather", "all_gather_perf", "MPI_Allgather"):
            points, _ = read(log(row(4 << 20, 3 / 4, "none")), collective=text)
            self.assertEqual({point.what for point in points}, {"allgather"}, text)
        for text in ("nonsense", "ring", "all"):
            with self.assertRaises(argparse.ArgumentTypeError) as raised:
                collectives.of_option(text)
            self.assertRegex(str(raised.exception),
                             f"^expected one of allgather, allreduce, .*, got '{text}'$")
        self.assertEqual(collectives.named("bcast"), "broadcast")

    def test_option_that_the_table_contradicts_is_rejected(self):
        share = 3 / 4
        for text, line, expected in (
                ("allreduce", row(4 << 20, share, "none"), "all_gather or alltoall"),
                ("reduce_scatter", row(4 << 20, 2 * share), "all_reduce"),
                ("barrier", row(4 << 20, 2 * share), "all_reduce"),
                ("allgather", row(4 << 20, 1, "none", 2), "broadcast")):
            self.assertIn(f"expected --collective {expected}, as columns and bandwidths of this "
                          f"table show, got {text}", complaint(log(line), collective=text))
        alone, one = log(row(4 << 20, 0), devices((1,))), {"nodes": 1, "ranks_per_node": 1}
        self.assertEqual(complaint(alone, collective="allreduce", **one), "")

    def test_ranks_that_the_bandwidths_contradict_are_rejected(self):
        bare = log(row(64 << 20, 2 * 15 / 16), "")
        for given in ({"nodes": 4}, {"nodes": 4, "collective": "allreduce"}):
            self.assertIn("expected 16 ranks, as the ratio of busbw to algbw shows, got 32 from",
                          complaint(bare, ranks_per_node=8, **given))


class Network(unittest.TestCase):
    def kind(self, *lines, name="H100"):
        text = "".join(f"node0:17:20 [0] NCCL INFO {line}\n" for line in lines)
        source = Source("x.log", text + log(row(4 << 20, 3 / 2)).replace("A100", name))
        return imports.nccl_tests.parse(source, Given()).where.get("link_kind")

    def test_info_lines_name_it(self):
        socket = "NET/Socket : Using [0]eth0:10.0.0.1<0>"
        for expected, *lines in (
                (None,), (None, "Using network IB"),
                ("infiniband", "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_2:1/IB [2]mlx5_3:1/IB/SHARP"
                 " [RO]; OOB eth0:10.0.0.1<0>", "Using network IB"),
                ("roce", "NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>"),
                ("efa_p5", "NET/OFI Selected Provider is efa (found 32 nics)"),
                ("slingshot", "NET/OFI Selected provider is cxi, fabric is cxi (found 4 nics)"),
                ("tcpxo", "NET/FasTrak plugin initialized", "Using network FasTrak"),
                ("tcpx", "Using network GPUDirectTCPX_v7"),
                ("socket", "NET/IB : No device found.", socket, "Using network Socket"),
                ("socket", "Channel 00/0 : 1[1] -> 2[0] [send] via NET/Socket/0"),
                ("sockets", socket, "NET/Socket: Using 2 threads and 8 sockets per thread"),
                ("slingshot_socket", "NET/OFI Selected provider is cxi", "Using network Socket",
                 "NET/Socket : Using [0]hsn0:10.0.0.1<0> [1]hsn1:10.0.0.2<0>"),
                (None, socket, "Using network Elsewhere")):
            self.assertEqual(self.kind(*lines), expected, lines)

    def test_generation_of_efa_follows_from_the_gpu(self):
        for name, expected in (("A100", "efa_p4d"), ("H200", "efa_p5"), ("B200", "efa_p6"),
                               ("V100", None)):
            self.assertEqual(self.kind("NET/OFI Selected Provider is efa", name=name), expected)


class Shape(unittest.TestCase):
    PLAIN = log(row(4 << 20, 3 / 2))

    def seen(self, text: str, **given):
        points, _ = read(text, **given)
        return [(point.what, point.median_s, point.parameters["placement"]) for point in points]

    def test_lost_marks_and_heads_change_nothing(self):
        expected = self.seen(self.PLAIN)
        self.assertEqual(expected, [("allreduce", 2e-4, "2x2")] * 2)
        for text in (self.PLAIN.removeprefix(FIRST), self.PLAIN.replace("#", " "),
                     self.PLAIN.replace("#", " ").removeprefix(FIRST.replace("#", " "))):
            self.assertEqual(self.seen(text), expected, text)

    def test_label_of_a_launcher_is_taken_off(self):
        expected = self.seen(self.PLAIN)
        for label in ("[1,0]<stdout>:", "0: ", "0:", "[node7:0] ", "[0] ", "node-7: "):
            labelled = "".join(label + line for line in self.PLAIN.splitlines(keepends=True))
            self.assertEqual(self.seen(labelled), expected, label)
        pieces = "".join("[0] " + line for line in
                         self.PLAIN.replace("sum -1 ", "sum -1[0] ").splitlines(keepends=True))
        self.assertEqual(self.seen(pieces), expected)

    def test_lines_of_other_ranks_are_other_lines(self):
        labelled = "".join(f"0: {line}1: some warning 4\n"
                           for line in self.PLAIN.splitlines(keepends=True))
        self.assertEqual(self.seen(labelled), self.seen(self.PLAIN))

    def test_omitted_rows_are_noted(self):
        points, notes = read(log(row(1 << 20, 3 / 2) + "...\n" + row(8 << 20, 3 / 2)))
        self.assertEqual(len(points), 4)
        self.assertEqual(notes, ['x.log:1: "..." marks rows that this log omits'])

    def test_a_gpu_of_two_ranks_leaves_the_number_of_hosts_in_doubt(self):
        places = "".join(device(rank, "worker", rank % 2) for rank in range(4))
        text = log(row(1 << 20, 3 / 2), places)
        self.assertEqual(read(text)[1], [
            "x.log:1: ranks 0 and 2 have one GPU of worker. If several hosts have this name, as in "
            "containers, add --nodes N"])
        self.assertEqual({one[2] for one in self.seen(text)}, {"4"})
        self.assertEqual({one[2] for one in self.seen(text, nodes=2)}, {"2x2"})
        self.assertEqual(read(text, nodes=2)[1], [])

    def test_ranks_without_devices_come_from_options_or_the_ratio(self):
        bare = log(row(64 << 20, 2 * 15 / 16), "")
        for given in ({"nodes": 2}, {"ranks_per_node": 8}, {"nodes": 2, "ranks_per_node": 8}):
            self.assertEqual({one[2] for one in self.seen(bare, **given)}, {"8x2"}, given)
        self.assertIn("--nodes N and --ranks-per-node N, got none, of 16 ranks", complaint(bare))
        elided = log(row(64 << 20, 2 * 15 / 16), device(0, "a", 0) + device(15, "b", 7))
        self.assertEqual({one[2] for one in self.seen(elided, nodes=2)}, {"8x2"})
        self.assertIn("expected a device for rank 1, or --nodes N", complaint(elided))

    def test_option_that_contradicts_devices_is_noted(self):
        points, notes = read(self.PLAIN, nodes=3)
        self.assertEqual(points[0].parameters["hosts_count"], 2)
        self.assertIn("x.log:1: --nodes 3 is not used", notes[0])

    def test_ranks_round_the_hosts_are_listed(self):
        for numbers in ((0, 0, 1, 1), (0, 0, 0, 0)):  # each rank may see its own GPU as 0
            places = "".join(device(rank, "ab"[rank % 2], number)
                             for rank, number in enumerate(numbers))
            points, _ = read(log(row(4 << 20, 3 / 2), places))
            self.assertEqual(points[0].parameters["placement"], "2x2 listed")
            self.assertEqual(points[0].scenario["placement"], [
                {"host": 0, "gpu": 0}, {"host": 1, "gpu": 0}, {"host": 0, "gpu": 1},
                {"host": 1, "gpu": 1}])


class Apart(unittest.TestCase):
    def documents(self, text: str) -> list:
        source = Source("x.log", text)
        found = [form.parse(source, Given()) for form in imports.formats_of(source)]
        return findings.documents_of(found, Given()), found[0].notes

    def test_types_and_operations_are_no_samples_of_one_case(self):
        rows = row(4 << 20, 3 / 2) + row(4 << 20, 3 / 2, kind="int8", seconds=3e-4) + \
            row(4 << 20, 3 / 2, "prod", seconds=4e-4)
        (document,), _ = self.documents(log(rows))
        self.assertEqual(len(document.measurements), 6)
        self.assertEqual(document.measurements[2].parameters["type"], "int8")
        self.assertEqual(document.measurements[4].parameters["operation"], "prod")

    def test_choices_of_rccl_behind_a_row_are_read(self):
        text = log(row(4 << 20, 3 / 2).replace("\n", "   Ring  LL128   56\n"))
        points, notes = read(text.replace(" #wrong\n", " #wrong     algo    proto   nchannels\n"))
        self.assertEqual([point.median_s for point in points], [2e-4, 2e-4])
        self.assertEqual(notes, [])

    def test_wrong_results_are_no_times(self):
        points, notes = read(log(row(4 << 20, 3 / 2) + row(8 << 20, 3 / 2, wrong=("0", "7"))))
        self.assertEqual(len(points), 3)
        self.assertIn("x.log:9: 7 wrong results in place: time omitted", notes)

    def test_rows_of_two_programs_in_one_table_are_rejected(self):
        both = "".join(row(size << 20, 3 / 2) for size in (1, 2, 1, 4, 2, 8, 4, 8))
        self.assertIn("x.log:10:1: expected each size once, as of one run, got the size of line 8 "
                      "again: two programs", complaint(log(both)))
        (document,), _ = self.documents(log("".join(row(size << 20, 3 / 2)
                                                    for size in (1, 2, 4, 1, 2, 4))))
        self.assertEqual([len(one.samples_s) for one in document.measurements], [2] * 6)

    def test_tables_before_and_after_a_change_stay_apart(self):
        slow = log(row(4 << 20, 3 / 2, seconds=9e-4) + row(8 << 20, 3 / 2, seconds=9e-4))
        fast = log(row(4 << 20, 3 / 2) + row(8 << 20, 3 / 2))
        (document,), notes = self.documents(fast + slow + fast)
        self.assertEqual(len(document.measurements), 8)
        self.assertEqual({len(one.samples_s) for one in document.measurements}, {0, 2})
        self.assertEqual(notes, ["x.log:17: 4.5 x the time of the table at x.log:6 for the same "
                                 "cases: kept apart as table 2"])


def written(**changes) -> str:
    """JSON in the form of nccl-tests -J: two processes of two GPUs each."""
    devices = [{"rank": 2 * i, "hostname": f"node{i}", "device": 0, "device_info": "NVIDIA A100"}
               for i in range(2)]
    place = {"time": 50.5, "alg_bw": 1.0, "bus_bw": 1.5, "nwrong": 0.0}
    result = {"size": 4096, "root": "    -1", "out_of_place": place,
              "in_place": {**place, "nwrong": 3.0}, "experiment_name": "all_reduce_perf"}
    told = {"version": 3, "env": ["LANG=C"], "nccl_version": 22304,
            "config": {"nthreads": 1, "ngpus": 2, "devices": devices}, "results": [result]}
    return json.dumps(told | changes, indent=1)


TABLE = """# facts of two hosts
hosts,gpus_per_host,settings,bytes,out_of_place_us,in_place_us,busbw_GBps
2,4,default,8,20.5,20.1,0
"""


class OtherForms(unittest.TestCase):
    def test_json_has_gpus_of_threads_and_no_wrong_times(self):
        (point,), notes = read(written())
        self.assertEqual(point.median_s, 50.5e-6)
        self.assertEqual((point.parameters["ranks_count"], point.parameters["placement"]),
                         (4, "2x2"))
        self.assertEqual(point.scenario["job"]["options"], {"gpus_per_thread": 2})
        self.assertEqual(notes, ["x.log: 4096 B: 3 wrong results in place: time omitted"])

    def test_json_of_other_contents_is_refused(self):
        self.assertIn("expected config.devices", complaint(written(config={})))
        self.assertIn("expected JSON, got Expecting", complaint(written()[:-3]))

    def test_a_table_has_both_places_and_columns_that_choose(self):
        points, _ = read(TABLE, collective="allreduce")
        self.assertEqual([point.median_s for point in points], [20.5e-6, 20.1e-6])
        self.assertEqual(points[0].parameters["settings"], "default")
        self.assertEqual(points[0].parameters["placement"], "4x2")

    def test_a_table_without_a_collective_is_refused(self):
        self.assertIn("expected a column 'collective', or --collective NAME", complaint(TABLE))
        named = TABLE.replace("settings", "collective")
        self.assertIn("expected a collective", complaint(named))


if __name__ == "__main__":
    unittest.main()
