# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the preflight name the host that lacks something? Hosts are folders behind a fake ssh.

Usage: python3 -m validation.executors.mpi.preflight_test BUILD MPIEXEC PROGRAM
"""

import os
import shutil
import subprocess

from validation.executors.mpi.jobs_for_test import ENVIRONMENT, ROOT, JobTest, main

PREFLIGHT = ROOT / "cli" / "mpi" / "ringscope-mpi-preflight"
TOOLS = ("awk", "basename", "bash", "cat", "cksum", "hostname", "realpath", "sed", "sh", "tail",
         "timeout")
# A host is a folder of that name: its own program, and its own bin for PATH.
SSH = """#!/bin/bash
while [[ $1 == -o ]]; do shift 2; done
host=$1; shift
if [[ ! -d {hosts}/$host ]]; then
  echo "ssh: connect to host $host port 22: No route to host" >&2
  exit 255
fi
PATH={hosts}/$host/bin exec "$@" < <(sed "s|^program=.*|program={hosts}/$host/app|")
"""
MPIRUN = """#!/bin/bash
[[ $1 == --version ]] && {{ echo "{version}"; exit; }}
echo "$*" >> {folder}/started
case "$*" in *{shut}*) echo "no route"; exit 1 ;; esac
"""
LDD = "#!/bin/bash\necho '\tlibmpi.so.40 => {found}'\n"


class Preflight(JobTest):
    def setUp(self):
        super().setUp()
        self.hosts = self.folder / "hosts"
        self.bin = self.host("here")
        self.script(self.bin / "ssh", SSH.format(hosts=self.hosts))
        self.launcher("mpirun (Open MPI) 4.1.4")
        self.script(self.bin / "app", "#!/bin/sh\n")
        for name in ("host1", "host2", "host3"):
            self.host(name)

    def script(self, path, text):
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def host(self, name):
        """One that has everything."""
        folder = self.hosts / name / "bin"
        folder.mkdir(parents=True)
        for tool in TOOLS:
            (folder / tool).symlink_to(shutil.which(tool))
        self.script(folder / "ldd", LDD.format(found="somewhere (0x1)"))
        self.script(folder / "orted", "#!/bin/sh\n")
        self.script(folder.parent / "app", "#!/bin/sh\n")
        return folder

    def launcher(self, version, shut="nothing"):
        self.script(self.bin / "mpirun",
                    MPIRUN.format(version=version, folder=self.folder, shut=shut))

    def check(self, *words):
        ran = subprocess.run([PREFLIGHT, *words, "app"], capture_output=True, text=True,
                             env={"PATH": str(self.bin)}, timeout=60, check=False)
        return ran.returncode, ran.stdout, ran.stderr

    def faulty(self, *words, host="host2"):
        """The line of the only host with a fault; the others are ready."""
        code, out, err = self.check("-H", "host1,host2,host3")
        self.assertEqual(code, 1, out + err)
        self.assertIn("host1: ready\n", out)
        self.assertIn("host3: ready\n", out)
        self.assertIn("1 fault(s)", err)
        line, = [line for line in out.splitlines() if line.startswith(host)]
        for word in words:
            self.assertIn(word, line)
        self.assertFalse((self.folder / "started").exists(), "nothing is started then")

    def test_hosts_that_have_all_are_ready_and_meet_the_first(self):
        file = self.folder / "hostfile"
        file.write_text("# ours\nhost1 slots=4\nhost2:4\n\nhost3\nhost1 slots=2\n",
                        encoding="utf-8")
        for words in (("-H", "host1:4,host2,host3"), ("--hostfile", file)):
            code, out, err = self.check(*words)
            self.assertEqual(code, 0, out + err)
            self.assertEqual(out.splitlines()[:5],
                             ["host1: ready", "host2: ready", "host3: ready",
                              "host2: meets host1", "host3: meets host1"])
        self.assertIn("-n 2 -H host1,host3 ",
                      (self.folder / "started").read_text(encoding="utf-8"))

    def test_a_host_without_the_program_is_named(self):
        (self.hosts / "host2" / "app").unlink()
        self.faulty("app is not there", "at the same path on all hosts")

    def test_a_host_with_another_program_is_named(self):
        self.script(self.hosts / "host2" / "app", "#!/bin/sh\n# older\n")
        self.faulty("another program than here", "cksum")

    def test_a_library_that_does_not_load_is_named_with_its_host(self):
        self.script(self.hosts / "host2" / "bin" / "ldd", LDD.format(found="not found"))
        self.faulty("libmpi.so.40 does not load", "LD_LIBRARY_PATH", "ssh host2 env")

    def test_a_host_without_the_launcher_s_daemon_is_named(self):
        (self.hosts / "host2" / "bin" / "orted").unlink()
        self.faulty("no orted in PATH", "--prefix")

    def test_a_host_that_is_not_reached_is_named(self):
        shutil.rmtree(self.hosts / "host2")
        self.faulty("cannot be reached by 'ssh host2'", "No route to host")

    def test_a_firewall_is_named_with_its_host(self):
        self.launcher("mpirun (Open MPI) 4.1.4", shut="host1,host3")
        code, out, _ = self.check("-H", "host1,host2,host3")
        self.assertEqual(code, 1)
        self.assertIn("host2: meets host1\n", out)
        self.assertIn("host3: two ranks, here and on host1, do not meet: is there a firewall", out)

    def test_the_launcher_of_another_mpi_is_told(self):
        for version in ("HYDRA build details:", "Intel(R) MPI Library for Linux* OS, 2021.9"):
            self.launcher(version)
            code, out, err = self.check("-H", "host1")
            self.assertEqual((code, out), (1, ""))
            self.assertRegex(err, "is of MPICH or Intel MPI, and .*app is linked with Open MPI")

    def test_words_that_are_wrong_are_told(self):
        for words, message in (((), "expected hosts"), (("--host", "a"), "unknown option '--host'"),
                               (("-H",), "-H: expected a value"),
                               (("--hostfile", "none"), "file not found: 'none'")):
            ran = subprocess.run([PREFLIGHT, *words], capture_output=True, text=True,
                                 env=ENVIRONMENT, timeout=60, check=False)
            self.assertEqual(ran.returncode, 1)
            self.assertIn(message, ran.stderr)


class Real(JobTest):
    """This machine's MPI, and the other one's launcher."""

    def check(self, mpiexec):
        return subprocess.run([PREFLIGHT, "-H", "localhost", "--mpirun", mpiexec, self.program],
                              capture_output=True, text=True, env=ENVIRONMENT, timeout=60,
                              check=False)

    def test_this_machine_is_ready(self):
        ran = self.check(self.mpiexec)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn("localhost: ready\n", ran.stdout)

    def other_launcher(self):
        of_mpich = b"HYDRA" in subprocess.run([self.mpiexec, "--version"], check=True,
                                              capture_output=True).stdout
        other = shutil.which("mpiexec.openmpi" if of_mpich else "mpiexec.mpich")
        if not other:
            self.skipTest("there is one MPI only")
        return other

    def test_the_other_mpi_s_launcher_is_told(self):
        ran = self.check(self.other_launcher())
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, "is of .*, and .* is linked with .*: each rank would be alone")

    def test_ranks_that_another_mpi_s_launcher_started_say_so_once(self):
        command = self.command(2, "question: never read this far?\n")
        command[0] = self.other_launcher()
        command[command.index("replay"):] = ["probe", "--only", "barrier", "-o", str(self.output)]
        code, _, err = self.finish(self.launch(command))
        self.assertEqual(code, 1)
        self.assertEqual(err.count("started 2 processes"), 1, err)
        self.assertRegex(err, "(OMPI_COMM_WORLD_SIZE|PMI_SIZE).*each is alone in its own job: "
                              "this program is linked with (MPICH|Open MPI)")
        self.assertFalse(os.path.exists(self.output))


if __name__ == "__main__":
    main()
