# SPDX-License-Identifier: LGPL-2.1-or-later
"""The text output of nccl-tests (all_reduce_perf and its siblings), one run or several in a file.

`size` is the vector of a rank for all_reduce, what a rank holds in all otherwise (PERFORMANCE.md of
nccl-tests); each row measures the collective out of place and in place. Markdown removes the "#" at
the beginning of a line, and quoted logs often begin at the table: both are read.
"""

import re
from decimal import Decimal

from validation.calibration.imports import (collectives, launchers, nccl_environment, nccl_layout,
                                            nccl_network, nccl_wrapped)
from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.nccl_collective import (NAMES, check_options, collective_of,
                                                            foreign_rows, traits_fit)
from validation.calibration.imports.source import Source
from validation.yaml_files import tables_of

NAME = "nccl-tests"
PATTERNS, FIRST_NAMES, COLUMNS = tables_of(__file__).values()
FIRST, TABLE, ROW, *OTHERS = map("".join, PATTERNS.values())
UNITS, COLLECTIVE, VERSION, END, WRONG, GOES_ON, LIBRARY, OMITTED = map(re.compile, OTHERS)
MARKS = rf"{FIRST}|{TABLE}|{ROW}"
START, HEADER = re.compile(FIRST), re.compile(rf"\s*#\s*size\s+count\b|{TABLE}")
ALSO = rf"{MARKS}|{END.pattern}|\s*Out of bounds values|{UNITS.pattern}|{VERSION.pattern}|" \
    rf"{nccl_layout.DEVICE.pattern}|\s*#?\s*(out-of-place|in-place|Using devices|Collective test)"
HALF = ["time", "algbw", "busbw", "#wrong"]
BARE = ["size", "count", "type", "redop", "root", *HALF, *(f"{name}2" for name in HALF)]
NEAR = 3  # lines above the header
PLACES = ("out of place", "in place")


def names_in(source: Source, line: int) -> list:
    """Cells of a header without its "#"; "wrong" lost its own, a time stamp has two cells."""
    cells = source.cells(line)
    cells = cells[1:] if cells and cells[0].text == "#" else cells
    if cells and cells[-1].text == "timestamp":
        cells.insert(-1, cells[-1]._replace(text="date"))
    names = {"wrong": "#wrong", **(FIRST_NAMES if "N" in [cell.text for cell in cells] else {})}
    return [cell._replace(text=names.get(cell.text, cell.text)) for cell in cells]


def columns_of(source: Source, line: int) -> list:
    """The names, those of the second half (in place) with a 2 behind. Checks the units below."""
    cells = names_in(source, line)
    for cell in cells:
        if cell.text not in (*COLUMNS, "date"):
            source.fail(line, f"a column of nccl-tests ({', '.join(COLUMNS)})",
                        f'"{cell.text}"', cell.column)
    names = [cell.text for cell in cells]
    time = "time" if "time" in names else "cputime"
    if names.count(time) not in (1, 2) or "size" not in names:
        source.fail(line, "the columns size and time", ", ".join(names))
    if line < len(source.lines) and GOES_ON.match(source.lines[line]):
        source.fail(line + 1, "a header on one line", "a line break, as mails have: undo them")
    below = next((one for one, text in enumerate(source.lines[line:], line + 1)  # others print too
                  if re.match(rf"{UNITS.pattern}|{ROW}|{TABLE}", text)), 0)
    if not below or re.match(TABLE, source.lines[below - 1]):
        source.fail(line, "a line with the units below this header", "none")
    expected = [COLUMNS[name] for name in names if COLUMNS.get(name)]
    units = names_in(source, below) if UNITS.match(source.lines[below - 1]) else []
    for cell, unit in zip(units, expected):  # a spreadsheet may lack their line
        if cell.text != unit:
            source.fail(below, unit, cell.text, cell.column)
    second = names.index(time, names.index(time) + 1) if names.count(time) == 2 else None
    return [name + "2" if second is not None and index >= second else name
            for index, name in enumerate(names)]


def apart(keys: list) -> list:
    """Parameters for rows of several types, operations or roots, by (type, operation, root)."""
    many = [len(set(column)) > 1 for column in zip(*keys)]
    names = ["type"] * any(many[:2]) + ["operation"] * any(many[:2]) + ["root"] * any(many[2:])
    return [{name: value for name, value in zip(("type", "operation", "root"), key)
             if name in names} for key in keys]


class Run:
    """One run of one program: which devices took part, which collective it measured."""

    def __init__(self, source: Source, start: int, end: int, given: Given, said: list):
        self.source, self.start, self.end = source, start, end
        texts = source.lines[start - 1:end]
        first = next(filter(None, map(START.match, texts)), None)
        self.gpus_per_thread = int(first["gpus"]) if first else 1
        self.header, row = (next((line for line, text in enumerate(texts, start)
                                  if re.match(one, text)), None) for one in (HEADER, ROW))
        bare = None if self.header else row
        if not row and source.lines[end:] and START.match(source.lines[end]):
            one = {found["rank"] for found in nccl_layout.devices_in(source.lines)} == {"0"}
            source.fail(end + 1, f"the table of the run of line {start}", "another run: " + (
                "was nccl-tests built without MPI=1?" if one else "two runs printed into this log"))
        self.header = self.header or bare or source.fail(
            start, 'a header ("# size count type ...") below this line',
            "none" + source.end_of_run(start))
        above = " ".join(source.lines[max(0, self.header - 1 - NEAR):self.header - 1])
        self.places = PLACES[::-1] if "in-place" in above and "out-of-" not in above else PLACES
        self.columns = BARE if bare else columns_of(source, self.header)
        units = 0 if bare or re.match(ROW, (source.lines[self.header:] or [""])[0]) else 1
        self.rows = list(source.rows(self.header + units - bool(bare), self.columns))
        if not bare and re.match(r"\s*#?\s*bytes\s", source.lines[self.header - 1]):
            self.rows = [self.from_milliseconds(row) for row in self.rows]
        self.check_repeated()
        self.devices = nccl_layout.devices_in(texts)
        self.known = launchers.completed(given, said[self.header - 1])
        named = self.find_name(given)
        self.layout = nccl_layout.layout(self, named, given)
        check_options(self, named, given)
        self.collective = named or collective_of(self)

    def from_milliseconds(self, row):
        """A row of the first versions with times in microseconds. Raises InputError where its
        bandwidth contradicts that its times are in milliseconds."""
        size, time, algbw = (self.source.number(row.line, row.cells[name])
                             for name in ("size", "time", "algbw"))
        if algbw > 1 and not 0.9 < size / time / algbw / 1e6 < 1.1:
            self.source.fail(row.line, "a time in milliseconds, as the first nccl-tests printed",
                             f"{row.cells['time'].text}, which its bandwidth contradicts",
                             row.cells["time"].column)
        times = {name: cell._replace(text=str(1000 * Decimal(cell.text)))
                 for name, cell in row.cells.items() if name in ("time", "time2")}
        return row._replace(cells=row.cells | times)

    def check_repeated(self):
        """A table may be repeated as a whole (-N). Rows of two programs that print into one stream
        are no run."""
        for row, root in ((row, row.cells.get("root")) for row in self.rows):
            if root and not re.fullmatch(r"-?\d+", root.text):
                self.source.fail(row.line, "a root, -1 without one", f'"{root.text}"', root.column)
        rows = [row for row in self.rows if row.cells["size"].text != "0"]
        keys = [tuple(cell.text for name, cell in row.cells.items()
                      if name in ("size", "type", "redop", "root")) for row in rows]
        if len({row.cells["redop"].text == "none" for row in rows if "redop" in row.cells}) > 1:
            self.source.fail(self.header, "rows of one collective", "some with and some without an "
                             "operation: two programs printed into this table")
        length = next((i for i, key in enumerate(keys) if key in keys[:i]), len(keys))
        for i in range(length, len(keys)):
            if keys[i] != keys[i - length]:
                first = rows[keys.index(keys[length])].line
                self.source.fail(rows[length].line, "each size once, as of one run",
                                 f"the size of line {first} again: two programs printed into this "
                                 "table. Was nccl-tests built without MPI=1?")

    def find_name(self, given: Given) -> str:
        if given.collective:
            name = collectives.named(given.collective)
            return NAMES.get(name, name)
        above = False  # in another run, which begins above this one
        for line in range(self.header, 0, -1):
            text = self.source.lines[line - 1]
            above = above or line < self.start and bool(START.match(text))
            own = line >= self.start - 2 and (  # two lines of version
                self.source.is_labelled(line) == self.source.is_labelled(self.start))
            other = "concluded" in text or above and "Collective test" in text or \
                text.startswith('"')  # a cell of CSV
            found = None if other else COLLECTIVE.search(text)
            if found and traits_fit(self, found[1], own):
                return NAMES.get(found[1], found[1])
        return ""

    def add(self, findings: Findings):
        ranks, here = self.layout.ranks, f"{self.source.path}:{self.start}:"
        findings.begin(f"{self.source.path}:{self.header}", [one["host"] for one in self.devices])
        for option in self.layout.unused:
            findings.note(f"{here} {option} is not used: by the lines of devices "
                          f"{ranks} ranks were placed {self.layout.parameters['placement']}")
        if self.layout.doubt:
            findings.note(f"{here} {self.layout.doubt}")
        keys = [[row.cells[name].text if name in row.cells else None
                 for name in ("type", "redop", "root")] for row in self.rows]
        foreign = foreign_rows(self)
        for row, more in zip(self.rows, apart(keys)):
            if row.line in foreign:
                findings.note(f"{self.source.path}:{row.line}: the bandwidths contradict size, time"
                              f" or {self.collective}, unlike in other rows: row omitted")
            else:
                self.add_row(row, more, findings)
        texts = self.source.lines[self.start - 1:self.end]
        if any(map(WRONG.match, texts)):
            findings.note(f"{here} this run had wrong results")
        if any(map(OMITTED.match, texts)):
            findings.note(f'{here} "..." marks rows that this log omits')
        if not any(map(END.match, texts)):
            findings.note(f'{here} this run has no line "# Avg bus bandwidth"' + (
                self.source.end_of_run(self.rows[-1].line) or ": was it cut short?"))

    def add_row(self, row, more: dict, findings: Findings):
        size = self.source.size(row, "size")
        layout = {"collective": self.collective, **self.layout.parameters}
        for place, mark in zip(self.places, ("", "2")):
            cell = row.cells.get("time" + mark)
            if cell is None or cell.text == "N/A":
                continue
            value = self.source.microseconds(row.line, cell)
            wrong = row.cells.get("#wrong" + mark)
            if wrong and wrong.text not in ("0", "N/A"):
                findings.note(f"{self.source.path}:{row.line}: {wrong.text} wrong results {place}: "
                              "time omitted")
            elif value > 0:
                findings.add("replay", self.collective, value,
                             {"bytes": size, **layout, **more, "buffers": place},
                             scenario=nccl_layout.scenario_of(self.layout,
                                                              self.gpus_per_thread))


def library_name(code) -> str:
    """"NCCL 2.25.1" of 22501; before 2.9 the numbers had one digit less."""
    number = int(code)
    first, rest = divmod(number, 10000) if number >= 10000 else divmod(number, 1000)
    return f"NCCL {first}.{rest // 100}.{rest % 100}"


def starts_of(source: Source) -> list:
    """First line of each run: "nThread ...", or, without it, the first device or the header."""
    starts, begun, device = [], 0, 0
    for line, text in enumerate(source.lines, 1):
        if START.match(text):
            starts.append(line)
            begun = line
        elif nccl_layout.DEVICE.match(text):
            device = device or line
        elif HEADER.match(text):
            if not begun:
                starts.append(device or line)
            begun = device = 0
    if not any(map(HEADER.match, source.lines)) and not starts:
        starts += [device or line for line, text in enumerate(source.lines, 1)
                   if re.match(ROW, text)][:1]
    return starts


def parse(source: Source, given: Given) -> Findings:
    nccl_wrapped.join(source, HEADER, GOES_ON, COLUMNS, ROW)
    starts = starts_of(source)
    if not starts:
        source.fail(1, 'a line "# nThread N nGpus N ..." or a header "# size count type ..." of '
                    "nccl-tests", "none")
    said = next((found for found in map(VERSION.match, source.lines) if found), None)
    printed = next((f"NCCL {found[1]}" for found in map(LIBRARY.search, source.lines) if found), "")
    findings = Findings(where={"program": f"nccl-tests {said[1] if said else ''}".strip(),
                               "mpi": library_name(said[2]) if said and said[2] else
                               printed or "NCCL"})
    if settings := nccl_environment.settings_in(source.lines):
        findings.where["environment"] = settings
    said_by_line = launchers.said_by_line(source.lines)
    runs = [Run(source, start, following - 1, given, said_by_line)
            for start, following in zip(starts, starts[1:] + [len(source.lines) + 1])]
    if len(runs) > 1 and all(run.layout.ranks == 1 for run in runs):
        findings.note(f"{source.path}:{runs[1].start}: all {len(runs)} runs are of a single rank: "
                      "was nccl-tests built without MPI=1?")
    for run in runs:
        run.add(findings)
        if "cputime" in run.columns:
            findings.note(f"{source.path}:{run.header}: times of the CPU (-C): table omitted")
        if run.devices:
            findings.where.setdefault("hosts", [device["host"] for device in run.devices])
            findings.where.setdefault("devices", [device["name"] for device in run.devices])
    if kind := nccl_network.kind_of(source.lines, findings.where.get("devices", [])):
        findings.where["link_kind"] = kind
    return findings
