# SPDX-License-Identifier: LGPL-2.1-or-later
"""A text file as the importers read it: lines, cells, and errors that show the line.

    latency.log:7:10: expected a positive number, got "fast"
      1024     fast
               ^
"""

import copy
import re
import sys
import zlib
from decimal import Decimal
from itertools import takewhile
from typing import Iterator, NamedTuple, NoReturn

from common.programs import InputError
from validation.calibration.imports import exported, labels
from validation.yaml_files import tables_of

PATTERNS, SECRETS = ([re.compile("".join(one)) for one in table.values()]
                     for table in tables_of(__file__).values())
TITLE, LAST, DIED, EXIT, BINARY = PATTERNS
GZIP = b"\x1f\x8b"
MOST_BYTES, MOST_RATIO = 1 << 30, 200  # of a file, unpacked; over its packed size
SMALLEST = 1e-200  # sizes in bytes times and over numbers stay finite
MOST_DIGITS = 300  # of a whole number that is a finite float
LONGEST_SHOWN = 160
MOST_PIECES = 4  # of a line that a terminal broke


class Cell(NamedTuple):
    text: str
    column: int  # from 1


class Row(NamedTuple):
    line: int  # from 1
    cells: dict  # column name: Cell


class Source:
    """`lines` are those of a stream of a launcher; `used` has the numbers of the lines read, `cut`
    that of a row within which the file ends."""

    def __init__(self, path: str, text: str):
        text, how = exported.log_in(text)
        self.path = path + how
        self.text, self.complete = text, text.endswith("\n")
        lines = text.removesuffix("\n").split("\n")
        self.raw, self.used, self.cut = list(map(labels.plain, lines)), set(), 0
        self.joined = False  # are rows of several lines?
        self.streams = [list(map(labels.ungrouped, one)) for one in labels.streams(self.raw)]
        self.lines = self.streams[0] if len(self.streams) == 1 else self.raw

    def of_streams(self) -> list:
        """A source for each stream, whose lines keep their numbers."""
        found = [copy.copy(self) for _ in self.streams]
        for one, lines in zip(found, self.streams):
            one.lines = list(lines)
        return found

    def is_labelled(self, line: int) -> bool:
        """Has the line lost the label of its stream?"""
        return self.lines[line - 1] != self.raw[line - 1]

    def end_of_run(self, line: int) -> str:
        """Behind "none": what the lines from there to the next title report of a run's end."""
        texts = list(takewhile(lambda text: not TITLE.match(text), self.lines[line:]))
        died = [text.strip() for text in texts
                if DIED.search(text) and not re.search("NCCL INFO|Out of bounds", text)]
        code = next(filter(None, map(EXIT.search, texts)), None)
        words = [f'"{without_secrets(one)[:LONGEST_SHOWN]}"' for one in died[:1]]
        words += [f"exit code {code[1]}"] if code else []
        return f": the run ended before it ({', '.join(words)})" if words else ""

    def fail(self, line: int, expected: str, got: str, column: int = 1) -> NoReturn:
        got = without_secrets(got) if got.startswith('"') else got  # text of the file
        shown = without_secrets(self.lines[line - 1].replace("\t", " "))
        start = max(0, column - LONGEST_SHOWN + 20)
        raise InputError(f"{self.path}:{line}:{column}: expected {expected}, got {got}\n"
                         f"  {shown[start:start + LONGEST_SHOWN]}\n"
                         f"  {' ' * (column - 1 - start)}^")

    def cells(self, line: int) -> list:
        return [Cell(found[0], found.start() + 1)
                for found in re.finditer(r"\S+", self.lines[line - 1])]

    def number(self, line: int, cell: Cell, expected: str = "a number, not negative") -> float:
        value = value_of(cell.text)
        if value is None or value < 0:
            self.fail(line, expected, f'"{cell.text}"', cell.column)
        return value

    def microseconds(self, line: int, cell: Cell) -> float:
        """Value in seconds, the double nearest to the decimal text."""
        self.number(line, cell, "a time in microseconds")
        return float(Decimal(cell.text).scaleb(-6))

    def positive(self, line: int, cell: Cell, what: str, read=None) -> float:
        """Number as `read` has it (default: number), which must not be 0."""
        value = (read or self.number)(line, cell)
        if value == 0:
            self.fail(line, f"a positive {what}", "0", cell.column)
        return value

    def one_of(self, line: int, cell: Cell, known) -> str:
        if cell.text not in known:
            self.fail(line, f"one of {', '.join(known)}", f'"{cell.text}"', cell.column)
        return cell.text

    def size(self, row: Row, column: str = "bytes") -> int:
        return self.count(row.line, row.cells[column], "a size in bytes")

    def count(self, line: int, cell: Cell, expected: str = "a whole number") -> int:
        if not re.fullmatch(r"\d{1,18}", cell.text):
            self.fail(line, expected, f'"{cell.text}"', cell.column)
        return int(cell.text)

    def row(self, line: int, cells: list, columns: list, whole: bool = False) -> Row:
        """The cells by their columns; refuses another number of them, and a line cut short."""
        names = ", ".join(columns)
        if len(cells) != len(columns):
            column = cells[len(columns)].column if len(cells) > len(columns) else \
                cells[-1].column + len(cells[-1].text)
            self.fail(line, f"{len(columns)} cells ({names})", f"{len(cells)}", column)
        if line == len(self.lines) and not (self.complete or whole):
            self.fail(line, "the end of the line (a file that was cut short lacks it)",
                      "the end of the file", len(self.lines[-1]) + 1)
        self.used.add(line)
        return Row(line, dict(zip(columns, cells)))

    def rows(self, header: int, columns: list) -> Iterator[Row]:
        """The rows of the table below `header`, up to the next title or the end of the file.

        Lines of schedulers and warnings may stand in between: what begins with a word. Right below
        a row, a line that begins with a number is one, whole or broken. The last is no row if it
        ends with fewer decimals than the one above, or in the middle of the file's last line."""
        broken_off, rows = False, []
        for line in range(header + 1, len(self.lines) + 1):
            cells = self.cells(line)
            if TITLE.match(self.lines[line - 1]):
                break
            cut_short = line == len(self.lines) and not self.complete
            if is_row(cells, len(columns), broken_off and not cut_short):
                rows.append((line, cells, len(cells[-1].text.partition(".")[2])))
            else:
                broken_off = True
        if not rows:
            self.fail(header, "rows below this header", "none" + self.end_of_run(header))
        (line, cells, decimals), above = rows[-1], rows[-2:-1]
        in_line = line == len(self.lines) and not self.complete
        others = map(LAST.search, self.raw[header:line - 1] if len(columns) == 2 else ())
        digits = [one[2] for one in above] or [len(one[1]) for one in others if one]
        if digits and (decimals < digits[-1] or above and in_line and
                       (len(cells), decimals) != (len(columns), digits[-1])):
            self.cut = rows.pop()[0]
            if not above:  # those of another label are no rows here
                self.fail(line, "a whole row", "one that ends too early")
        for line, cells, _ in rows:
            yield self.row(line, cells, columns, whole=bool(above))


def without_secrets(text: str) -> str:
    """The text, as long, with stars in place of secrets and of other variables than NCCL's."""
    for pattern in SECRETS:
        text = pattern.sub(lambda found: found[1] + "*" * len(found[2]), text)
    return text


def put_together(lines: list, at: int, used: set, goes_on, fits, label: int = 0) -> bool:
    """Joins the line and those below that go on until their cells fit, if they do in one way
    alone: a break may be within a cell. `label`: blanks in place of one before each line."""
    found = [lines[at]]
    for end in range(at + 1, min(at + MOST_PIECES, len(lines))):
        if not goes_on.match(lines[end]):
            break
        rest = re.sub(rf"^ {{0,{label}}}", "", lines[end])
        found = [one + glue + rest for one in found for glue in ("", " ")]
        whole = {tuple(one.split()): one for one in found if fits(one.split())}
        if whole and not (end + 1 < len(lines) and goes_on.match(lines[end + 1]) and
                          any(fits((one + glue + lines[end + 1]).split())
                              for one in whole.values() for glue in ("", " "))):
            if len(whole) == 1:
                lines[at:end + 1] = [*whole.values(), *[""] * (end - at)]
                used.update(range(at + 1, end + 2))
            return len(whole) == 1
    return False


def matrix(source: Source, title: int, header, form: str, square: bool = False) -> list:
    """(row, column, its cell, line) below the header that follows `title`, without "N/A"."""
    if title < len(source.lines):
        put_together(source.lines, title, source.used, re.compile(r"\s*\d+(\s|$)"), is_head)
    named = header.match(source.lines[title]) if title < len(source.lines) else None
    if not named:
        source.fail(min(title + 1, len(source.lines)), f'a header such as "{form}"', "none")
    columns, found = named[1].split(), []
    lines, end = matrix_rows(source, title + 2, len(columns))
    for line in lines:
        cells = source.cells(line)
        _, *values = source.row(line, cells, ["GPU", *columns]).cells.values()
        found += [(int(cells[0].text), int(column), cell, line)
                  for column, cell in zip(columns, values) if cell.text != "N/A"]
    if square and len(lines) != len(columns):
        source.fail(min(end, len(source.lines)), f"{len(columns)} rows", str(len(lines)))
    source.used.add(title + 1)
    return found


def matrix_rows(source: Source, line: int, columns: int) -> tuple:
    """(lines of the rows, the line below them); rows that a terminal broke are joined."""
    found: list = []
    while line <= len(source.lines):
        cells = source.cells(line)
        if not cells[0].text.isdecimal() if cells else line not in source.used:
            break
        if len(cells) in range(1, 1 + columns):
            goes_on = re.compile(rf"\s*(?!{int(cells[0].text) + 1}\s)[\d.N/]")
            put_together(source.lines, line - 1, source.used, goes_on,
                         lambda row: len(row) == 1 + columns)
        found += [line] * bool(cells)
        line += 1
    return found, line


def is_head(cells: list) -> bool:
    """True for the numbers of a matrix's columns from 0, which may have a word before them."""
    numbers = cells[not cells[0].isdecimal():]
    return numbers == [str(number) for number in range(len(numbers))]


def is_row(cells: list, width: int, broken_off: bool) -> bool:
    if not cells or not re.fullmatch(r"[+-]?\.?\d[\d.,]*\w*", cells[0].text):
        return False
    if not broken_off or all(value_of(cell.text) is not None for cell in cells):
        return True
    with_digits = sum(bool(re.search(r"\d", cell.text)) for cell in cells)
    return len(cells) == width and 2 * with_digits > width


def value_of(text: str):
    """The number, or None: of a size that has an inverse, in the digits that programs print
    ("1_000" is none)."""
    if not re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d{1,3})?", text):
        return None
    value = float(text)
    return value if value == 0 or SMALLEST < abs(value) < 1 / SMALLEST else None


def bytes_of(path: str) -> bytes:
    """A file's bytes, or standard input's, unpacked where gzip packed them. Raises InputError where
    they are, or become, too many."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    most = MOST_BYTES
    if data.startswith(GZIP):
        most = min(most, MOST_RATIO * len(data))
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)  # 16: with gzip's header
        try:
            data = unpacker.decompress(data, most + 1)
        except zlib.error as error:
            raise InputError(f"{path}: cannot be unpacked: {error}") from None
        if len(data) <= most and (not unpacker.eof or unpacker.unused_data):
            raise InputError(f"{path}: expected one whole file of gzip's, got "
                             f"{'more behind it' if unpacker.eof else 'a cut one'}")
    if len(data) > most:
        raise InputError(f"{path}: expected at most {MOST_BYTES >> 20} MiB, and at most "
                         f"{MOST_RATIO} times the size that gzip packed it to")
    return data


def read_source(path: str) -> Source:
    return source_of(path, bytes_of(path))


def coding_of(data: bytes) -> str:
    """UTF-16 is of PowerShell's >, with its mark or without."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    for first, coding in ((0, "utf-16-be"), (1, "utf-16-le")):
        if 2 * data[first:200:2].count(0) > len(data[first:200:2]):
            return coding
    return "utf-8"


def printed_at(path: str) -> str:
    return (data := bytes_of(path)).decode(coding_of(data), errors="replace")


def text_of(path: str) -> str:
    """The log in a file: its lines have the numbers of the importers' messages."""
    return exported.log_in(printed_at(path))[0]


def source_of(path: str, data: bytes) -> Source:
    if not data.strip():
        raise InputError(f"{path}:1:1: expected the output of a benchmark, got an empty file")
    text = data.decode(coding_of(data), errors="replace")  # a banner may be in anything
    if BINARY.search(text):
        raise InputError(f"{path}: expected text, got a binary file")
    source = Source(path, text)
    if long := re.search(rf"\d{{{MOST_DIGITS + 1},}}", "\n".join(source.lines)):
        before = long.string[:long.start()]
        source.fail(before.count("\n") + 1, f"numbers of at most {MOST_DIGITS} digits",
                    f"one of {len(long[0])}", long.start() - before.rfind("\n"))
    return source
