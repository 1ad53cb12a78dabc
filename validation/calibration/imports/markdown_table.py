# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bus bandwidths of nccl-tests that a page shows as a Markdown table: a row a size, a column a
configuration, or a run ("Rep1"). The unit is in the column's name, its cells or a line above.

Sizes are nccl-tests' (4M: 4 MiB). Means over sizes and differences in percent are omitted.
"""

import re

from validation.calibration.imports import collectives, launchers
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.nccl_collective import SIMULATED
from validation.calibration.imports.published_csv import RATED
from validation.calibration.imports.source import Source

NAME = "markdown"
# Bars are blanks here (labels.plain). nccl-tests' own head has a column `count`.
MARKS = r"\s*(?i:size|bytes|payload)\s{2,}(?!.*\bcount\b).*(?i:busbw|GB/s|\b(?:rep|run) ?\d)"
SIZE = re.compile(r"(\d{1,15}) ?([KMG]?)(?:i?B)?$", re.IGNORECASE)
RATE = re.compile(r"(\d+(?:\.\d+)?)( GB/s|GBps)?(?: ?\(.*\))?$")  # a remark may follow
SAID = re.compile(r"bandwidth of (\w+) over (\d{1,6}) ranks")
POWERS = {"": 0, "K": 10, "M": 20, "G": 30}
UNIT = re.compile(r"busbw|GB/s", re.IGNORECASE)
ABOVE = 4  # lines between a unit and its table


def layout_of(source: Source, line: int, given: Given) -> tuple:
    """(collective, Layout), by the options and a line above such as all_reduce_bench prints."""
    said = next(filter(None, map(SAID.search, source.lines[line - 1::-1])), None)
    name = collectives.named(given.collective or (said[1] if said else ""))
    if name not in RATED:
        source.fail(line, f"--collective NAME ({', '.join(RATED)}), since a table of bandwidths "
                    "names none", f'"{given.collective}"' if given.collective else "none")
    return name, launchers.layout_of(source, line, int(said[2]) if said else 0, given)


def parse(source: Source, given: Given) -> Findings:
    findings, names, titled = Findings(where={"mpi": "NCCL"}), [], False
    name, layout = "", Layout(0, 1)
    for line, text in enumerate(source.lines, 1):
        cells = re.split(r"\s{2,}", text.strip())
        if re.match(MARKS, text):
            names, (name, layout) = cells, layout_of(source, line, given)
            titled = any(map(UNIT.search, source.lines[max(0, line - 1 - ABOVE):line - 1]))
            findings.table = f"{source.path}:{line}"
            source.used.add(line)
        elif not text.strip():
            names = []
        elif len(cells) == len(names) and (size := SIZE.match(cells[0])):
            factor = SIMULATED[name].factor(layout.ranks) or 1.0
            for column, cell in zip(names[1:], cells[1:]):
                said, size_b = RATE.match(cell), int(size[1]) << POWERS[size[2].upper()]
                stated = said and (said[2] or titled or UNIT.search(column))
                if stated and float(said[1]) and size_b and column.lower() != "algbw":
                    source.used.add(line)
                    findings.add_collective(name, size_b, layout,
                                            factor * size_b / (float(said[1]) * 1e9), column=column)
    findings.where["devices"] = ["GPU"] * layout.ranks
    return findings
