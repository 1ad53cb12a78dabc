# SPDX-License-Identifier: LGPL-2.1-or-later
"""The text output of nccl-tests (all_reduce_perf and its siblings), one run or several in a file.

`size` is the vector of a rank for all_reduce, what a rank holds in all otherwise (PERFORMANCE.md of
nccl-tests); each row measures the collective out of place and in place.
"""

import re

from validation.imports.findings import Findings, Given, counts_text
from validation.imports.source import Source

NAME = "nccl-tests"
MARKS = r"\s*#\s*nThread \d+ nGpus (?P<gpus>\d+)"

START = re.compile(MARKS)
DEVICE = re.compile(r"\s*#\s*Rank\s+(?P<rank>\d+)\s+(?:Group\s+\d+\s+)?Pid\s+\d+ on\s+(?P<host>\S+)"
                    r"\s+device\s+\d+\s+\[\S+\]\s*(?P<name>.*?)\s*$")
HEADER = re.compile(r"\s*#\s+size\s+count\b")
UNITS = re.compile(r"\s*#\s+\(B\)")
COLLECTIVE = re.compile(r"\b(all_reduce|all_gather|alltoall|broadcast|reduce_scatter|reduce|gather|"
                        r"scatter|sendrecv|hypercube)_perf")
VERSION = re.compile(r"\s*#\s*nccl-tests version (\S+)(?:.*nccl-library=(\d+))?")
END = re.compile(r"\s*#\s*Avg bus bandwidth")
WRONG = re.compile(r"\s*#\s*Out of bounds values : (\d+) FAILED")

# Names of the simulator. sendrecv_perf passes vectors around a ring of ranks: two of them exchange.
NAMES = {"all_reduce": "allreduce", "all_gather": "allgather", "sendrecv": "exchange"}
# column: its unit, where the line below the header gives one
COLUMNS = {"size": "(B)", "count": "(elements)", "type": "", "redop": "", "root": "",
           "time": "(us)", "algbw": "(GB/s)", "busbw": "(GB/s)", "error": "", "#wrong": ""}
PLACES = ("out of place", "in place")


def columns_of(source: Source, line: int) -> list:
    """The names, those of the second half (in place) with a 2 behind. Checks the units below."""
    cells = source.cells(line)[1:]
    for cell in cells:
        if cell.text not in COLUMNS:
            source.fail(line, f"a column of nccl-tests ({', '.join(COLUMNS)})",
                        f'"{cell.text}"', cell.column)
    names = [cell.text for cell in cells]
    if names.count("time") not in (1, 2) or "size" not in names:
        source.fail(line, "the columns size and time", ", ".join(names))
    units = source.cells(line + 1)[1:] if line < len(source.lines) else []
    if not UNITS.match(source.lines[min(line, len(source.lines) - 1)]):
        source.fail(line, "a line with the units below this header", "none")
    expected = [COLUMNS[name] for name in names if COLUMNS[name]]
    for cell, unit in zip(units, expected):
        if cell.text != unit:
            source.fail(line + 1, unit, cell.text, cell.column)
    second = names.index("time", names.index("time") + 1) if names.count("time") == 2 else None
    return [name + "2" if second is not None and index >= second else name
            for index, name in enumerate(names)]


class Run:
    """One run of one program: which devices took part, which collective it measured."""

    def __init__(self, source: Source, start: int, end: int, given: Given):
        self.source, self.start, self.end = source, start, end
        texts = source.lines[start - 1:end]
        self.devices = [found for found in map(DEVICE.match, texts) if found]
        self.gpus_per_thread = int(START.match(texts[0])["gpus"])
        self.check_devices()
        self.header = next((line for line in range(start, end + 1)
                            if HEADER.match(source.lines[line - 1])), None)
        if not self.header:
            source.fail(start, 'a header ("# size count type ...") below this line', "none")
        self.columns = columns_of(source, self.header)
        self.rows = list(source.rows(self.header + 1, self.columns))
        self.collective = given.collective or self.find_collective()

    def check_devices(self):
        if not self.devices:
            self.source.fail(self.start, 'lines "#  Rank N ... on HOST device N ..." below',
                             "none")
        for index, device in enumerate(self.devices):
            if int(device["rank"]) != index:
                self.source.fail(self.start, f"a device for rank {index}",
                                 f"one for rank {device['rank']}")

    def find_collective(self) -> str:
        """As a line before or in the run says, or as the ratio of its two bandwidths gives it away:
        2 (P - 1) / P is allreduce's alone when P > 2."""
        for text in reversed(self.source.lines[:self.header]):
            if found := COLLECTIVE.search(text):
                return NAMES.get(found[1], found[1])
        ranks, last = len(self.devices), self.rows[-1]
        bandwidths = [self.source.number(last.line, last.cells[name])
                      for name in ("algbw", "busbw") if name in last.cells]
        if len(bandwidths) == 2 and bandwidths[0] > 0 and ranks > 2:
            ratio = bandwidths[1] / bandwidths[0]
            if abs(ratio / (2 * (ranks - 1) / ranks) - 1) < 0.02:
                return "allreduce"
        self.source.fail(self.start, "which collective this is: --collective NAME, or a line with "
                         "the program's name (all_reduce_perf)", "neither")

    def layout(self) -> dict:
        """Hosts in the order of their ranks. Requires that each has its ranks in a row."""
        counts = []
        names = [device["host"] for device in self.devices]
        for index, host in enumerate(names):
            if index and host == names[index - 1]:
                counts[-1] += 1
            elif host in names[:index]:
                self.source.fail(self.start, "the ranks of a host in a row",
                                 f"rank {index} on {host} again")
            else:
                counts.append(1)
        return {"collective": self.collective, "algorithm": "", "ranks_count": len(names),
                "hosts_count": len(counts), "placement": counts_text(counts)}

    def scenario(self):
        """A thread that has several GPUs launches their kernels one after the other."""
        if self.gpus_per_thread == 1:
            return None
        return {"job": {"options": {"gpus_per_thread": self.gpus_per_thread}}}

    def add(self, findings: Findings):
        layout = self.layout()
        if self.collective == "exchange" and len(self.devices) > 2:
            findings.note(f"{self.source.path}:{self.start}: sendrecv of {len(self.devices)} ranks "
                          "sends each vector to the next rank of a ring, which no collective of "
                          "the simulator does: this run is left out")
            return
        for row in self.rows:
            size = self.source.count(row.line, row.cells["size"], "a size in bytes")
            for place, mark in zip(PLACES, ("", "2")):
                cell = row.cells.get("time" + mark)
                if cell is None or cell.text == "N/A":
                    continue
                value = self.source.microseconds(row.line, cell)
                if value > 0:
                    findings.add("replay", self.collective, value,
                                 {"bytes": size, **layout, "buffers": place},
                                 scenario=self.scenario())
        texts = self.source.lines[self.start - 1:self.end]
        here = f"{self.source.path}:{self.start}:"
        if any(map(WRONG.match, texts)):
            findings.note(f"{here} this run had wrong results")
        if not any(map(END.match, texts)):
            findings.note(f'{here} this run has no line "# Avg bus bandwidth": was it cut short?')


def library_name(code) -> str:
    """"NCCL 2.25.1" of 22501; before 2.9 the numbers had one digit less."""
    if code is None:
        return "NCCL"
    number = int(code)
    first, rest = divmod(number, 10000) if number >= 10000 else divmod(number, 1000)
    return f"NCCL {first}.{rest // 100}.{rest % 100}"


def parse(source: Source, given: Given) -> Findings:
    starts = [line for line, text in enumerate(source.lines, 1) if START.match(text)]
    if not starts:
        source.fail(1, 'a line "# nThread N nGpus N ..." of nccl-tests', "none")
    said = next((found for found in map(VERSION.match, source.lines) if found), None)
    findings = Findings(where={"program": f"nccl-tests {said[1] if said else ''}".strip(),
                               "mpi": library_name(said[2] if said else None)})
    for start, following in zip(starts, starts[1:] + [len(source.lines) + 1]):
        run = Run(source, start, following - 1, given)
        run.add(findings)
        findings.where.setdefault("hosts", [device["host"] for device in run.devices])
        findings.where.setdefault("devices", [device["name"] for device in run.devices])
    return findings
