# SPDX-License-Identifier: LGPL-2.1-or-later
"""Emulate a cluster on one machine: hosts are network namespaces, links are shaped, MPI is real.

ringscope-lab up --hosts 3 --rate '500 Mbit/s'
ringscope-lab run --placement 4-3-1 --rate '500 Mbit/s' -- PROGRAM ARGUMENT...
ringscope-lab probe --rate '500 Mbit/s' -o probes.json
ringscope-lab replay scenario.yaml --placement 4-3-1 --rate '500 Mbit/s' -o real.json
ringscope-lab campaign campaign.yaml -o measured/
ringscope-lab down

Without a running lab, run, probe, replay and campaign build one and remove it. Needs root.
"""

import dataclasses
import json
import math
import pathlib
import shutil
import sys

from common.programs import page_parser, pairs_of, run_main, write_text
from common.quantities import parse_quantity
from validation.lab import campaign, hosts, launch, recorded, session

HERE = pathlib.Path(__file__).resolve().parent


def add_shape(parser, rate):
    parser.add_argument("--hosts", type=int, default=0, metavar="N", help="minimum number of hosts")
    parser.add_argument("--rate", default=rate,
                        help="link bandwidth per direction, such as '500 Mbit/s'")
    parser.add_argument("--latency", default="",
                        help="additional latency between hosts, such as '1 ms' (needs netem)")


def add_build(parser):
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build",
                        help="folder of the build (default: %(default)s)")


def add_launch(parser, placement):
    parser.add_argument("--placement", default=placement, required=not placement,
                        help="ranks of each host, such as 4-3-1, or the host of each rank, 0,1,0")
    parser.add_argument("--mpi", choices=sorted(launch.LAUNCHERS), default="openmpi",
                        help="MPI library (default: %(default)s)")
    parser.add_argument("--send-cost", default="0 ns/B", metavar="COST",
                        help="emulated CPU cost of the sending thread, such as '8 ns/B' "
                             "(default: %(default)s)")
    parser.add_argument("--recv-cost", default="0 ns/B", metavar="COST",
                        help="emulated CPU cost of the receiving thread (default: %(default)s)")
    parser.add_argument("--nap", default="20 us", metavar="TIME",
                        help="sleep of an idle rank, which frees its core; '0 s' spins "
                             "(default: %(default)s)")
    parser.add_argument("--socket-buffer", default="64 KiB", metavar="SIZE",
                        help="size of a socket's buffers; larger ones delay the handshakes of "
                             "large messages (default: %(default)s)")
    parser.add_argument("--mca", action="append", default=[], metavar="KEY=VALUE",
                        help="parameter of Open MPI")
    parser.add_argument("--timeout", type=float, default=600, metavar="S",
                        help="time limit of a job, in seconds; then it ends with exit code 3 "
                             "(default: %(default)g)")
    add_build(parser)


def arguments_of(words):
    parser = page_parser("ringscope-lab", __doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    up = commands.add_parser("up", help="build a lab and keep it running")
    add_shape(up, "unlimited")
    commands.add_parser("down", help="remove the lab, and the rest of a killed lab")
    commands.add_parser("status", help="print the state of the lab")
    run = commands.add_parser("run", help="start a program on every rank: -- PROGRAM ARGUMENT...")
    add_shape(run, "")
    add_launch(run, "")
    run.add_argument("--report", metavar="FILE",
                     help="report of CPU time and network traffic, as JSON")
    for name, place, about in (("probe", "2-2", "measure the lab as it is"),
                               ("replay", "", "run scenarios of the simulator with MPI")):
        command = commands.add_parser(name, help=f"{about} (-- further options of "
                                       "ringscope-mpi)")
        if name == "replay":
            command.add_argument("scenarios", nargs="+", metavar="SCENARIO", help="scenario to run")
        add_shape(command, "")
        add_launch(command, place)
        command.add_argument("-o", "--output", required=True, metavar="FILE",
                             help="measurements to write")
    many = commands.add_parser("campaign", help="run a file's cases round-robin, launch by launch")
    many.add_argument("file", metavar="CAMPAIGN",
                      help="file of cases, such as validation/lab/campaign.yaml")
    many.add_argument("-o", "--output", required=True, metavar="FOLDER",
                      help="folder for the measurements")
    add_build(many)
    return parser.parse_args(words)


def launch_of(arguments) -> launch.Launch:
    if not 0 < arguments.timeout < math.inf:
        raise hosts.LabError(f"--timeout: expected seconds, got {arguments.timeout:g}")
    return launch.Launch(
        launch.parse_placement(arguments.placement), arguments.mpi,
        parse_quantity(arguments.send_cost, "cost", "--send-cost"),
        parse_quantity(arguments.recv_cost, "cost", "--recv-cost"),
        parse_quantity(arguments.nap, "time", "--nap"),
        int(parse_quantity(arguments.socket_buffer, "bytes", "--socket-buffer")),
        pairs_of("--mca", arguments.mca), arguments.timeout, arguments.build,
        launch.parse_order(arguments.placement))


def hosts_of(arguments, one: launch.Launch) -> int:
    if arguments.hosts and arguments.hosts < len(one.placement):
        raise hosts.LabError(f"--placement {arguments.placement} names {len(one.placement)} hosts, "
                             f"--hosts {arguments.hosts}")
    return max(arguments.hosts, len(one.placement))


def run_program(arguments, program):
    if not program:
        raise hosts.LabError("run: expected -- PROGRAM ARGUMENT..., got nothing after --")
    if shutil.which(program[0]) is None:
        raise hosts.LabError(f"run: file not found: '{program[0]}'")
    one = launch_of(arguments)
    with session.session(hosts_of(arguments, one), arguments.rate, arguments.latency) as lab:
        outcome = launch.run(lab, one, program)
        if arguments.report:
            write_text(arguments.report, json.dumps(dataclasses.asdict(outcome), indent=2) + "\n")
    return outcome.exit_code


def record(arguments, more):
    """probe and replay: ringscope-mpi writes a measurement, the lab adds what it knows."""
    one = launch_of(arguments)
    with session.session(hosts_of(arguments, one), arguments.rate, arguments.latency) as lab:
        job = recorded.Job(arguments.command, getattr(arguments, "scenarios", []), more)
        return recorded.record(lab, one, job, arguments.output).exit_code


def main():
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    arguments, rest = arguments_of(words[:split]), words[split + 1:]
    if arguments.command == "up":
        session.up(arguments.hosts or 2, arguments.rate, arguments.latency or "0 s")
    elif arguments.command == "down":
        session.down()
    elif arguments.command == "run":
        return run_program(arguments, rest)
    elif arguments.command == "campaign":
        return campaign.run(arguments.file, arguments.output, arguments.build)
    elif arguments.command in ("probe", "replay"):
        return record(arguments, rest)
    if arguments.command in ("up", "down", "status"):
        print(session.describe())
    return 0


if __name__ == "__main__":
    try:
        run_main(main)
    except session.Interrupted as stopped:
        sys.exit(stopped.exit_code)
