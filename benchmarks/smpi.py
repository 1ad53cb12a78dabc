# SPDX-License-Identifier: LGPL-2.1-or-later
"""The ring as a small MPI program under SMPI, SimGrid's MPI."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from common.programs import InputError

PLATFORM = pathlib.Path(__file__).with_name("smpi_platform.xml").read_text(encoding="utf-8")


def command_of(program: pathlib.Path, ranks: int, folder: pathlib.Path) -> list:
    """Starts the ring with chunks of 1 KiB and one rank per host."""
    star, hosts = folder / "star.xml", folder / "hosts"
    star.write_text(PLATFORM.format(last=ranks - 1), encoding="utf-8")
    hosts.write_text("".join(f"host{i}\n" for i in range(ranks)), encoding="utf-8")
    # The program has no global variables to keep apart, and computes nothing that would be timed.
    return ["smpirun", "-np", str(ranks), "-platform", str(star), "-hostfile", str(hosts),
            "--cfg=smpi/simulate-computation:no",
            "--cfg=smpi/privatization:no", "--log=root.thres:critical", str(program), "1024"]


def measured(program: pathlib.Path, ranks: int) -> dict:
    """Figures of one run; {} where the program was not built or SimGrid's smpirun is missing."""
    if not program.exists() or shutil.which("smpirun") is None:
        return {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = command_of(program, ranks, folder)
        with open(folder / "out", "wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT,
                                       env={**os.environ, "TMPDIR": name})
            # With what the programs that smpirun started used, which Popen would not tell.
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output = (folder / "out").read_text(encoding="utf-8", errors="replace")
    if process.returncode != 0:
        raise InputError(f"{' '.join(command)}: exit code {process.returncode}\n{output.strip()}")
    return {"ranks": ranks, "repetitions": 1, "messages": 2 * ranks * (ranks - 1),
            "simulated_s": float(output.split()[0]), "read_s": 0,
            "cpu_s": usage.ru_utime + usage.ru_stime, "peak_bytes": usage.ru_maxrss * 1024}
