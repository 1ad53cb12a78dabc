# SPDX-License-Identifier: LGPL-2.1-or-later
"""Collectives on ns-3's packets, against the fluid network of `ringscope run`, as CSV.

    python3 -m benchmarks.packets > benchmarks/packets.csv
"""

import itertools
import json
import pathlib
import subprocess
import tempfile

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build"
JOBS = {"ring": "allreduce/ring", "incast": "gather/linear", "alltoall": "alltoall/pairwise"}
NETWORKS = {"star": lambda hosts: ("--cluster", "star8", "--set", f"cluster.hosts={hosts}"),
            "tree": lambda hosts: ("--cluster", "two_level", "--set", "cluster.oversubscription=2",
                                   "--set", f"cluster.hosts_per_rack={hosts // 4}")}
HOSTS, SIZES, MOST = (8, 16, 32), (1, 10_000, 100_000, 1_000_000), 64e6  # bytes in all
# SimGrid closes a connection too early if the send buffer is smaller than the message.
DEEP = "ns3::TcpSocket::SndBufSize=1073741824"
SHALLOW = (DEEP + ";ns3::TcpSocketBase::MinRto=200ms;ns3::FqCoDelQueueDisc::MaxSize=100p"
           ";ns3::FqCoDelQueueDisc::Flows=1;ns3::FqCoDelQueueDisc::DropBatchSize=1")


def fluid(build, pattern, network, hosts, size, platform) -> float:
    """Simulated seconds by Ringscope; writes the cluster to `platform` for SimGrid."""
    words = ["--library", "ideal", "--placement", f"1x{hosts}",
             "--job", f"{JOBS[pattern]}:{hosts * size} B", *NETWORKS[network](hosts)]
    _, done = (subprocess.run([build / "ringscope", *command, *words], check=True,
                              capture_output=True)
               for command in (("show", "--simgrid", platform), ("run", "--json", "-")))
    return json.loads(done.stdout)["cases"][0]["time_s"]


def simulated(build, model, platform, pattern, size, attributes="") -> float | None:
    """Seconds of one run of packets.cpp; None where SimGrid or ns-3 ended it."""
    done = subprocess.run(["env", f"NS_ATTRIBUTE_DEFAULT={attributes}", build / "packets", model,
                           platform, pattern, str(size)], check=False, capture_output=True)
    return None if done.returncode else float(done.stdout)


def row(build, pattern, network, hosts, size) -> str:
    """A line of the table: what was simulated, then microseconds."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        times = [fluid(build, pattern, network, hosts, size, file.name)]
        times += [simulated(build, "ns-3", file.name, pattern, size, queues)
                  for queues in (DEEP, SHALLOW)]
    cells = ["crash" if time is None else f"{time * 1e6:.1f}" for time in times]
    return ",".join([pattern, network, str(hosts), str(size), *cells])


def main():
    print("pattern,network,hosts,bytes,fluid_us,deep_us,shallow_us")
    for pattern, network, hosts, size in itertools.product(JOBS, NETWORKS, HOSTS, SIZES):
        if {"ring": 2 * hosts, "incast": 1, "alltoall": hosts}[pattern] * hosts * size <= MOST:
            print(row(BUILD, pattern, network, hosts, size), flush=True)


if __name__ == "__main__":
    main()
