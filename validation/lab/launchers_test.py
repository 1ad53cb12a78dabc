# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do Open MPI, MPICH and Slurm start each rank where the files of `ringscope place` say?

Each host is a network namespace of the lab. Every rank prints its number, its host and its GPU, and
these are compared with the rank map of the same placement. Slurm runs without MUNGE, and its GPUs
are device files that are no GPUs.

Usage: python3 -m validation.lab.launchers_test BUILD
"""

import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from validation.lab import hosts, launch

HERE = pathlib.Path(__file__).resolve().parent
LAB = str(HERE / "ringscope-lab")
HOSTS, CORES, GPUS = 4, 2, 2
SHOW = ("echo rank ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$SLURM_PROCID}} $(hostname) "
        "${CUDA_VISIBLE_DEVICES:--}")
PROGRAM = shlex.join(["sh", "-c", SHOW])
MPI = f"""--mca plm rsh --mca plm_rsh_agent {launch.AGENT} --mca plm_rsh_no_tree_spawn 1
--mca oob_tcp_if_include eth0 --mca btl_tcp_if_include eth0""".replace("\n", " ")
HYDRA = f"-launcher rsh -launcher-exec {launch.AGENT} -iface eth0"
CLUSTER = f"""about: two racks of two hosts
network: two_level
racks: 2
hosts_per_rack: {HOSTS // 2}
link: {{bandwidth: 25 Gbit/s, latency: 2 us}}
uplink: {{bandwidth: 10 Gbit/s, latency: 2 us}}
host:
  type: pcie_tree
  sockets: 1
  cores: {CORES}
  memory_bandwidth: 100 GB/s
  switches_per_socket: 1
  switch_uplink: {{bandwidth: 15.75 GB/s, latency: 150 ns}}
  gpus_per_switch: {GPUS}
  gpu: {{bandwidth: 15.75 GB/s, latency: 150 ns, memory: 16 GiB}}
  nic: {{domain: 0, bandwidth: 7.88 GB/s, latency: 300 ns}}
"""
SLURM = """ClusterName=lab
SlurmctldHost=host0({first})
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
MailProg=/bin/true
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
TopologyPlugin=topology/tree
GresTypes=gpu
PartitionName=all Nodes=ALL Default=YES State=UP
"""
# The best order of a binomial scatter comes back to its hosts; that of a ring does not.
RETURNING, BLOCKS = "scatter/binomial:64MiB", "allreduce/ring:64MiB"


def wait_for(done, seconds):
    ends = time.monotonic() + seconds
    while not done() and time.monotonic() < ends:
        time.sleep(0.2)
    return done()


class LaunchTest(unittest.TestCase):
    build = None

    @classmethod
    def setUpClass(cls):
        subprocess.run([LAB, "up", "--hosts", str(HOSTS)], check=True, capture_output=True)
        cls.addClassCleanup(subprocess.run, [LAB, "down"], check=True, capture_output=True)

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "c.yaml").write_text(CLUSTER, encoding="utf-8")
        self.environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "TMPDIR": place.name,
                                         "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def place(self, job, ranks, *words):
        """Commands that start the best placement; expected rows, of rank, host and GPU."""
        done = subprocess.run(
            [str(self.build / "ringscope"), "place", "--cluster", "c.yaml", "--library", "ideal",
             "--ranks", str(ranks), "--job", job, "--order", "any", "--no-store", "--verify", "0",
             "--rank-map", "map.json", *words], cwd=self.folder, capture_output=True, text=True,
            timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads((self.folder / "map.json").read_text(encoding="utf-8"))["ranks"]
        rows = sorted((one["rank"], one["host"], str(one.get("gpu", "-"))) for one in found)
        returns = len({host for _, host, _ in rows}) < 1 + sum(
            one[1] != other[1] for one, other in zip(rows, rows[1:]))
        self.assertEqual(returns, job == RETURNING, rows)
        return done.stdout.partition("is started by\n")[2].splitlines(), rows

    def on_host(self, host):
        return [launch.AGENT, f"host{host}"]

    def run_on(self, host, command):
        """Output of a command on a host of the lab. MPICH's mpirun writes to proxies that may have
        ended: SIGPIPE stays ignored, as Python has it, or it now and then ends mpirun."""
        done = subprocess.run([*self.on_host(host), command.replace("PROGRAM", PROGRAM)],
                              cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=120, check=False, stdin=subprocess.DEVNULL,
                              restore_signals=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def rows_of(self, printed):
        return sorted((int(rank), host, gpu) for rank, host, gpu in
                      re.findall(r"^rank (\d+) (\w+) (\S+)$", printed, re.M))


class Mpi(LaunchTest):
    def starts(self, command, rows, more=""):
        """Runs a command that `place` printed, with more words for the lab."""
        name, rest = command.split(" ", 1)
        launcher = launch.launcher({"mpirun": "openmpi", "mpiexec": "mpich"}[name])
        self.assertEqual(self.rows_of(self.run_on(0, f"{launcher} {more} {rest}")), rows)

    def test_open_mpi_starts_ranks_by_the_rankfile(self):
        if (os.cpu_count() or 1) < CORES:
            self.skipTest(f"Open MPI binds ranks to {CORES} cores")
        (command,), rows = self.place(RETURNING, 5, "--on", "gpu", "--rankfile", "ranks",
                                      "--gpus", "gpus")
        self.starts(command, rows, MPI)
        (command,), rows = self.place(BLOCKS, 5, "--exclude", "host1", "--rankfile", "ranks")
        self.starts(command, rows, MPI)

    def test_mpich_starts_ranks_by_the_hostfile(self):
        for job, *words in ((BLOCKS, "--exclude", "host1"), (RETURNING,)):
            (command,), rows = self.place(job, 5, "--on", "gpu", "--hostfile", "hosts", "--gpus",
                                          "gpus", *words)
            self.starts(command, rows, HYDRA)


class Slurm(LaunchTest):
    """One slurmd on each host of the lab."""

    def setUp(self):
        super().setUp()
        for program in ("slurmctld", "slurmd", "srun"):
            if shutil.which(program) is None:
                self.skipTest(f"there is no {program} (Debian: apt-get install slurm-wlm)")
        self.configure()
        self.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")
        self.start(0, "slurmctld")
        for host in range(HOSTS):
            self.start(host, "slurmd")
        ready = wait_for(lambda: self.states() == ["idle"] * HOSTS, 20)
        self.assertTrue(ready, "".join(path.read_text(encoding="utf-8") for path in
                                       sorted(self.folder.glob("slurm*.log"))))

    def configure(self):
        (self.folder / "state").mkdir()
        for gpu in range(GPUS):
            os.mknod(self.folder / f"gpu{gpu}", stat.S_IFCHR | 0o600, os.makedev(1, 3))
        nodes = "".join(f"NodeName=host{host} NodeAddr={hosts.address(host)} CPUs={CORES} "
                        f"Gres=gpu:{GPUS}\n" for host in range(HOSTS))
        for name, text in (
                ("slurm.conf", SLURM.format(first=hosts.address(0), folder=self.folder) + nodes),
                ("gres.conf", f"Name=gpu File={self.folder}/gpu[0-{GPUS - 1}]\n"),
                ("topology.conf", "SwitchName=rack0 Nodes=host[0-1]\nSwitchName=rack1 "
                                  "Nodes=host[2-3]\nSwitchName=core Switches=rack[0-1]\n")):
            (self.folder / name).write_text(text, encoding="utf-8")

    def on_host(self, host):
        """Without the lab's agent, whose hosts have no control groups: slurmd looks for some."""
        return ["nsenter", f"--net=/run/netns/{hosts.namespace(host)}", "unshare", "--uts", "sh",
                "-c", 'hostname "$0" && eval "$*"', f"host{host}"]

    def start(self, host, daemon):
        """In the foreground, until the test ends."""
        with open(self.folder / f"{daemon}{host}.log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [*self.on_host(host), f"exec {shutil.which(daemon)} -D"],
                cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True)
        self.addCleanup(process.wait, 30)
        self.addCleanup(process.terminate)

    def states(self):
        with contextlib.suppress(AssertionError):
            return self.run_on(0, "sinfo -h -N -o %t").split()
        return []

    def listing(self, command):
        (self.folder / "listing").write_text(self.run_on(0, command), encoding="utf-8")
        return "--exclude", "listing"

    def test_starts_ranks_in_the_order_of_its_hostfile(self):
        for words in (("--on", "gpu", "--gpus", "gpus"), ("--exclude", "host1")):
            (allocation, start), rows = self.place(RETURNING, 5, "--slurm", "hosts", *words)
            allocation = allocation.split("#")[0]
            script = shlex.quote(start.replace("PROGRAM", PROGRAM))
            self.assertEqual(self.rows_of(self.run_on(0, f"{allocation} sh -c {script}")), rows)

    def batch(self, rows, command):
        printed = self.run_on(0, command.replace("sbatch", "sbatch --wait -o printed"))
        printed += (self.folder / "printed").read_text(encoding="utf-8")
        self.assertEqual(self.rows_of(printed), rows, printed)

    def test_runs_the_batch_script(self):
        for words in (("--on", "gpu"), ("--exclude", "host1")):
            (command,), rows = self.place(RETURNING, 5, "--format", "sbatch", "-o", "job", *words)
            self.batch(rows, command)
        self.assertIn("#SBATCH --switches=2\n", (self.folder / "job").read_text(encoding="utf-8"))

    def test_leaves_hosts_alone_that_its_lists_name_as_taken(self):
        self.run_on(0, "scontrol update node=host1 state=drain reason='bad cable'")
        self.run_on(0, "sbatch -w host3 -n 1 --gres=gpu:1 -o /dev/null --wrap 'sleep 300'")
        self.assertTrue(wait_for(lambda: self.states() == ["idle", "drain", "idle", "mix"], 30))
        for command in ("sinfo -N", "sinfo", "scontrol show nodes"):
            (start,), rows = self.place(BLOCKS, 4, "--on", "gpu", *self.listing(command),
                                        "--format", "sbatch", "-o", "job")
            self.assertEqual({host for _, host, _ in rows}, {"host0", "host2"}, command)
        self.batch(rows, start)
        for command in ("squeue", "squeue --json"):
            _, rows = self.place(BLOCKS, 6, "--on", "gpu", *self.listing(command))
            self.assertEqual({host for _, host, _ in rows}, {"host0", "host1", "host2"}, command)

    def test_shares_a_host_whose_list_names_what_is_free(self):
        self.run_on(0, "sbatch -w host3 -n 1 --gres=gpu:1 -o /dev/null --wrap 'sleep 300'")
        self.assertTrue(wait_for(lambda: "mix" in self.states(), 30))
        (command,), rows = self.place(
            BLOCKS, 7, "--on", "gpu", *self.listing("scontrol -d show nodes"), "--format",
            "sbatch", "-o", "job")
        self.assertEqual([host for _, host, _ in rows].count("host3"), 1)
        self.assertNotIn("--exclusive", (self.folder / "job").read_text(encoding="utf-8"))
        # Slurm has given one GPU of host3 away: ours is the other.
        self.batch([(rank, host, "1" if host == "host3" else gpu) for rank, host, gpu in rows],
                   command)


def main():
    LaunchTest.build = pathlib.Path(sys.argv.pop(1)).resolve()
    if os.geteuid() != 0:
        print("needs root, to make network namespaces")
        sys.exit(77)
    for tool in ("ip", "tc", "mpirun.openmpi", "mpiexec.hydra"):
        if shutil.which(tool) is None:
            print(f"there is no {tool}: scripts/install_packages test")
            sys.exit(77)
    unittest.main()


if __name__ == "__main__":
    main()
