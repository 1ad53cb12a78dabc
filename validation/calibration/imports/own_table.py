# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables that people write themselves, separated by commas, semicolons, tabs, bars or two blanks,
or as records in JSON: a header with a size and a time whose names have their units, such as
size_mb,time_ms or "latency (us)". Times by GPUs are NCCL's.

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
# Cells begin and end at a comma, semicolon, tab or two blanks, as labels.plain makes of bars.
MARKS = r"(?i)(?!.*\bdescription\b.*\bthroughput\b)" + "".join(  # of DeepSpeed
    rf"(?=(?:\s*|.*?(?:[,;\t]\s*|\s\s))(?:{name})[\])]*(?:\s\s|\s*[,;\t]|\s*$))" for name in (
        rf"bytes|(?:message|msg|buffer|data)?[ _]?(?:size|length)[ _(\[]+(?:{'|'.join(SIZES)})",
        r"(?:(?:avg|average|mean|median)[ _])?(?:time|latency|duration)[ _(\[]+"
        rf"(?:{'|'.join(TIMES)})")) + r"\s*[a-z]"
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
    head = source.lines[header - 1]
    separator = max(",;\t", key=head.count) if re.search(r"[,;\t]", head) else "  "

    def cells_of(line: int) -> list:
        cells = csv_table.split(source, line, separator)
        return [cell for cell in cells if cell.text or separator != "  "]

    names = [cell.text for cell in cells_of(header)]
    columns = {what: (name, unit) for name in names[::-1] for what, unit in [meaning(name)] if what}
    if any("gpu" in columns[what][0].lower() for what in COUNTS if what in columns):
        findings.where["mpi"] = "NCCL"
        findings.note(f"{source.path}:{header}: a column counts GPUs: taken for times of NCCL; "
                      "--mpi names another library")
    used = [name for name, _ in columns.values()]
    if unused := [name for name in names if name not in used]:
        findings.note(f"{source.path}:{header}: columns that are not read: {', '.join(unused)}")
    for line in lines:
        if not re.search(r"\w", source.lines[line - 1]):  # the rule of a Markdown table
            continue
        cells = source.row(line, cells_of(line), names).cells
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
