# SPDX-License-Identifier: LGPL-2.1-or-later
"""Return dates of the calls of one ring allreduce: rank,step,event,seconds.

Events are send_returned and wait_returned of a step, and one "done" of each rank without a step.
The placement stands in a comment ("3 + 3 ranks per node") or on the command line.
"""

import re

from validation.calibration.imports import csv_table
from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.source import Source

NAME = "ring-trace"
COLUMNS = "rank,step,event,seconds"
MARKS = r"(?=.*\brank\b)(?=.*\bevent\b)[\w ,]+$"

EVENTS = {"send_returned": "send", "wait_returned": "wait", "done": "done"}
PLACEMENT = re.compile(r"\b(\d+(?: \+ \d+)+) ranks per node")


def placement_of(source: Source, given: Given) -> str:
    found = next((found[1] for found in map(PLACEMENT.search, source.lines) if found), "")
    if not given.placement and not found:
        source.fail(1, 'the placement: --placement 3-3, or a comment with "3 + 3 ranks per node"',
                    "neither")
    return given.placement or found.replace(" + ", "-")


def parse(source: Source, given: Given) -> Findings:
    placement = placement_of(source, given)
    ranks = sum(int(count) for count in re.findall(r"\d+", placement))
    findings, ends = Findings(where=csv_table.where_of(source)), set()
    for row in csv_table.read(source, COLUMNS):
        event = source.one_of(row.line, row.cells["event"], EVENTS)
        rank = source.count(row.line, row.cells["rank"], "a rank")
        if rank >= ranks:
            source.fail(row.line, f"a rank below {ranks}, as {placement} has", str(rank),
                        row.cells["rank"].column)
        parameters = {"rank": rank, "placement": placement}
        if event == "done":
            ends.add(rank)
        else:
            parameters["step"] = source.count(row.line, row.cells["step"], "a step")
        findings.add("trace", EVENTS[event],
                     source.number(row.line, row.cells["seconds"], "a time in seconds"), parameters)
    if missing := sorted(set(range(ranks)) - ends):  # cut short
        source.fail(len(source.lines), f"a line with the event done of rank {missing[0]}", "none")
    return findings
