# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables that people write themselves, separated by commas, semicolons or tabs: a header with a
size and a time whose names have their units, such as size_mb,time_ms or "latency (us)".

Collective, nodes and ranks are columns too, or options. Sizes of collectives whose vectors are one
rank's block to some programs and all blocks to others are refused.
"""

import re
from decimal import Decimal

from validation.calibration.imports import collectives, csv_table, launchers
from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.published_csv import counts
from validation.calibration.imports.source import Row, Source
from validation.yaml_files import tables_of

NAME = "own-table"
COLUMNS, SIZES, TIMES = tables_of(__file__).values()
END = r"[\])]*\s*([,;\t]|$))"
MARKS = (r"(?i)(?=.*[,;\t])"
         r"(?=(.*[,;\t])?\s*(bytes|(message|msg|buffer|data)?[ _]?(size|length)[ _(\[]+"
         rf"({'|'.join(SIZES)})){END}"
         r"(?=(.*[,;\t])?\s*((avg|average|mean|median)[ _])?(time|latency|duration)[ _(\[]+"
         rf"({'|'.join(TIMES)}){END}[a-z]")
WHOLE = ("allreduce", "broadcast", "reduce")
COUNTS = ("nodes", "ranks_per_node", "ranks")


def meaning(header: str) -> tuple:
    """(what a column has, its unit), "" each where unknown: ("time", "us") of "Latency (us)"."""
    words = re.sub(r"[\s_()\[\]]+", "_", header.strip().lower()).strip("_")
    if words == "bytes":
        return "size", words
    name, _, unit = words.rpartition("_")
    name, unit = (name, unit) if unit in SIZES or unit in TIMES else (words, "")
    what = (one for one, pattern in COLUMNS.items() if re.fullmatch(pattern, name))
    return next(what, ""), unit


def collective_of(source: Source, row: Row, given: Given) -> str:
    text = row.cells["collective"].text if "collective" in row.cells else ""
    what = given.collective or collectives.named(text)
    if what not in WHOLE:
        source.fail(row.line, f"a collective whose size is whole ({', '.join(WHOLE)}), in a column "
                    "or by --collective; others by the columns of csv or nccl-csv",
                    f'"{what or text}"')
    return what


def parse(source: Source, given: Given) -> Findings:
    findings, filled = Findings(where=csv_table.where_of(source)), csv_table.filled(source)
    first = next((i for i, line in enumerate(filled)
                  if re.match(MARKS, source.lines[line - 1])), len(filled))
    header, *lines = filled[first:] or source.fail(
        1, "a header with a size and a time, with their units, such as size_mb,time_ms", "none")
    separator = max(",;\t", key=source.lines[header - 1].count)
    names = [cell.text for cell in csv_table.split(source, header, separator)]
    columns = {what: (name, unit) for name in names[::-1] for what, unit in [meaning(name)] if what}
    used = [name for name, _ in columns.values()]
    if unused := [name for name in names if name not in used]:
        findings.note(f"{source.path}:{header}: columns that are not read: {', '.join(unused)}")
    for line in lines:
        cells = source.row(line, csv_table.split(source, line, separator), names).cells
        row = Row(line, {what: cells[name] for what, (name, _) in columns.items()})
        told = [what for what in COUNTS if what in row.cells]
        numbers = dict(zip(told, counts(source, row, *told)))
        layout = launchers.layout_of(source, line, numbers.pop("ranks", 0),
                                     given._replace(**numbers))
        size = source.number(line, row.cells["size"]) * SIZES[columns["size"][1]]
        if size != round(size):
            source.fail(line, "a size of whole bytes", f'"{row.cells["size"].text}"',
                        row.cells["size"].column)
        source.positive(line, row.cells["time"], "time")
        seconds = Decimal(row.cells["time"].text).scaleb(TIMES[columns["time"][1]])
        findings.add_collective(collective_of(source, row, given), round(size), layout,
                                float(seconds))
    return findings
