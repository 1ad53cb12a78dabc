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
MARKS = r"\s*#?\s*OSU (?:MPI|[NRX]CCL).* Test"

WINDOW = 64  # of osu_bw and osu_bibw, which do not print it, unless their command has -W

COLUMNS, COLUMNS_PRINTED, TITLES, PATTERNS = tables_of(__file__).values()
TITLE, HEADER, ROW, SIZES, ON_GPUS, DATATYPE, DEVICES, HOSTS, WINDOW_OF, PAIRS, COMMAND = (
    re.compile("".join(one)) for one in PATTERNS.values())
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
    below = "".join(source.lines[line:line + 1])
    if not HEADER.match(below) and any(re.match(rf"\s*{one}", below) for one in COLUMNS.values()):
        source.fail(line + 1, "a header on one line", "a line break, as mails have: undo them")
    return columns


def headers_below(source: Source, title: int) -> list:
    """(line, datatype) of those up to the next title: one of each datatype."""
    below = list(takewhile(lambda line: not TITLE.match(source.lines[line - 1]),
                           range(title + 1, len(source.lines) + 1)))
    headers = [line for line in below if HEADER.match(source.lines[line - 1])]
    headers = headers[:1] + [line for line in headers[1:] if DATATYPE.match(source.lines[line - 2])]
    if not headers:
        source.fail(title, 'a header ("# Size ...") below this title',
                    "none" + source.end_of_run(title))
    typed, awaited = 0, False  # lines with a type since the last row; do rows come next?
    for line in below:
        text = source.lines[line - 1]
        is_row = re.match(r"\s*\d", text)
        typed = 0 if is_row else typed + bool(DATATYPE.match(text))
        awaited = not is_row and (awaited or line in headers)
        again = SIZES.match(text) and not DATATYPE.match(source.lines[line - 2])
        if typed > 1 or awaited and COMMAND.match(text) or (
                again if line > headers[0] else ROW.match(text)):
            source.fail(line, f"one header below the title of line {title}, then rows",
                        "another order: did two programs print into this log?")
    # The type is above, or below the first header of two ranks.
    told = [map(DATATYPE.match, source.lines[line - 2:line + 1:2]) for line in headers]
    types = [next((found[1] for found in two if found), "") for two in told]
    if 1 < len(types) > len(set(types) - {""}):
        source.fail(headers[-1], f"one table of each datatype below the title of line {title}",
                    ", ".join(kind or "none" for kind in types))
    return list(zip(headers, types))


class Table(mpi_table.MpiTable):
    """One table, and where its ranks stood."""

    COUNTED, SIZE = ("rate", "Messages/s"), "Size"

    def __init__(self, source: Source, title: int, header: int, given: Given):
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
            if told and self.source.one_of(row.line, told, ("Pass", "Fail")) == "Fail":
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


def window_above(table: Table) -> int:
    """As the last command above the table says, below the table before it."""
    lines = table.source.lines[:table.title - 1]
    above = takewhile(lambda text: not TITLE.match(text), reversed(lines))
    return next((int(said[1]) for said in map(WINDOW_OF.search, above) if said), WINDOW)


def add_bandwidth(table: Table, findings: Findings, directions: int):
    add_probes(table, findings, "stream", "rate", {"way": two_ranks(table), "pairs": 1,
                                                   "directions": directions,
                                                   "window": window_above(table)},
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


def add_collective(table: Table, findings: Findings, **more):
    what = COLLECTIVES[table.test]
    table.require("time", *(() if what == "barrier" else ("Size",)))
    layout = table.layout(findings, "on how many nodes this ran")
    for row in table.rows(findings):
        value, extra = table.middle(row, findings)
        if value:
            findings.add_collective(what, table.size(row), layout, value, extra, **more)


def add_nonblocking(table: Table, findings: Findings):
    """A collective alone, and posted before a computation: a case each."""
    what = COLLECTIVES[nonblocking(table.test)]
    table.require("overall", "compute", "pure", *(() if what == "barrier" else ("Size",)))
    layout = table.layout(findings, "on how many nodes this ran")
    for row in table.rows(findings):
        for cell in (row.cells[column] for column in ("overall", "compute", "pure")):
            if "." not in cell.text:
                table.source.fail(row.line, "a time with decimals", f'"{cell.text}"', cell.column)
        overall, compute, pure = (table.positive(row, column, findings)
                                  for column in ("overall", "compute", "pure"))
        if overall and compute and pure:
            findings.add_overlapped(what, table.size(row), layout, overall, compute, pure)


def test_of(title) -> str:
    """"Latency" of "OSU MPI Latency Test", "MPI_Put" of "OSU MPI_Put Latency Test"."""
    return title["test"].strip() if title["test"][0] == " " else f"MPI{title['test']}"


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
    findings, said = Findings(of_blocks=True), launchers.said_by_line(source.lines)
    types: dict = {}  # test: those of its tables
    for line, text in enumerate(source.lines, 1):
        if title := TITLE.match(text):
            test = test_of(title)
            findings.where = {"program": f"OSU micro-benchmarks {title['version'] or ''}".strip()}
            if not adder_of(test):
                findings.note(f"{source.path}:{line}: '{test}' is no test that this program "
                              "supports: its table is omitted")
                continue
            for header, kind in headers_below(source, line):
                table = Table(source, line, header, launchers.completed(given, said[line - 1]))
                add_table(table, kind, types.setdefault(test, []), findings)
    return findings


def add_table(table: Table, kind: str, types: list, findings: Findings):
    """`types`: those of the tables of this test so far. Collectives are kept apart by them."""
    findings.table = here = f"{table.source.path}:{table.title}"
    types += [kind] * bool(kind)
    if table.on_gpus:
        findings.note(f"{here}: its buffers are in GPU memory, MPI's measurements here are of host "
                      "memory: table omitted")
    elif not kind or kind == types[0]:
        adder_of(table.test)(table, findings)
    elif table.test in COLLECTIVES:
        add_collective(table, findings, type=kind)
    else:
        findings.note(f"{here}: of {kind}, not {types[0]} as above: table omitted")
