# SPDX-License-Identifier: LGPL-2.1-or-later
"""The text output of the Intel MPI Benchmarks (IMB-MPI1), versions 3 to 2021.

PingPong's t is half of a round trip; of several ranks' times the largest counts; Uniband and
Biband send from rank i to rank i + P/2, and Biband counts the messages of both directions
(the user guide, and scale_bw in the source).
"""

import re

from validation.calibration.imports import launchers, mpi_table
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.source import Source

NAME = "imb"
MARKS = r"\s*#?\s*Benchmarking \S+\s*$"

VERSION = re.compile(r"#\s+(Intel ?\(R\) MPI Benchmarks [^,]+)")
TITLE = re.compile(r"\s*#?\s*Benchmarking (?P<test>\S+)\s*$")
PROCESSES = re.compile(r"\s*#?\s*#processes = (\d{1,9})\b")
GROUPS = re.compile(r"\s*#?\s*\( ?\d+ groups of")
HEADER = re.compile(r"\s*#(bytes|repetitions)\b")
NO_MEMORY = re.compile(r"\s*\d+\s+(\d+\s+)?(out-of-mem|int-overflow)")
WINDOW = 64  # MAX_WIN_SIZE in the source

# header: the name that the columns have here; another unit is another header
COLUMNS = {"#bytes": "bytes", "#repetitions": "repetitions", "t[usec]": "time",
           "t_min[usec]": "least", "t_max[usec]": "most", "t_avg[usec]": "mean",
           "Mbytes/sec": "rate", "Msg/sec": "messages", "defects": "defects"}
BANDS = {"Uniband": 1, "Biband": 2}  # directions
# Two ranks of PingPing exchange; Exchange has both neighbours of a rank, unlike the simulator's.
PATTERNS = {"PingPing": "exchange", "Sendrecv": "sendrecv", "Exchange": "imb_exchange"}
COLLECTIVES = mpi_table.COLLECTIVES | PATTERNS


def columns_of(source: Source, line: int) -> list:
    columns = []
    for cell in source.cells(line):
        if cell.text not in COLUMNS:
            source.fail(line, f"a column of the Intel MPI Benchmarks ({', '.join(COLUMNS)})",
                        f'"{cell.text}"', cell.column)
        columns.append(COLUMNS[cell.text])
    return columns


class Table(mpi_table.MpiTable):
    """One table, and how many ranks took part."""

    COUNTED, SIZE = ("messages",), "bytes"

    def __init__(self, source: Source, title: int):
        super().__init__(source, title, TITLE.match(source.lines[title - 1])["test"], 0, [])
        self.ranks, self.grouped = 0, False
        for line in range(title + 1, len(source.lines) + 1):
            text = source.lines[line - 1]
            if found := PROCESSES.match(text):
                if self.ranks:
                    source.fail(line, f"a header of {self.test}", text.strip())
                self.ranks = int(found[1])
            self.grouped = self.grouped or bool(GROUPS.match(text))
            if HEADER.match(text):
                self.header = line
                break
            if TITLE.match(text):
                break
        if not self.ranks or not self.header:
            source.fail(title, '"# #processes = N" and a header ("#bytes #repetitions ...") below '
                        "this title", "none" if not self.header else "no number of processes")
        if self.ranks < 2 and self.test in ("PingPong", *BANDS):
            source.fail(title, f"at least two processes for {self.test}", str(self.ranks))
        self.columns = columns_of(source, self.header)

    def values(self, column: str, findings: Findings):
        """(row, its bytes or None, the positive number in `column`, of a time in seconds)."""
        self.require(column)
        for row in self.source.rows(self.header, self.columns):
            self.source.count(row.line, row.cells["repetitions"])
            self.check_order(row, "least", "mean", "most")
            self.check_size(row)
            if "defects" in row.cells and self.source.number(row.line, row.cells["defects"]):
                findings.note(f"{self.source.path}:{row.line}: wrong results: row omitted")
                continue
            if value := self.positive(row, column, findings):
                yield row, self.size(row), value


def layout_of(table: Table, given: Given, most_ranks: int, findings: Findings):
    """IMB starts with few ranks, those of the first hosts; None when two ranks are all we know."""
    per_host = given.ranks_per_node
    if not per_host and given.nodes:
        per_host = -(-most_ranks // given.nodes)
    if per_host:
        return Layout(table.ranks, per_host)
    if table.ranks == 2 and table.test in ("PingPong", *BANDS):
        findings.note("two ranks are taken to be on two nodes: --nodes N or --ranks-per-node N "
                      "says otherwise")
        return Layout(2, 1)
    table.source.fail(table.title, f"on how many nodes the {table.ranks} processes ran: --nodes N "
                      'or --ranks-per-node N, or a line "Number of nodes: N" before this table',
                      "neither")


def add(table: Table, layout: Layout, findings: Findings):
    if table.test == "PingPong":
        for _, size, value in table.values("time", findings):
            findings.add("probes", "ping_pong", value,
                         {"bytes": size, "way": layout.way(1)})
    elif table.test in BANDS:
        pairs, directions = table.ranks // 2, BANDS[table.test]
        for _, size, rate in table.values("messages", findings):
            findings.add("probes", "stream", directions * pairs / rate,
                         {"bytes": size, "way": layout.way(pairs),
                          "pairs": layout.pairs_of_two_hosts(pairs), "directions": directions,
                          "window": WINDOW})
    else:
        column = "time" if table.test == "PingPing" and "time" in table.columns else "most"
        for row, size, value in table.values(column, findings):
            extra = {f"{column}_s": table.source.microseconds(row.line, row.cells[column])
                     for column in ("least", "mean") if column in row.cells}
            findings.add_collective(COLLECTIVES[table.test], size, layout, value, extra)


def without_memory_notes(source: Source, findings: Findings):
    """IMB says in a row of its own that a size did not fit into memory."""
    for line, text in enumerate(source.lines, 1):
        if NO_MEMORY.match(text):
            findings.note(f"{source.path}:{line}: not measured: {' '.join(text.split()[1:])}")
            source.lines[line - 1] = ""


def parse(source: Source, given: Given) -> Findings:
    findings = Findings(where={"program": "Intel MPI Benchmarks"})
    said = launchers.said_by_line(source.lines)
    without_memory_notes(source, findings)
    most_ranks = max((int(found[1]) for found in map(PROCESSES.match, source.lines) if found),
                     default=0)
    for line, text in enumerate(source.lines, 1):
        if found := VERSION.match(text):
            findings.where["program"] = found[1].strip()
        if not (title := TITLE.match(text)):
            continue
        if title["test"] not in ("PingPong", *BANDS, *COLLECTIVES):
            findings.note(f"{source.path}:{line}: '{title['test']}' is no test that this program "
                          "knows: its table is left out")
            continue
        findings.table = f"{source.path}:{line}"
        table = Table(source, line)
        if table.grouped:
            findings.note(f"{source.path}:{line}: groups at once are no case of ours: the table "
                          "is left out")
            continue
        known = launchers.completed(given, said[line - 1])
        add(table, layout_of(table, known, most_ranks, findings), findings)
    return findings.checked(source, "the Intel MPI Benchmarks")
