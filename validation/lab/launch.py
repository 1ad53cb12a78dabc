# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts an MPI job on the hosts of the lab, and watches it until it ends."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from common.quantities import format_cost
from validation.lab import claim, cpu, hosts
from validation.yaml_files import tables_of

HERE = pathlib.Path(__file__).resolve().parent
AGENT = str(HERE / "agent")
LAUNCHERS, PACKAGES, MCA, UCX = tables_of(__file__).values()
MOST_RANKS = 512
FINALIZE_S = 2.0  # of a job whose product is there


class Stuck(hosts.LabError):
    """A job that did not end in its time."""
    exit_code = 3


class Launch(NamedTuple):
    """One MPI job. `placement` is the number of ranks on host0, host1, ...; `order` is the host of
    each rank, () for ranks by slot; times in seconds, costs in seconds per byte."""
    placement: tuple
    mpi: str = "openmpi"
    send_cost: float = 0
    recv_cost: float = 0
    nap: float = 20e-6
    socket_buffer: int = 64 * 1024
    mca: dict = {}
    timeout: float = 600
    build: pathlib.Path = HERE.parent.parent / "build"
    order: tuple = ()

    def scenario_placement(self) -> str:
        """Placement of the simulator."""
        if not self.order:
            return "-".join(map(str, self.placement))
        cores = [self.order[:rank].count(host) for rank, host in enumerate(self.order)]
        return json.dumps([{"host": host, "core": core} for host, core in zip(self.order, cores)])

    def emulated(self) -> str:
        """Emulated parts of the machine, as a measurement names them."""
        if self.send_cost == self.recv_cost == 0:
            return ""
        return (f"send {format_cost(self.send_cost)}, receive {format_cost(self.recv_cost)}, "
                "slept")


class Outcome(NamedTuple):
    """Outcome of a job. CPU in cores: seconds per second of wall time; `wire` as of hosts.wire."""
    exit_code: int
    wall_s: float
    own_cores: float
    foreign_cores: float
    wire: list


def parse_order(text: str) -> tuple:
    """Host of each rank, of "0,1,0"; () where the text has counts."""
    return tuple(map(int, text.split(","))) if re.fullmatch(r"\d{1,3}(,\d{1,3})+", text) else ()


def parse_placement(text: str) -> tuple:
    order = parse_order(text)
    parts = [str(order.count(host)) for host in range(max(order) + 1)] if order else text.split("-")
    if not all(re.fullmatch(r"\d{1,4}", part) for part in parts):
        raise hosts.LabError(f'--placement: expected ranks per host such as "4-3-1", got "{text}"')
    counts = tuple(int(part) for part in parts)
    if not 1 <= sum(counts) <= MOST_RANKS:
        raise hosts.LabError(f"--placement: expected 1 to {MOST_RANKS} ranks, got {sum(counts)}")
    return counts


# Command lines


def launcher(mpi: str) -> str:
    for name in LAUNCHERS[mpi]:
        if found := shutil.which(name):
            return found
    raise hosts.LabError(f"there is no {' or '.join(LAUNCHERS[mpi])} to start {mpi} with "
                         f"(Debian: apt-get install {PACKAGES[mpi]})")


def shim_settings(launch: Launch) -> dict:
    """Environment of every rank, and of no daemon of the launcher."""
    if launch.nap == launch.send_cost == launch.recv_cost == 0:
        return {}
    shim = launch.build.resolve() / "libringscope_lab.so"
    if not shim.exists():
        raise hosts.LabError(f"{shim} is missing: build it first (cmake --build "
                             f"{launch.build} --target ringscope_lab), or say --build")
    settings = {"LD_PRELOAD": str(shim),
                "RINGSCOPE_LAB_NAP_NS": f"{launch.nap * 1e9:.0f}",
                "RINGSCOPE_LAB_SEND_NS_PER_B": f"{launch.send_cost * 1e9:.6g}",
                "RINGSCOPE_LAB_RECV_NS_PER_B": f"{launch.recv_cost * 1e9:.6g}"}
    # MPICH never yields. Open MPI does, also when it is only the network that has nothing.
    return settings | ({"RINGSCOPE_LAB_NAP_POLLS": "1"} if launch.mpi == "mpich" else {})


def openmpi_words(launch: Launch, host_file: str) -> list:
    mca = {key: value.format(agent=AGENT, buffer=launch.socket_buffer)
           for key, value in MCA.items()}
    if launch.nap > 0:
        # Sends in pieces: a rank that naps between polls moves one large put at a time, and the two
        # directions of a link take turns (1.5 to 2 times as long as with ranks that spin).
        mca["btl_tcp_flags"] = "1"
    mca |= launch.mca
    words = [launcher("openmpi"), "-np", str(sum(launch.placement)), "--hostfile", host_file,
             "--map-by", "seq" if launch.order else "slot", "--bind-to", "none",
             "--oversubscribe"]
    for key, value in mca.items():
        words += ["--mca", key, str(value)]
    for name, value in shim_settings(launch).items():
        words += ["-x", f"{name}={value}"]
    return words


def mpich_words(launch: Launch, host_file: str) -> list:
    if launch.mca:
        raise hosts.LabError("--mca is for Open MPI: MPICH has no such parameters")
    settings = {key: value.format(buffer=launch.socket_buffer) for key, value in UCX.items()}
    settings |= shim_settings(launch)
    words = [launcher("mpich"), "-launcher", "rsh", "-launcher-exec", AGENT, "-iface", "eth0",
             "-f", host_file, "-n", str(sum(launch.placement))]
    for name, value in settings.items():
        words += ["-genv", name, value]
    return words


def host_lines(launch: Launch) -> str:
    """Hosts without ranks stay out of it: an entry of none means one in some launchers."""
    if launch.order:
        return "".join(f"host{host}\n" for host in launch.order)
    form = "host{} slots={}\n" if launch.mpi == "openmpi" else "host{}:{}\n"
    return "".join(form.format(host, ranks) for host, ranks in enumerate(launch.placement) if ranks)


# Running


def start(words: list, group: cpu.Group) -> subprocess.Popen:
    """The launcher on host0, which starts the others through the agent."""
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1",
                                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                "TMPDIR": str(claim.SCRATCH)}
    sys.stdout.flush()
    return subprocess.Popen([AGENT, "host0", shlex.join(words)], stdin=subprocess.DEVNULL,
                            start_new_session=True, env=environment, preexec_fn=group.join)


def end(job: subprocess.Popen, spared: list, patience_s: float):
    """Nothing of the job is left after this. Without patience, it is not even told."""
    if patience_s == 0:
        hosts.kill_processes(0, spared)
    if job.poll() is None:
        os.killpg(job.pid, signal.SIGTERM)
        try:
            job.wait(max(patience_s, 0.5))
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()
    hosts.kill_processes(patience_s, spared)


def exit_code(job: subprocess.Popen, timeout_s: float, product: str) -> int:
    """0 also for a job that has made its product and then does not end: in MPICH's MPI_Finalize
    over TCP that is common. Raises TimeoutExpired."""
    ends = time.monotonic() + timeout_s
    while time.monotonic() < ends:
        try:
            return job.wait(min(FINALIZE_S, ends - time.monotonic()))
        except subprocess.TimeoutExpired:
            if os.path.exists(product) and time.time() - os.path.getmtime(product) > FINALIZE_S:
                return 0
    raise subprocess.TimeoutExpired(job.args, timeout_s)


def run(lab, launch: Launch, program: list, product: str = "") -> Outcome:
    """Runs a program on every rank, which may end by making the file `product`. Raises Stuck when
    it takes longer than `launch.timeout`."""
    words = {"openmpi": openmpi_words, "mpich": mpich_words}[launch.mpi]
    spared = hosts.processes()
    group = cpu.Group()
    wire_before, busy, used = hosts.wire(lab.hosts), cpu.busy_s(), group.used_s()
    begin = time.monotonic()
    with tempfile.NamedTemporaryFile("w", dir=claim.SCRATCH, prefix="hosts.") as host_file:
        host_file.write(host_lines(launch))
        host_file.flush()
        job = start(words(launch, host_file.name) + program, group)
        patience_s = 1.0
        try:
            code = exit_code(job, launch.timeout, product)
            if job.returncode is None:
                patience_s = 0
        except subprocess.TimeoutExpired:
            raise Stuck(f"ended after {launch.timeout:g} s: {shlex.join(program)} had not finished "
                        f"on {'-'.join(map(str, launch.placement))}") from None
        except BaseException:
            patience_s = 0.5
            raise
        finally:
            end(job, spared, patience_s)
    wall_s = time.monotonic() - begin
    own, all_s = group.used_s() - used, cpu.busy_s() - busy
    wire = [{key: after[key] - before[key] for key in after}
            for before, after in zip(wire_before, hosts.wire(lab.hosts))]
    return Outcome(code if code >= 0 else 128 - code, wall_s, own / wall_s,
                   max(0.0, all_s - own) / wall_s, wire)
