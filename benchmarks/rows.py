# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rows of the table of speeds: what each runs, and what it has to reach.

Chunks of a ring have 1 KiB. A row that compares itself with others names them; its judgement is a
ratio of figures of one run of the table, which holds on a machine of any speed.
"""

import dataclasses
from typing import Callable

MIB = 1024 * 1024


def no_judgement(_row, _results) -> str:
    return ""


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    text: str                 # name in the table
    what: str                 # "run" or "bare", of the program speed; "smpi"
    size: int                 # ranks
    quick_size: int
    settings: Callable = lambda ranks: {}
    kernel: str = "fluid"
    skip: bool = False
    tolerance: float = 0
    fold: bool = False        # ranks that are alike are simulated once
    target: str = ""
    judged: Callable = no_judgement
    repeated: int = 3

    @property
    def program(self) -> str:
        return "speed" if self.kernel == "fluid" else "speed_simgrid"

    def ranks(self, quick: bool) -> int:
        return self.quick_size if quick else self.size

    def runs(self, quick: bool) -> int:
        return 1 if quick else self.repeated

    def arguments(self, quick: bool) -> list:
        """Arguments of the program speed."""
        ranks = self.ranks(quick)
        if self.what == "bare":
            return ["bare", str(ranks), "--kernel", self.kernel]
        arguments = ["run", "02-ring-of-8", "--kernel", self.kernel]
        if not self.fold:
            arguments.append("--no-fold")
        if not self.skip:
            arguments.append("--no-skip")
        if self.tolerance:
            arguments += ["--tolerance", str(self.tolerance)]
        for key, value in self.settings(ranks).items():
            arguments += ["--set", f"{key}={value}"]
        return arguments

    def judge(self, results: dict) -> str:
        """Summary of the figures: how they compare, or why there are none."""
        figures = results[self.name]
        if not figures:
            return "left out: SimGrid's smpicxx was not there when this was built"
        if "stopped_s" in figures:
            return f"had not ended in {figures['stopped_s']} s"
        return self.judged(self, results)


def ended(results: dict, name: str) -> dict:
    """The figures of a row that ran to its end; else {}."""
    figures = results.get(name, {})
    return figures if "cpu_s" in figures else {}


def rate(figures: dict) -> float:
    return figures["messages"] / figures["cpu_s"]


def ring(library: str, per_host: int = 1, repetitions: int = 1) -> Callable:
    """One star of hosts; several ranks of a host share its NIC and its memory controller."""
    def settings(ranks: int) -> dict:
        hosts = ranks // per_host
        keys = {"library": library, "cluster.hosts": hosts, "placement": f"{per_host}x{hosts}",
                "job.bytes": f"{ranks} KiB", "job.repetitions": repetitions}
        if per_host > 1:
            keys["cluster.host.memory_bandwidth"] = "100 GB/s"
        return keys
    return settings


def ports_of(hosts: int) -> int:
    """The smallest k-ary fat tree with this many hosts."""
    return next(k for k in range(2, 130, 2) if k ** 3 // 4 >= hosts)


def fat_tree(ranks: int) -> dict:
    """Eight ranks on each host of a fat tree of 100 Gbit/s."""
    hosts = ranks // 8
    return {"cluster": f"{{network: fat_tree, k: {ports_of(hosts)}, hosts: {hosts}, "
                       "link: {bandwidth: 100 Gbit/s, latency: 1 us}, "
                       "host: {type: simple, cores: 8}}",
            "library": "rdma", "placement": f"8x{hosts}"}


def two_level(between: str) -> Callable:
    def settings(ranks: int) -> dict:
        return {**fat_tree(ranks), "job.algorithm": "two_level", "job.bytes": "1 MiB",
                "job.options.between": between}
    return settings


def two_level_star(ranks: int) -> dict:
    """Eight ranks on each host of a star, where all hosts are alike."""
    return {"library": "rdma", "cluster.hosts": ranks // 8, "cluster.host.cores": 8,
            "cluster.link": "{bandwidth: 25 Gbit/s, latency: 1 us}", "placement": f"8x{ranks // 8}",
            "job": "{collective: allreduce, algorithm: two_level, bytes: 64 MiB, "
                   "options: {between: ring}}"}


def training(ranks: int) -> dict:
    """A step on hosts with eight GPUs each."""
    return {"library": "cuda_pinned", "placement": f"{{hosts: 8x{ranks // 8}, on: gpu}}",
            "cluster": f"{{base: gpu4x4_25g, hosts: {ranks // 8}, host: {{gpus_per_switch: 4}}}}",
            "job": "{collective: training, algorithm: ddp, "
                   "options: {model: resnet50, exchange: ring, steps: 1}}"}


def start_up(ranks: int) -> dict:
    """All ranks are made, and the first two exchange a byte."""
    return {**fat_tree(ranks), "job": "{collective: pingpong, algorithm: blocking, bytes: 1 B}"}


def all_to_all(ranks: int) -> dict:
    return {"library": "ideal", "cluster.hosts": ranks, "placement": f"1x{ranks}",
            "cluster.link": "{bandwidth: 12.5 GB/s, latency: 1 us}",
            "job": posted_job(ranks)}


def parameter_server(workers: int, servers: int, size: str, algorithm: str = "synchronous",
                     steps: int = 1) -> Callable:
    """`workers` for the whole table; of few ranks an eighth are servers, at least one."""
    def settings(ranks: int) -> dict:
        apart = servers if ranks == workers + servers else max(1, ranks // 8)
        return {**contended(ranks), "job": "{collective: parameter_server, algorithm: "
                f"{algorithm}, bytes: {size}, options: {{servers: {apart}, segment: 64 KiB, "
                f"steps: {steps}}}}}"}
    return settings


def contended(ranks: int) -> dict:
    """One rank on each host of a star of 25 Gbit/s; the NICs move the bytes."""
    return {"library": "rdma", "cluster.hosts": ranks, "placement": f"1x{ranks}",
            "cluster.link": "{bandwidth: 25 Gbit/s, latency: 1 us}"}


def posted_job(ranks: int) -> str:
    return f"{{collective: alltoall, algorithm: posted, bytes: {ranks} MiB}}"


def posted(ranks: int) -> dict:
    return {**contended(ranks), "job": posted_job(ranks)}


def posted_fat_tree(ranks: int) -> dict:
    """One rank on each of the first hosts of a 16-ary fat tree."""
    return {"cluster": f"{{network: fat_tree, k: 16, hosts: {ranks}, "
                       "link: {bandwidth: 25 Gbit/s, latency: 1 us}, host: {type: simple}}",
            "library": "rdma", "placement": f"1x{ranks}", "job": posted_job(ranks)}


def jittery(ranks: int) -> dict:
    return {**ring("rdma")(ranks), "library": "{base: rdma, network: {jitter: 2 us}}"}


def against_smpi(row: Row, results: dict) -> str:
    other = ended(results, "ring_smpi")
    return f"{rate(results[row.name]) / rate(other):.0f} x SMPI" if other else ""


def against_smallest(row: Row, results: dict) -> str:
    small = ended(results, "ring_64")
    if not small:
        return ""
    return f"{rate(small) / rate(results[row.name]):.2f} x the cost per message of 64"


def against_bound(row: Row, results: dict) -> str:
    """A rank's bytes to all others over its NIC."""
    figures = results[row.name]
    bound = (figures["ranks"] - 1) * MIB / 12.5e9
    return f"{figures['simulated_s'] / bound - 1:+.2%} from {bound * 1e3:.2f} ms"


def against_bare(name: str) -> Callable:
    def judged(row: Row, results: dict) -> str:
        other = ended(results, name)
        return f"{rate(results[row.name]) / rate(other):.2f} of its bare loop" if other else ""
    return judged


def reading(row: Row, results: dict) -> str:
    return f"{results[row.name]['read_s']:.2f} s of it to read the scenario"


ROWS = (
    Row("ring_tcp", "ring, 1,024 ranks, TCP moved by the caller", "run", 1024, 32,
        ring("openmpi_tcp"), target="1,000,000 messages/s, 50 MiB, 25 x SMPI",
        judged=against_smpi),
    Row("ring_rdma", "the same over RDMA", "run", 1024, 32, ring("rdma"),
        target="the same", judged=against_smpi),
    Row("ring_shared", "ring, 1,024 ranks, 8 to a NIC and a memory controller", "run", 1024, 32,
        ring("openmpi_tcp", 8), target="500,000 messages/s", judged=against_smpi),
    Row("ring_64", "ring, 64 ranks, TCP, 200 times", "run", 64, 8,
        ring("openmpi_tcp", repetitions=200)),
    Row("ring_4096", "ring, 4,096 ranks, TCP", "run", 4096, 64, ring("openmpi_tcp"),
        target="at most 1.5 x 64 ranks", judged=against_smallest, repeated=1),
    Row("ring_skipped", "ring, 16,384 ranks, TCP, skipping", "run", 16384, 64, ring("openmpi_tcp"),
        skip=True, target="60 s, 1 GB", repeated=1),
    Row("two_level", "two-level allreduce, 65,536 ranks, rabenseifner between hosts", "run", 65536,
        128, two_level("rabenseifner"), skip=True, target="60 s, 4 GB", repeated=1),
    Row("two_level_ring", "the same, a ring between hosts, skipping", "run", 65536, 128,
        two_level("ring"), skip=True, target="60 s, 4 GB", repeated=1),
    Row("two_level_fold", "the same on a star of 8,192 hosts, 64 MiB, folded", "run", 65536, 128,
        two_level_star, skip=True, fold=True, target="60 s", repeated=1),
    Row("ddp_fold", "step of DDP, ResNet-50, a ring of 1,024 GPUs, folded", "run", 1024, 128,
        training, skip=True, fold=True, target="10 s"),
    Row("alltoall", "all-to-all, 256 ranks, 1 MiB a pair, posted at once", "run", 256, 16,
        all_to_all, target="0.65 s, within 1 % of the NIC", judged=against_bound),
    Row("ring_jitter", "ring, 1,024 ranks, RDMA with 2 us of jitter", "run", 1024, 32, jittery,
        target="700,000 messages/s", repeated=1),
    Row("incast_128", "parameter server, 128 workers, 1 server, 10 MiB", "run", 129, 9,
        parameter_server(128, 1, "10 MiB"), target="0.4 s"),
    Row("incast_256", "parameter server, 256 workers, 16 servers, 100 MiB", "run", 272, 9,
        parameter_server(256, 16, "100 MiB"), target="10 s", repeated=1),
    Row("incast_1024", "parameter server, 1,024 workers, 16 servers, 100 MiB", "run", 1040, 9,
        parameter_server(1024, 16, "100 MiB"), target="60 s, 1 GB", repeated=1),
    Row("incast_async", "asynchronous, 256 workers, 16 servers, 100 MiB, 5 steps", "run", 272, 9,
        parameter_server(256, 16, "100 MiB", "asynchronous", 5),
        target="at most 2 x synchronous, per message", repeated=1),
    Row("posted", "the same all-to-all on a star of 25 Gbit/s, RDMA", "run", 256, 16, posted,
        target="0.8 s"),
    Row("posted_tolerant", "the star at a tolerance of 0.1 %", "run", 256, 16, posted,
        tolerance=0.001),
    Row("posted_fat_tree", "the same all-to-all on a fat tree, k = 16, RDMA", "run", 256, 16,
        posted_fat_tree, target="10 s", repeated=1),
    Row("posted_fat_tree_tolerant", "the fat tree at a tolerance of 0.1 %", "run", 256, 16,
        posted_fat_tree, tolerance=0.001, target="1 s", repeated=1),
    Row("posted_fat_tree_1024", "1,024 ranks on the fat tree at a tolerance of 0.1 %", "run", 1024,
        16, posted_fat_tree, tolerance=0.001, target="60 s", repeated=1),
    Row("start_up", "start-up, 65,536 ranks", "run", 65536, 128, start_up, target="10 s",
        judged=reading),
    Row("bare_fluid", "bare loop on our kernel, 1,024 ranks", "bare", 1024, 32),
    Row("bare_simgrid", "bare loop on SimGrid, 1,024 ranks", "bare", 1024, 32, kernel="simgrid",
        repeated=1),
    Row("ring_simgrid", "ring, 1,024 ranks, TCP, on SimGrid", "run", 1024, 32,
        ring("openmpi_tcp"), kernel="simgrid", judged=against_bare("bare_simgrid"), repeated=1),
    Row("ring_smpi", "the same ring as an MPI program under SMPI", "smpi", 1024, 32, repeated=1),
)
