# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a record say what a Python program calls by mpi4py, with buffers and with pickled objects?

Usage: python3 -m validation.executors.mpi.record.mpi4py_test BUILD MPIEXEC PROGRAM
"""

import pickle
import subprocess
import sys

from validation.executors.mpi.jobs_for_test import ENVIRONMENT, main
from validation.executors.mpi.record.record_test import Records

RANKS, NUMBERS, DOUBLE, LENGTH = 3, 100, 8, 4  # mpi4py sends lengths as ints
OBJECT = {"x": list(range(10))}
BUFFERS = f"""
from array import array
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, right, left = comm.rank, (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
sent, came = array("d", [1.0] * {NUMBERS}), array("d", [0.0] * {NUMBERS})
comm.Sendrecv(sent, right, 3, came, left, 3)
comm.Allreduce(sent, came)
assert came[0] == comm.size
comm.Bcast(sent, 1)
receiving = comm.Irecv(came, left, 4)
comm.Isend(sent, right, 4).Wait()
receiving.Wait()
"""
PICKLED = f"""
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
if rank == 0:
    comm.send({OBJECT}, 1, tag=5)
if rank == 1:
    assert comm.recv(source=0, tag=5) == {OBJECT}
assert comm.bcast({OBJECT} if rank == 0 else None, 0) == {OBJECT}
assert comm.gather(rank, 0) == (list(range(size)) if rank == 0 else None)
assert comm.allgather(rank) == list(range(size))
assert comm.scatter(list(range(size)) if rank == 0 else None, 0) == rank
assert comm.allreduce(rank) == size * (size - 1) / 2
"""


def pickled(value):
    return len(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


class Python(Records):
    def recorded_text(self, text):
        script = self.folder / "program.py"
        script.write_text(text, encoding="utf-8")
        return self.recorded_program(RANKS, sys.executable, script)

    def test_calls_with_buffers_are_recorded_as_those_of_c(self):
        size = NUMBERS * DOUBLE
        for rank, lines in enumerate(self.recorded_text(BUFFERS)):
            right, left = (rank + 1) % RANKS, (rank - 1) % RANKS
            calls = self.calls(lines)
            self.assertEqual(calls[:6], [
                "communicator 0 0-2",
                f"sendrecv to={right} tag=3 bytes={size} from={left} from_tag=3 from_bytes={size}",
                f"allreduce bytes={size}", f"bcast bytes={size} root=1",
                f"irecv from={left} tag=4 room={size} request=0",
                f"isend to={right} tag=4 bytes={size} request=1"])
            self.assertEqual(calls[-2:], [f"wait done=0:{left}:4:{size}", "finalize"])

    def test_pickled_objects_are_recorded_as_the_calls_that_they_become(self):
        """docs/how-to/record-my-program.md has them as a table."""
        ranks = self.recorded_text(PICKLED)
        message, number = pickled(OBJECT), pickled(0)
        self.assertEqual(self.calls(ranks[0])[1], f"send to=1 tag=5 bytes={message}")
        self.assertEqual(self.calls(ranks[1])[1:3],
                         [f"{call} from=0 tag=5 bytes={message}" for call in ("probe", "recv")])
        for lines in ranks:
            calls = self.calls(lines)
            first = calls.index(f"bcast bytes={LENGTH} root=0")
            self.assertEqual(calls[first + 1:first + 8], [
                f"bcast bytes={message} root=0",
                f"gather bytes={LENGTH} root=0", f"gatherv bytes={number} root=0",
                f"allgather bytes={LENGTH}", f"allgatherv bytes={number}",
                f"scatter bytes={LENGTH} root=0", f"scatterv bytes={number} root=0"])
            self.assertEqual(self.named(lines, "dup", "allreduce"), ["dup gives=1"])
        sums = self.named(ranks[0], "recv")
        self.assertIn(f"recv from=1 tag=0 bytes={number} in=1", sums)

    def test_both_are_simulated(self):
        simulator = self.build / "ringscope"
        if not simulator.exists():
            self.skipTest("the simulator is not built")
        self.recorded_text(BUFFERS + PICKLED)
        file = self.folder / "recorded.yaml"
        file.write_text("question: how long?\ncluster: rack3\nlibrary: openmpi_tcp\n"
                        f"placement: 2-1\njob: {{trace: {self.trace}}}\n", encoding="utf-8")
        ran = subprocess.run([simulator, "run", file], capture_output=True, text=True,
                             env=ENVIRONMENT, timeout=60, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)


def skip_without_mpi4py():
    """It has to be of the MPI whose launcher and recorder the test was given."""
    ran = subprocess.run(
        [sys.executable, "-c", "from mpi4py import MPI; print(MPI.Get_library_version())"],
        check=False, capture_output=True, text=True, env=ENVIRONMENT)
    if ran.returncode != 0:
        print(f"SKIP: no mpi4py for {sys.executable} (Debian: python3-mpi4py)")
        sys.exit(77)
    launcher = subprocess.run([sys.argv[2], "--version"], check=False, capture_output=True,
                              text=True, env=ENVIRONMENT).stdout
    if ran.stdout.startswith("MPICH") != ("HYDRA" in launcher):
        print(f"SKIP: mpi4py is of {ran.stdout.split(',')[0].strip()}, {sys.argv[2]} is not")
        sys.exit(77)


if __name__ == "__main__":
    skip_without_mpi4py()
    main()
