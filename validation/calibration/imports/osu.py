# SPDX-License-Identifier: LGPL-2.1-or-later
"""The output of the OSU micro-benchmarks, any number of tables, whatever else is in between.

osu_latency prints half of a round trip; bandwidths count 1e6 bytes a MB, osu_bibw those of both
directions; osu_mbw_mr sends from rank i to rank i + pairs; collectives print the mean over the
iterations and the ranks (osu_util and the programs' sources, versions 5 to 7).
"""

import re
from itertools import takewhile

from validation.calibration.imports import launchers, mpi_table
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.source import Row, Source
from validation.yaml_files import tables_of

NAME = "osu"
MARKS = r"\s*#?\s*OSU MPI.* Test"

GPUS = r"-(?:CUDA|ROCM|OPENACC|SYCL)"
TITLE = re.compile(rf"\s*#?\s*OSU MPI(?:{GPUS})?(?P<test>[ _].+?)(?: Latency)? Test"
                   r"(?: v?(?P<version>\d\S*))?", re.IGNORECASE)
HEADER = re.compile(r"\s*#?\s*(Size|Avg|Latency|Bandwidth|Overall\(us\))")
ROW = re.compile(r"\s*\d+\s+\d+\.\d\d\b")
SIZES = re.compile(r"\s*#?\s*Size .*\(")
# Built for GPUs: buffers are there, unless the lines below the title have them on hosts.
ON_GPUS = re.compile(rf"\s*#?\s*OSU MPI{GPUS}", re.IGNORECASE)
DEVICES = re.compile(r"Buffer on (DEVICE \(D\)|MANAGED \(M\))")
HOSTS = re.compile(r"Send Buffer on HOST \(H\) and Receive Buffer on HOST \(H\)")
PAIRS = re.compile(r"\[ pairs: ([1-9]\d{0,5}) \](?: \[ window size: ([1-9]\d{0,8}) \])?")
WINDOW = 64  # of osu_bw and osu_bibw unless -W was given, which they do not print

COLUMNS, COLUMNS_PRINTED, TITLES = tables_of(__file__).values()
VALIDATED = {"Pass": True, "Fail": False}
COLLECTIVES = TITLES | mpi_table.COLLECTIVES


def columns_of(source: Source, line: int) -> list:
    """The columns that the header names, in order; each must be known, and in its unit."""
    text = source.lines[line - 1]
    place, columns = len(text) - len(text.lstrip(" \t#")), []
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        for name, pattern in COLUMNS.items():
            if found := re.match(pattern, text[place:]):
                break
        else:
            source.fail(line, f"a column of OSU micro-benchmarks ({COLUMNS_PRINTED})",
                        f'"{re.split(r"  +", text[place:])[0]}"', place + 1)
        unit = found[1] if found.re.groups else None
        right = "MB/s" if name == "rate" or "BW" in found[0].upper() else "us"
        name = found[0].split()[0] if name == "tail" else name
        if unit and unit != right:
            source.fail(line, f"({right})", f"({unit})", place + found.start(1))
        columns.append(name)
        place += found.end()
    return columns


def header_below(source: Source, title: int) -> int:
    """The only one up to the next title."""
    below = list(takewhile(lambda line: not TITLE.match(source.lines[line - 1]),
                           range(title + 1, len(source.lines) + 1)))
    header = next((line for line in below if HEADER.match(source.lines[line - 1])), 0)
    if not header:
        source.fail(title, 'a header ("# Size ...") below this title',
                    "none" + source.end_of_run(title))
    for line in below:
        if line != header and (SIZES if line > header else ROW).match(source.lines[line - 1]):
            source.fail(line, f"one header below the title of line {title}, then rows",
                        "another order: did two programs print into this log?")
    return header


class Table(mpi_table.MpiTable):
    """One table, and where its ranks stood."""

    COUNTED, SIZE = ("rate", "Messages/s"), "Size"

    def __init__(self, source: Source, title: int, given: Given):
        header = header_below(source, title)
        super().__init__(source, title, test_of(TITLE.match(source.lines[title - 1])), header,
                         columns_of(source, header))
        self.given, self.nodes = given, given.nodes
        between = "\n".join(source.lines[title:self.header])
        self.pairs = PAIRS.search(between)
        on_gpus = ON_GPUS.match(source.lines[title - 1]) and not HOSTS.search(between)
        self.on_gpus = bool(on_gpus or DEVICES.search(between))

    def rows(self, findings: Findings):
        """Those whose results were right, where that was validated."""
        for row in self.source.rows(self.header, self.columns):
            self.check_order(row, "least", "time", "most")
            self.check_size(row)
            told = row.cells.get("Validation")
            if told and not VALIDATED[self.source.one_of(row.line, told, VALIDATED)]:
                findings.note(f"{self.source.path}:{row.line}: the results failed their "
                              "validation: row omitted")
            else:
                yield row

    def middle(self, row: Row, findings: Findings):
        """(seconds, other statistics of the row): the median where it is printed, else the mean."""
        value = self.positive(row, "P50" if "P50" in row.cells else "time", findings)
        read = {"least": "least_s", "most": "most_s"} | {
            name: f"{name.lower()}_s" for name in row.cells if name[0] == "P" and name != "P50"} | (
            {"time": "mean_s"} if "P50" in row.cells else {})
        return value, {key: self.source.microseconds(row.line, row.cells[column])
                       for column, key in read.items() if column in row.cells}

    def layout(self, findings: Findings, reason: str) -> Layout:
        if not self.nodes:
            self.source.fail(self.title, f'{reason}: --nodes N, or a line "Number of nodes: N" '
                             "before this table", "neither")
        if not self.given.ranks_per_node:
            if self.nodes == 1:
                self.source.fail(self.title, "how many ranks ran on the one node: "
                                 "--ranks-per-node N", "nothing")
            findings.note("one rank per node is assumed: --ranks-per-node N overrides it")
        per_node = self.given.ranks_per_node or 1
        return Layout(self.nodes * per_node, per_node)


def two_ranks(table: Table) -> str:
    if table.nodes == table.given.ranks_per_node == 1:
        table.source.fail(table.title, "2 ranks on one node, --ranks-per-node 2", "1")
    return "shm" if table.nodes == 1 else "network"


def add_probes(table: Table, findings: Findings, what: str, column: str, parameters: dict,
               seconds=lambda size, value: value):
    """`seconds`: of a size and the number in its column."""
    table.require("Size", column)
    for row in table.rows(findings):
        value, extra = table.middle(row, findings) if column == "time" else (
            table.positive(row, column, findings), None)
        if value:
            size = table.size(row)
            findings.add("probes", what, seconds(size, value), {"bytes": size, **parameters}, extra)


def add_multi_latency(table: Table, findings: Findings):
    layout = table.layout(findings, "how many pairs there were")
    pairs = layout.ranks // 2
    if not pairs:
        table.source.fail(table.title, "at least two ranks (--nodes N, --ranks-per-node N)", "one")
    what, parameters = layout.ping_pong(pairs)
    add_probes(table, findings, what, "time", parameters)


def add_bandwidth(table: Table, findings: Findings, directions: int):
    add_probes(table, findings, "stream", "rate", {"way": two_ranks(table), "pairs": 1,
                                                   "directions": directions, "window": WINDOW},
               lambda size, rate: directions * size / (rate * 1e6))


def layout_of_pairs(table: Table, pairs: int, findings: Findings) -> Layout:
    """By the table's own number of pairs: a log has tables of several programs, and an option may
    be of another one."""
    each, given = -(-2 * pairs // table.nodes), table.given.ranks_per_node
    if given and given != each:
        findings.note(f"{table.source.path}:{table.title}: {pairs} pairs on {table.nodes} nodes "
                      f"are {each} ranks per node: --ranks-per-node {given} is not used here")
    return Layout(2 * pairs, each)


def add_message_rate(table: Table, findings: Findings):
    if not table.pairs:
        table.source.fail(table.header, '"# [ pairs: N ] [ window size: N ]" before this header',
                          "none")
    pairs, window = int(table.pairs[1]), int(table.pairs[2] or WINDOW)
    if pairs == 1:
        way, shared = two_ranks(table), 1
    else:
        table.nodes = table.nodes or table.source.fail(
            table.title, f"between how many nodes the {pairs} pairs were: --nodes N, or a line "
            '"Number of nodes: N" before this table', "neither")
        layout = layout_of_pairs(table, pairs, findings)
        way, shared = layout.way(pairs), layout.pairs_of_two_hosts(pairs)
    add_probes(table, findings, "stream", "Messages/s", {
        "way": way, "pairs": shared, "directions": 1, "window": window},
        lambda size, rate: pairs / rate)


def add_collective(table: Table, findings: Findings):
    what = COLLECTIVES[table.test]
    table.require("time", *(() if what == "barrier" else ("Size",)))
    layout = table.layout(findings, "on how many nodes this ran")
    for row in table.rows(findings):
        value, extra = table.middle(row, findings)
        if value:
            findings.add_collective(what, table.size(row), layout, value, extra)


def add_nonblocking(table: Table, findings: Findings):
    """A collective alone, and posted before a computation: a case each."""
    what = COLLECTIVES[nonblocking(table.test)]
    table.require("overall", "compute", "pure", *(() if what == "barrier" else ("Size",)))
    layout = table.layout(findings, "on how many nodes this ran")
    for row in table.rows(findings):
        overall, compute, pure = (table.positive(row, column, findings)
                                  for column in ("overall", "compute", "pure"))
        if overall and compute and pure:
            findings.add_overlapped(what, table.size(row), layout, overall, compute, pure)


def test_of(title) -> str:
    """"Latency" of "OSU MPI Latency Test", "MPI_Put" of "OSU MPI_Put Latency Test"."""
    test = title["test"]
    return test.strip() if test[0] == " " else f"MPI{test}"


def nonblocking(test: str) -> str:
    """The name of the collective whose non-blocking form a table measures; "" if it does not."""
    name = test.removeprefix("Non-blocking ")
    return name if name != test and name in COLLECTIVES else ""


ADD = {"Latency": lambda table, findings: add_probes(table, findings, "ping_pong", "time",
                                                      {"way": two_ranks(table)}),
       "Multi": add_multi_latency, "Multiple Bandwidth / Message Rate": add_message_rate,
       "Bandwidth": lambda table, findings: add_bandwidth(table, findings, 1),
       "Bi-Directional Bandwidth": lambda table, findings: add_bandwidth(table, findings, 2)}


def adder_of(test: str):
    """Reader of a test's table; None of an unknown test."""
    if test in ADD:
        return ADD[test]
    return add_nonblocking if nonblocking(test) else add_collective if test in COLLECTIVES else None


def parse(source: Source, given: Given) -> Findings:
    findings, said = Findings(), launchers.said_by_line(source.lines)
    for line, text in enumerate(source.lines, 1):
        title = TITLE.match(text)
        if not title:
            continue
        test = test_of(title)
        findings.where = {"program": f"OSU micro-benchmarks {title['version'] or ''}".strip()}
        findings.table = f"{source.path}:{line}"
        if not (add := adder_of(test)):
            findings.note(f"{source.path}:{line}: '{test}' is no test that this program "
                          "supports: its table is omitted")
            continue
        table = Table(source, line, launchers.completed(given, said[line - 1]))
        if table.on_gpus:
            findings.note(f"{source.path}:{line}: its buffers are in GPU memory, MPI's "
                          "measurements here are of host memory: table omitted")
            continue
        add(table, findings)
    return findings
