# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs of ringscope-mpi whose measurement the lab completes with what only it knows."""

import os
import tempfile
from typing import NamedTuple

from validation import measurements
from validation.lab import claim, hosts, launch


class Job(NamedTuple):
    """A subcommand of ringscope-mpi, its scenarios, more words for it, and parameters that the
    measurements get beside their own."""
    subcommand: str
    scenarios: list
    more: list
    parameters: dict = {}


def circumstances(lab, one: launch.Launch) -> dict:
    """Settings of this lab, beyond what every measurement says."""
    policy = os.sched_getscheduler(0)  # the ranks inherit it
    return {"nap_s": one.nap, "socket_buffer_bytes": one.socket_buffer,
            "latency_s": lab.state["shaped"][1], "mca": one.mca,
            "realtime": policy in (os.SCHED_FIFO, os.SCHED_RR)}


def program(one: launch.Launch) -> str:
    """ringscope-mpi is linked with the MPI that CMake chose; another MPI's is named after it."""
    for name in (f"ringscope-{one.mpi}", "ringscope-mpi"):
        path = one.build.resolve() / name
        if path.exists():
            return str(path)
    raise hosts.LabError(f"{path} is missing: build it first, or say --build")


def words_of(lab, one: launch.Launch, job: Job, output: str) -> list:
    words = [program(one), job.subcommand, *job.scenarios]
    if job.subcommand == "replay":
        words += ["--set", f"placement={one.scenario_placement()}"]
    if (rate := lab.state["shaped"][0]) != float("inf"):
        words += ["--link-bandwidth", f"{rate * 8e-6:.12g} Mbit/s"]
    if emulated := one.emulated():
        words += ["--emulated", emulated]
    return words + ["--timeout", f"{one.timeout:g}", "-o", output, *job.more]


def record(lab, one: launch.Launch, job: Job, output: str) -> launch.Outcome:
    """Runs the job and writes its measurement, with the CPU that others used meanwhile; nothing is
    written where the job failed. The program ends itself in time, saying what each rank is in; only
    a job that does not even do that is ended from here."""
    if not os.access(os.path.dirname(os.path.realpath(output)), os.W_OK):
        raise hosts.LabError(f"{output}: cannot be written: there is no such folder, or it is "
                             "read-only")
    with tempfile.TemporaryDirectory(dir=claim.SCRATCH, prefix="measured.") as folder:
        raw = os.path.join(folder, "measured.json")
        patient = one._replace(timeout=one.timeout + 10)
        outcome = launch.run(lab, patient, words_of(lab, one, job, raw), raw)
        if outcome.exit_code == 0:
            document = measurements.read(raw)
            document.where["foreign_cores"] = round(outcome.foreign_cores, 3)
            document.where["lab"] = circumstances(lab, one) | {"wire": outcome.wire}
            for measured in document.measurements:
                measured.parameters |= job.parameters
            measurements.write(output, document)
    return outcome
