# SPDX-License-Identifier: LGPL-2.1-or-later
"""The text output of the Intel MPI Benchmarks, versions 3 to 2021: IMB-MPI1, IMB-NBC, the
ping-pongs of IMB-P2P, and IMB-MT with one thread per rank.

PingPong's t is half of a round trip; of several ranks' times the largest counts; Uniband and
Biband send from rank i to rank i + P/2, and Biband counts the messages of both directions. So
does IMB-P2P's PingPong, on all ranks at once, whose t is the mean. t_pure of IMB-NBC is a
collective with its wait, t_ovrl has a computation of t_CPU between (the user guide, and
IMB_output.c, original_benchmark.h and imb_p2p_pingpong.c in the source). IMB-MT has pairs i,
i + P/2 in all its patterns (MT_benchmark.cpp).
"""

import re

from validation.calibration.imports import launchers, mpi_table
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.source import Source
from validation.yaml_files import tables_of

NAME = "imb"
NEAR = 3  # lines below a title that has lost its "#"
USUAL_WINDOW = 64  # MAX_WIN_SIZE in the source
LINES, COLUMNS, OMITTED, NAMES_OF_MT, BANDS, PATTERNS = tables_of(__file__).values()
TITLE, CALL, VERSION, PROCESSES, WINDOW, HEADER, GROUP, NOT_MEASURED = map(
    re.compile, LINES.values())
MARKS = TITLE.pattern
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

    def __init__(self, source: Source, title: int, test: str):
        super().__init__(source, title, test, 0, [])
        self.ranks, self.window = 0, USUAL_WINDOW
        for line in range(title + 1, len(source.lines) + 1):
            text = source.lines[line - 1]
            found = PROCESSES.match(text)
            if found and self.ranks or GROUP.match(text):
                source.fail(line, f"a header of {self.test}", text.strip())
            self.ranks = int(found[1]) if found else self.ranks
            if found := WINDOW.match(text):
                self.window = int(found[1])
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
                      "overrides it")
        return Layout(2, 1)
    table.source.fail(table.title, f"on how many nodes the {table.ranks} processes ran: --nodes N "
                      'or --ranks-per-node N, or a line "Number of nodes: N" before this table',
                      "neither")


def nonblocking(test: str) -> str:
    """The collective whose non-blocking form a test measures; "" if it does not."""
    name = test.removesuffix("_pure")[1:].capitalize()
    return mpi_table.COLLECTIVES.get(name, "") if test[0] == "I" else ""


def add_nonblocking(table: Table, layout: Layout, findings: Findings):
    what, alone = nonblocking(table.test), table.test.endswith("_pure")
    table.require(*(() if alone else ("overall", "compute")))
    for row, size, value in table.values("most" if alone else "pure", findings):
        findings.add_nonblocking(what, size, layout, value)
        beside = () if alone else [table.positive(row, column, findings)
                                   for column in ("overall", "compute")]
        if beside and all(beside):
            findings.add_nonblocking(what, size, layout, *beside)


def add(table: Table, layout: Layout, findings: Findings):
    pairs = table.ranks // 2
    table.require(*(() if "arrier" in table.test else ("bytes",)),
                  *("rate",) * (table.test == "PingPong"))  # no header of another table
    if table.test == "PingPong":
        what, parameters = layout.ping_pong(pairs)
        column = "most" if "most" in table.columns else "time"  # IMB-MT
        for _, size, value in table.values(column, findings):
            findings.add("probes", what, value, {"bytes": size, **parameters})
    elif table.test in BANDS:
        directions = BANDS[table.test]
        for _, size, rate in table.values("messages", findings):
            findings.add("probes", "stream", directions * pairs / rate,
                         {"bytes": size, "way": layout.way(pairs),
                          "pairs": layout.pairs_of_two_hosts(pairs), "directions": directions,
                          "window": table.window})
    elif nonblocking(table.test):
        add_nonblocking(table, layout, findings)
    else:
        column = "time" if table.test == "PingPing" and "time" in table.columns else "most"
        for row, size, value in table.values(column, findings):
            extra = {f"{column}_s": table.source.microseconds(row.line, row.cells[column])
                     for column in ("least", "mean") if column in row.cells}
            findings.add_collective(COLLECTIVES[table.test], size, layout, value, extra)


def test_of(title: str, below: list) -> str:
    """A test of IMB-MT on one thread has the name of the same test of IMB-MPI1."""
    if not title.endswith("MT") or not any("(threads: 1)" in line for line in below):
        return title
    return NAMES_OF_MT.get(title[:-2], title[:-2])


def reason_to_omit(test: str) -> str:
    if test in ("PingPong", *BANDS, *COLLECTIVES) or nonblocking(test):
        return ""
    return next((words for pattern, words in OMITTED.items() if re.match(pattern, test)),
                "no test that this program supports")


def without_failures(source: Source, findings: Findings):
    """A size without memory or time has a row with the reason."""
    for line, text in enumerate(source.lines, 1):
        if NOT_MEASURED.match(text):
            findings.note(f"{source.path}:{line}: not measured: {' '.join(text.split()[1:])}")
            source.lines[line - 1] = ""


def parse(source: Source, given: Given) -> Findings:
    findings = Findings(where={"program": "Intel MPI Benchmarks"}, of_blocks=True)
    said = launchers.said_by_line(source.lines)
    without_failures(source, findings)
    most_ranks = max((int(found[1]) for found in map(PROCESSES.match, source.lines) if found),
                     default=0)
    mapped = None
    for line, text in enumerate(source.lines, 1):
        if found := VERSION.match(text):
            findings.where["program"] = found[1].strip()
        if found := CALL.match(text):
            mapped = found[1]
        title, below = TITLE.match(text), source.lines[line:line + NEAR]
        if not title or "#" not in text and not any(map(PROCESSES.match, below)):
            continue  # a script may print "Benchmarking X" itself
        test = test_of(title["test"], below)
        if reason := f"measured with {mapped}" if mapped else reason_to_omit(test):
            findings.note(f"{source.path}:{line}: '{title['test']}' is {reason}: its table is "
                          "omitted")
            continue
        findings.table = f"{source.path}:{line}"
        table = Table(source, line, test)
        in_halves = title["test"].endswith("MT") or test == "PingPing" and \
            "messages" in table.columns
        if in_halves and test in PATTERNS and table.ranks > 2:
            findings.note(f"{source.path}:{line}: pairs i, i + P/2 of {test} are no case of "
                          "ours: its table is omitted")
            continue
        known = launchers.completed(given, said[line - 1])
        add(table, layout_of(table, known, most_ranks, findings), findings)
    return findings
