# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that rccl-tests write with `-x FILE -Z csv` or `-Z json` (src/common.cpp, Reporter).

`ranks` are processes of `gpusPerRank` GPUs, `ranksPerNode` the processes of one communicator
(NCCL_TESTS_SPLIT), whatever hosts they are on. Rows of a CSV have a cell `nodes`, its header has
none. Of a reduce-scatter early versions print one rank's bytes, as algBw shows.
"""

import re

from validation.calibration.imports import collectives, csv_table, json_text, launchers
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.inspector import bytes_of
from validation.calibration.imports.nccl_collective import MOST_RANKS, SIMULATED
from validation.calibration.imports.nccl_tests import PLACES, apart
from validation.calibration.imports.source import Source

NAME = "rccl-tests"
HEADER = r"\s*(?:numCycle, ?)?collective, ?(?:ranks|gpus), ?.*\btype, ?.*\bbusbw, ?#wrong"
OBJECT = r'\s*(?:\[?\s*\{.*)?"busBw"\s*:'
MARKS = rf"{HEADER}|{OBJECT}"
ROW = re.compile(r'\s*(?:\d+\s*, ?)?"\w+"\s*,')
FORM = "name, gpus or ranksPerNode and gpusPerRank, size, type, redop, inPlace, time, algBw, busBw"
SHARE, DIGIT = 2e-3, 2e-6  # how far printed bandwidths may be apart


def rows_of(source: Source) -> list:
    """(line, result by the keys of JSON in small letters, line of its table)"""
    names, rows, table = [], [], 0
    for line, text in enumerate(source.lines, 1):
        if re.match(HEADER, text):
            names = ["name" if cell.text == "collective" else cell.text.lower().lstrip("#")
                     for cell in csv_table.split(source, line)]
            table = line
            source.used.add(line)
        elif names and ROW.match(text):
            cells, place = csv_table.split(source, line), names.index("name") + 1
            unnamed = all('"' not in one.text for one in cells[names.index("type"):][:1])
            row = source.row(line, cells, names[:place] + ["nodes"] * unnamed + names[place:])
            rows.append((line, {key: cell.text.strip('"') for key, cell in row.cells.items()},
                         table))
    if any(re.match(OBJECT, text) for text in source.lines):
        found = json_text.objects(source, "busBw")
        rows += [(line, {key.lower(): value for key, value in told.items()}, found[0][0])
                 for line, told in found]
    return rows


def layout_of(source: Source, line: int, told: dict, given: Given) -> Layout:
    processes = int(told.get("rankspernode", 1))
    ranks = processes * int(told["gpusperrank"] if "gpusperrank" in told else told["gpus"])
    if not 1 <= ranks <= MOST_RANKS:
        source.fail(line, f"1 to {MOST_RANKS} GPUs", str(ranks))
    nodes = 1 if processes == 1 else given.nodes
    layout = launchers.layout_of(source, line, ranks, given._replace(nodes=nodes, ranks_per_node=(
        None if nodes else given.ranks_per_node)))
    if nodes not in (None, layout.hosts):
        source.fail(line, f"a number of nodes that {ranks} GPUs fill", str(nodes))
    return layout


def add_row(source: Source, line: int, told: dict, more: dict, given: Given, findings: Findings):
    place, name = PLACES[int(told["inplace"])], collectives.named(told["name"]) or source.fail(
        line, f"a collective ({', '.join(collectives.SIMULATED)})", f'"{told["name"]}"')
    layout, micros = layout_of(source, line, told, given), float(told["time"])
    findings.where["devices"] = ["GPU"] * max(layout.ranks, len(findings.where["devices"]))
    if str(told.get("wrong", "N/A")) not in ("0", "N/A"):
        findings.note(f"{source.path}:{line}: {told['wrong']} wrong results {place}: time omitted")
    elif micros > 0 and int(told["size"]) > 0:
        rate, shape = float(told["algbw"]), SIMULATED.get(name)
        busbw = shape.factor(layout.ranks) * rate if shape else float(told["busbw"])
        if not abs(busbw - float(told["busbw"])) <= SHARE * busbw + DIGIT:
            source.fail(line, f"a busBw of {layout.ranks} ranks, {busbw:.6f}", str(told["busbw"]))
        size = bytes_of(source, line, int(told["size"]), layout.ranks, rate, micros)
        findings.add_collective(name, size, layout, micros * 1e-6, **more, buffers=place)


def parse(source: Source, given: Given) -> Findings:
    findings = Findings(where={"program": "rccl-tests", "mpi": "NCCL (RCCL)", "devices": []})
    rows, said = rows_of(source), launchers.said_by_line(source.lines)
    for group in dict.fromkeys((told.get("name"), table) for _, told, table in rows):
        ours = [row for row in rows if (row[1].get("name"), row[2]) == group]
        keys = [(told.get("type"), told.get("redop"), None) for _, told, _ in ours]
        findings.table = f"{source.path}:{group[1]}"
        for (line, told, _), more in zip(ours, apart(keys)):
            known = launchers.completed(given, said[line - 1])
            try:
                add_row(source, line, told, more, known, findings)
            except (AttributeError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                source.fail(line, FORM, f"{type(error).__name__}: {error}")
    return findings
