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

import json
import math
import shutil
import sys

from common.programs import page_parser, pairs_of, run_main, write_text
from common.quantities import parse_quantity
from validation.arguments import OPTIONS, add_options
from validation.lab import campaign, hosts, launch, recorded, session


def arguments_of(words):
    parser = page_parser("ringscope-lab", __doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, about in OPTIONS["lab commands"].items():
        command = commands.add_parser(name, help=about["help"], allow_abbrev=False)
        place = "2-2" if name == "probe" else ""
        for section in about["sections"]:
            add_options(command, f"lab {section}", rate="unlimited" if name == "up" else "",
                        place=place, must_be_placed=not place, launchers=sorted(launch.LAUNCHERS),
                        build=launch.HERE.parent.parent / "build")
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
            write_text(arguments.report, json.dumps(outcome._asdict(), indent=2) + "\n")
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
