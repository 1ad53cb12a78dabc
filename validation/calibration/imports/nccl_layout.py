# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the ranks of a run of nccl-tests were: its lines of devices, or the command line's word."""

import re
from typing import NamedTuple

from validation.calibration.imports import findings
from validation.calibration.imports.findings import Given, counts_text
from validation.calibration.imports.nccl_collective import ranks_by_ratio

DEVICE = re.compile(r"\s*#?\s*Rank\s+(?P<rank>\d+)\s+(?:Group\s+(?P<group>\d+)\s+)?"
                    r"(?:Pid\s+\d+\s+)?on\s+(?P<host>\S+)\s+device\s+(?P<device>\d+)\s+"
                    r"\[(?P<bus>\S+)\]\s*(?P<name>.*?)\s*$")


class Layout(NamedTuple):
    """`listed`: the place of each rank, where the ranks of a host are not in a row."""

    ranks: int
    parameters: dict
    listed: list = None
    unused: tuple = ()
    doubt: str = ""  # of the number of hosts


def devices_in(texts: list) -> list:
    return [found for found in map(DEVICE.match, texts) if found]


def layout(run, collective: str, given: Given) -> Layout:
    """By the devices of all ranks; else by the number of ranks and of hosts, from the options, the
    last device or the ratio of the two bandwidths."""
    refuse_groups(run.source, run.start, {device["group"] for device in run.devices})
    numbers = [int(device["rank"]) for device in run.devices]
    twice = repeated(run.devices)
    if numbers and numbers == list(range(len(numbers))) and not (
            twice and (given.nodes or given.ranks_per_node)):
        return of_devices(run.devices, given)._replace(doubt=twice)
    given = run.known
    for index, number in enumerate(numbers):
        if number != index and not (given.nodes or given.ranks_per_node):
            run.source.fail(run.start, f"a device for rank {index}, or --nodes N or "
                            "--ranks-per-node N", f"one for rank {number}")
    ranks = (given.nodes or 0) * (given.ranks_per_node or 0)
    known = numbers[-1] + 1 if numbers else 0
    ranks = ranks or known or ranks_by_ratio(run, collective)
    if not ranks or not (given.nodes or given.ranks_per_node):
        run.source.fail(run.start, 'lines "#  Rank N ... on HOST device N ..." below, or --nodes N '
                        "and --ranks-per-node N", f"none, of {ranks} ranks" if ranks else "none")
    each = given.ranks_per_node or -(-ranks // given.nodes)
    filled = findings.Layout(ranks, each)
    if known > ranks or (given.nodes and filled.hosts != given.nodes):
        run.source.fail(run.start, f"{max(known, ranks)} ranks on {given.nodes} nodes, "
                        "--ranks-per-node N each", f"{each} each")
    return Layout(ranks, parameters(ranks, filled.hosts, filled.placement))


def repeated(devices: list) -> str:
    """Words on the first rank whose host and GPU another rank has; "" where there is none."""
    seen = {}
    for one in devices:
        rank = seen.setdefault((one["host"], one["device"], one["bus"]), one["rank"])
        if rank != one["rank"]:
            return (f"ranks {rank} and {one['rank']} have one GPU of {one['host']}. If several "
                    "hosts have this name, as in containers, add --nodes N")
    return ""


def refuse_groups(source, line: int, groups: set):
    """Groups run concurrently, each its own collective; the lines do not tell which rank it has."""
    if len(groups) > 1:
        source.fail(line, "a run of all ranks together", f"{len(groups)} groups that run "
                    "concurrently (NCCL_TESTS_SPLIT), which no case has: unset it")


def parameters(ranks: int, hosts: int, placement: str) -> dict:
    return {"algorithm": "", "ranks_count": ranks, "hosts_count": hosts, "placement": placement}


def of_devices(devices: list, given: Given) -> Layout:
    names = [device["host"] for device in devices]
    hosts = list(dict.fromkeys(names))
    placement, listed = counts_text([names.count(host) for host in hosts]), None
    if names != sorted(names, key=hosts.index):
        placement += " listed"
        listed = places(names, hosts, [int(device["device"]) for device in devices])
    return Layout(len(names), parameters(len(names), len(hosts), placement), listed,
                  unused_options(len(names), len(hosts), given))


def places(names: list, hosts: list, devices: list) -> list:
    """The GPU of each rank: by its number, or, where each rank sees its own as 0, in turn."""
    seen = list(zip(names, devices))
    by_number = len(set(seen)) == len(seen)
    return [{"host": hosts.index(name),
             "gpu": devices[rank] if by_number else names[:rank].count(name)}
            for rank, name in enumerate(names)]


def scenario_of(layout: Layout, gpus_per_thread: int):
    """A thread that has several GPUs launches their kernels one after the other. Ranks that go
    round the hosts are listed one by one."""
    found = {"placement": layout.listed} if layout.listed else {}
    if gpus_per_thread > 1:
        found["job"] = {"options": {"gpus_per_thread": gpus_per_thread}}
    return found or None


def unused_options(ranks: int, hosts: int, given: Given) -> tuple:
    """Options that contradict the lines of devices: they may be of another log of the command."""
    return tuple(f"{option} {said}" for option, said, right in (
        ("--nodes", given.nodes, hosts),
        ("--ranks-per-node", given.ranks_per_node, -(-ranks // hosts))) if said and said != right)
