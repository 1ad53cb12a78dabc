# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do lines of a log state the causes that they name, and strike out those that they contradict?"""

import math
import pathlib
import tempfile
import unittest

from validation.doctor import evidence
from validation.doctor.causes import CAUSES
from validation.doctor.curve import Point
from validation.doctor.scenario import parts
from validation.doctor.scenario.scene import Scene

INFO = "h0:1:2 [0] NCCL INFO "
STATED = (  # a line, the cause that it states
    (INFO + "Using network Socket", "tcp"),
    ("[1,3]<stderr>:" + INFO + "Channel 00/0 : 1[1] -> 8[0] [receive] via NET/Socket/0", "tcp"),
    (INFO + "NET/IB : No device found.", "tcp"),
    (INFO + "NCCL_IB_DISABLE set by environment to 1.", "tcp"),
    (INFO + "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'", "gpudirect-off"),
    (INFO + "Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/0", "gpudirect-off"),
    ("modprobe: FATAL: Module nvidia_peermem not found in directory", "gpudirect-off"),
    ("lsmod: nv_peer_mem kernel module is not loaded", "gpudirect-off"),
    ("modprobe: ERROR: could not insert 'nvidia_peermem': Invalid argument", "gpudirect-off"),
    ("mpirun -np 16 -x NCCL_DEBUG=WARN -x NCCL_IB_DISABLE=1 ./all_reduce_perf", "tcp"),
    (INFO + "Assigned NET plugin Socket to comm", "tcp"),
    ("export NCCL_PXN_DISABLE=1", "pxn-off"), ("NCCL_ALGO=Tree srun ./a", "algorithm-forced"),
    ("> the tuner printed: no GDR", "gpudirect-off"),
    ("ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+", "acs-on"),
    ("dmesg: iommu: Default domain type: Translated", "acs-on"),
    ("IOMMU enabled", "acs-on"),
    (INFO + "NCCL_P2P_LEVEL set by environment to LOC", "no-peer-access"),
    (INFO + "Channel 00 : 0[0] -> 1[1] via SHM/direct/direct", "no-peer-access"),
    (INFO + "Using 2 channels", "few-channels"),
    (INFO + "2 coll channels, 2 collnet channels, 0 nvls channels, 2 p2p channels", "few-channels"),
    (INFO + "NCCL_PXN_DISABLE set by environment to 1.", "pxn-off"),
    (INFO + "NCCL_TOPO_FILE set by environment to /etc/nccl/topo.xml", "topology-file"),
    ("h0:1:2 [0] net_ib.cc:1295 NCCL WARN Got completion with status=12", "transport-timer"),
    ("h0:1:2 [0] NCCL WARN socketProgress: Connection timed out", "transport-timer"),
    ("h0:1:2 [0] NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory",
     "registration-missing"),
    ("max locked memory  (kbytes, -l) 64", "registration-missing"),
    ("NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1b000",
     "two-ranks-one-gpu"),
    ("LnkSta: Speed 16GT/s (downgraded), Width x16", "pcie-lower"),
    ("        HW Slowdown                       : Active", "gpu-slow"),
    (INFO + "NCCL_NVLS_ENABLE set by environment to 0.", "nvls-off"),
    (INFO + "NCCL_PROTO set by environment to Simple", "protocol-forced"),
    (INFO + "NCCL_ALGO set by environment to Tree", "algorithm-forced"),
    ("$ taskset -c 0-3 ./all_reduce_perf -b 8", "starved-threads"),
)
HEALTHY = (  # none states a cause
    INFO + "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
    INFO + "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>",
    INFO + "Bootstrap : Using eth0:10.0.0.1<0>", INFO + "Using network IB",
    INFO + "Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/0/GDRDMA",
    INFO + "Channel 00/0 : 7[7] -> 8[0] [send] via NET/AWS Libfabric/0/GDRDMA",
    INFO + "16 coll channels, 16 collnet channels, 0 nvls channels, 16 p2p channels",
    "BOOT_IMAGE=/vmlinuz intel_iommu=on iommu=pt", "ACSCtl: SrcValid- TransBlk- ReqRedir-",
    "        HW Slowdown                       : Not Active", "LnkSta: Speed 32GT/s, Width x16",
    "nvidia_peermem is loaded, nothing is missing", "We know that NCCL_IB_DISABLE=1 is not set",
    "# export NCCL_P2P_DISABLE=1", "lsmod | grep nvidia_peermem\nThis is not normal",
    "max locked memory  (kbytes, -l) unlimited", "#@ RIGHT tcp: via NET/Socket, no GDR, ACS on")
DEVICE = "#  Rank {} Group  0 Pid {} on {} device {} [{}] NVIDIA H100\n"


def scene(hosts: str = "8x2", kind=None) -> Scene:
    cluster = parts.resolved("cluster", "h100_nvswitch")
    cluster["link"] |= {"kind": kind, "bandwidth": "400 Gbit/s"}
    job = {"collective": "allreduce", "algorithm": "nccl", "bytes": "8 B"}
    return Scene(cluster, {}, [{"placement": {"hosts": hosts, "on": "gpu"}, "job": job}])


def read(text: str, **given) -> tuple:
    """(causes stated, causes struck out)"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.log"
        path.write_text(text, encoding="utf-8")
        stated, struck = evidence.read([str(path)], scene(**given))
    return stated, struck


class Lines(unittest.TestCase):
    def test_each_line_states_its_cause_with_its_number(self):
        for line, cause in STATED:
            for before in ("", "0: "):
                stated = read(f"first\n{before}{line}\nlast\n")[0]
                self.assertEqual(list(stated), [cause], line)
                self.assertEqual(stated[cause].number, 2)
                self.assertIn(" ".join(line.split())[:60], stated[cause].text)

    def test_sockets_without_gpudirect_state_sockets_alone(self):
        line = INFO + "NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'\n"
        self.assertEqual(list(read(line + INFO + "Using network Socket\n")[0]), ["tcp"])

    def test_values_of_other_variables_are_not_shown(self):
        text = "mpirun -x HF_TOKEN=hf_S3cret -x NCCL_IB_DISABLE=1 ./all_reduce_perf\n"
        shown_ = read(text)[0]["tcp"].shown
        self.assertNotIn("S3cret", shown_)
        self.assertIn("NCCL_IB_DISABLE=1", shown_)

    def test_lines_of_healthy_logs_state_nothing(self):
        for line in HEALTHY:
            self.assertEqual(read(line + "\n")[0], {}, line)

    def test_every_cause_of_the_tables_is_known(self):
        known = {one.name for one in CAUSES}
        for table in (evidence.STATES, evidence.DENIES):
            self.assertLessEqual({one[0] for one in table}, known)

    def test_contradicted_causes_are_struck_out(self):
        stated, struck = read("Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/0/GDRDMA\n")
        self.assertEqual((stated, set(struck)), ({}, {"tcp", "gpudirect-off"}))
        self.assertEqual(struck["tcp"].number, 1)

    def test_strong_statement_stands_beside_contradiction_and_weak_one_does_not(self):
        stated, struck = read(INFO + "via NET/IB/0/GDRDMA\n" + INFO + "via NET/IB/1\n")
        self.assertEqual((set(stated), set(struck)), ({"gpudirect-off"}, {"tcp"}))
        stated, struck = read("0[0] -> 1[1] via SHM/direct\n0[0] -> 2[2] via P2P/CUMEM\n")
        self.assertEqual((stated, set(struck)), ({}, {"no-peer-access"}))

    def test_sockets_are_no_fault_of_one_host_or_of_a_cluster_of_sockets(self):
        for given in ({"hosts": "8"}, {"kind": "sockets"}):
            self.assertEqual(read(INFO + "Using network Socket\n", **given)[0], {})


class Numbers(unittest.TestCase):
    def test_one_bus_id_of_two_ranks_is_stated(self):
        text = "".join(DEVICE.format(rank, rank, "a", rank, "0000:02:00") for rank in (0, 1))
        self.assertEqual(read(text)[0]["two-ranks-one-gpu"].number, 2)

    def test_one_bus_id_is_no_proof_in_other_runs_hosts_or_domains(self):
        same = DEVICE.format(0, 1, "a", 0, "0000:02:00")
        other = DEVICE.format(1, 2, "b", 0, "0000:02:00")
        domains = "".join(DEVICE.format(rank, rank, "a", rank, "0x00") for rank in range(8))
        for text in (same + same, same + other, domains):
            self.assertEqual(read(text)[0], {}, text)

    def test_nic_at_half_the_rate_of_its_link_is_stated(self):
        self.assertEqual(list(read("Rate: 400\nRate: 200\n")[0]), ["nic-relinked"])
        self.assertEqual(list(read("rate: 200 Gb/sec (2X NDR)\n")[0]), ["link-slow"])
        self.assertEqual(list(read('<net name="mlx5_0" speed="200000"/>')[0]), ["link-slow"])
        for text in ("Rate: 400\n", "Rate: 25\n", "Speed: 400000Mb/s\n"):
            self.assertEqual(read(text)[0], {}, text)


def points(ratios: list, expected=lambda size: 1e-4, **more) -> list:
    sizes = [1 << (22 + i) for i in range(len(ratios))]
    return [Point("a", size, ratio * expected(size), "1x2", {}, expected=expected(size), **more)
            for size, ratio in zip(sizes, ratios)]


def shown(some: list) -> list:
    return list(evidence.seen(some, CAUSES))


class Times(unittest.TestCase):
    def test_stalls_of_starved_threads_are_seen(self):
        # cases/63: bus bandwidths of 4 to 128 MiB, pinned to four cores and not.
        pinned, free = (47.36, 53.45, 1.25, 125.5, 155.07, 10.02), (150, 255, 259, 420, 559, 576)
        self.assertEqual(shown(points([b / a for a, b in zip(pinned, free)])), ["starved-threads"])

    def test_single_outliers_and_steps_are_no_stalls(self):
        for ratios in ((1.5, 1.5, 30, 1.5, 1.5), (1.5, 1.5, 1.5, 20, 20, 20), (1, 1, 9, 1, 1, 9)):
            self.assertEqual(shown(points(list(ratios))), [])

    def test_delays_at_multiples_of_a_period_are_seen(self):
        late = [1 + count * 400 for count in (0, 1, 3, 1, 2, 0)]  # times 0.1 ms: 40 ms
        self.assertEqual(shown(points(late)), ["transport-timer"])
        rate = [1 + 400 * 2 ** i for i in range(6)]
        self.assertEqual(shown(points(rate)), [])

    def test_runs_that_settle_are_seen(self):
        # cases/64: medians of five runs of one command.
        runs = [points([ratio] * 3) for ratio in (3.0, 4.0, 1.2, 1.0, 1.01)]
        for i, run in enumerate(runs):
            for point in run:
                point.series = f"a table {i}"
        self.assertEqual(shown(sum(runs, [])), ["cold-start"])
        self.assertEqual(shown(sum(runs[3:] + runs[3:], [])), [])

    def test_first_repetitions_tell_cold_starts_from_late_ranks(self):
        cold = points([1.0, 1.0], samples=(9.0, 4.0, 1.1, 1.0, 1.0))
        late = points([1.0, 1.0], samples=(9.0, 1.0, 1.1, 1.0, 1.0))
        even = points([1.0, 1.0], samples=(1.0, 1.0, 1.1, 1.0, 1.0))
        self.assertEqual([shown(one) for one in (cold, late, even)],
                         [["cold-start"], ["start-skew"], []])

    def test_healthy_curves_with_noise_show_nothing(self):
        ratios = [math.exp(0.05 * math.sin(7 * i)) for i in range(12)]
        self.assertEqual(shown(points(ratios)), [])


if __name__ == "__main__":
    unittest.main()
