# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cuts, joins, prefixes and re-wraps inputs of the corpus: whatever is read must be in the text.

Usage: python3 -m validation.calibration.imports.testing.fuzz SEED TRIES
"""

import os
import random
import re
import sys

from common.programs import InputError
from validation.calibration.imports import collectives, exported, labels, own_table
from validation.calibration.imports.source import Source
from validation.calibration.imports.testing import corpus
from validation.calibration.imports.testing.dressings import DRESSINGS

NUMBER = re.compile(r"(?<![\w.])\d+\.?\d*(?:[eE][+-]?\d+)?")
COMMA = re.compile(r"(?<=\d),(?=\d{3}\b)")
CONSTANT = (16, 40_000_000, 64 << 20, 512 << 20)  # sizes of copies that matrices do not print
LABELS = ("0: ", "[1,0]<stdout>:", "> ", "node0: ", "# ", "| ", "  ", "8 ", "1.5 ", "[0] ")
TITLE = re.compile(r"\s*#?\s*OSU MPI (.*?)(?: Latency)? Test\b")
TABLE = re.compile(r"\s*(?:#?\s*(?:Datatype|Size)\b|\d[-\d.:TZ\s]*$|$)|.*NCCL INFO")
PROBES = {"Latency": "ping_pong", "Bandwidth": "stream", "Bi-Directional Bandwidth": "stream"}
NEAR = 1e-6
PIECES = (2, 3, 4)
GLUES = (" ", "")


def cut(draw, text: str) -> str:
    begin, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
    return text[:begin] + text[end:] if draw.random() < 0.5 else text[begin:end]


def cut_lines(draw, text: str) -> str:
    lines = text.splitlines(keepends=True)
    begin = draw.randrange(len(lines) + 1)
    return "".join(lines[:begin] + lines[begin + draw.randrange(1, 8):])


def joined(draw, text: str, other: str) -> str:
    """The other's lines below, inside, or one by one among those of the text."""
    lines, more = (one.splitlines(keepends=True) for one in (text, other))
    how = draw.random()
    if how < 0.4:
        return text + other
    if how < 0.7:
        place = draw.randrange(len(lines) + 1)
        return "".join(lines[:place] + more + lines[place:])
    for line in reversed(more):
        lines.insert(draw.randrange(len(lines) + 1), line)
    return "".join(lines)


def prefixed(draw, text: str, share: float = 1) -> str:
    label = draw.choice(LABELS)
    return "".join((label if draw.random() < share else "") + line
                   for line in text.splitlines(keepends=True))


def prefixed_in_part(draw, text: str) -> str:
    return prefixed(draw, text, draw.choice((0.5, 0.1)))


def rewrapped(draw, text: str) -> str:
    """Lines broken at a width, or two lines as one."""
    if draw.random() < 0.5:
        width = draw.randrange(20, 130)
        return re.sub(rf"(.{{{width}}})", r"\1\n", text)
    lines = text.split("\n")
    for _ in range(draw.randrange(1, 4)):
        place = draw.randrange(len(lines))
        lines[place:place + 2] = [" ".join(lines[place:place + 2])]
    return "\n".join(lines)


def changed(draw, cases: list) -> tuple:
    """(text, given, rows that may come out; None where numbers were cut)"""
    case, other = draw.choices(cases, k=2)
    text = case.text
    # Without the lines between them, a table whose type is omitted is one with that above it, and
    # rows of several lines are parts of rows. Lines with a label are of another process than those
    # without, whose rows may be below another title then. Options are of one of two logs.
    broken = any("columns" in one.name for one in (case, other))
    whole = not any(one.refused or one.name == "osu_datatypes.txt" or "inspector" in one.name
                    for one in (case, other))
    for _ in range(draw.randrange(1, 4)):
        how = draw.choice((cut, cut_lines, prefixed, prefixed_in_part, rewrapped, joined, None))
        whole = whole and not (how in (cut, rewrapped, prefixed_in_part)
                               or broken and how == cut_lines
                               or case.given != other.given and how == joined)
        if how == joined:
            text = joined(draw, text, other.text)
        else:
            text = how(draw, text) if how else DRESSINGS[draw.choice(list(DRESSINGS))](text)
    given = case.given or {"nodes": 2, "ranks_per_node": 4} if draw.random() < 0.7 else {}
    return text, given, case.rows + other.rows if whole else None


def numbers_of(text: str, pieces: int = 1) -> list:
    """Numbers of each line, or of so many below one another, which a line break divided; colours
    taken off, commas between thousands taken off or not."""
    printed = exported.log_in(text)[0]
    lines = labels.ESCAPE.sub("", printed).split("\n")
    if pieces > 1:  # without labels, which are before each piece, and in other forms of the text
        lines = [line for form in (text, *(one for one, _ in exported.otherwise(printed)))
                 for one in Source("x.log", form).of_streams() for line in one.lines]
    several = [lines[at:at + pieces] for at in range(len(lines))]
    begins = [len(os.path.commonprefix(one)) * (pieces > 1) for one in several]
    whole = [[glue.join([one[0], *(text[label:] for text in one[1:])]) for glue in GLUES[:pieces]]
             for one, label in zip(several, begins)]
    return [{float(number) for line in forms for said in (line, COMMA.sub("", line))
             for number in NUMBER.findall(said)} for forms in whole]


def stands(point, lines: list, units: tuple = ()) -> bool:
    """Is there a line with the size and with the time, or the bandwidth, or the rate? `units`: in
    which sizes may be, beside bytes."""
    size, seconds = point.parameters.get("bytes", 0), point.median_s
    ranks = point.parameters.get("ranks_count", 1)
    pairs = range(1, 2 * point.parameters.get("pairs", 1) + 1)
    values = [seconds * 1e6, seconds * 1e3]
    values += [times * size / seconds / unit for times in (1, 2) for unit in (1e6, 1e9)]
    values += [count / seconds for count in pairs if point.what == "stream"]
    unsized = "bytes" not in point.parameters or size in CONSTANT
    sizes = {size / unit for unit in (1, ranks, *units)}
    return any((unsized or sizes & line) and
               any(abs(one - value) <= NEAR * value for one in line for value in values)
               for line in lines)


def is_one_of(point, rows: list) -> bool:
    """Is it what one of the two inputs holds?"""
    here = corpus.row_of(point)
    return any(one.what == here.what and one.bytes == here.bytes and
               abs(one.seconds - here.seconds) <= NEAR * here.seconds for one in rows)


def is_under(point, text: str) -> bool:
    """Is it in a row with nothing but rows up to a header and a title of its own test? Rows of one
    table that were put below another with such columns are that one's: no line tells otherwise, so
    a program may have printed the text."""
    for lines in (one.lines for one in Source("x.log", text).of_streams()):
        above = ""  # title of the table at a line; none behind a line that is none of its own
        for line, numbers in zip(lines, numbers_of("\n".join(lines))):
            title = TITLE.match(line)
            above = title[1] if title else above if TABLE.match(line) else ""
            what = collectives.named(above) or PROBES.get(above)
            if what == point.what and stands(point, [numbers]):
                return True
    return False


def faults(seed: int, tries: int) -> list:
    """Faults, each with its text: another exception, or a number that is not there."""
    draw, found, read = random.Random(seed), [], 0
    cases = [case for case in corpus.all_cases() if "json" not in case.name]
    for number in range(tries):
        text, given, rows = changed(draw, cases)
        try:
            points = corpus.read(text, given)
        except InputError:
            continue
        except Exception as error:  # pylint: disable=broad-except
            found.append((number, repr(error), text))
            continue
        read += 1
        lines = numbers_of(text)
        own = any(re.match(own_table.MARKS, line) for one in Source("x.log", text).of_streams()
                  for line in one.lines)
        units = tuple(own_table.SIZES.values()) if own else ()
        if not all(stands(one, lines, units) for one in points):
            lines += [line for pieces in PIECES for line in numbers_of(text, pieces)]
        found += [(number, f"{one.what} {one.parameters} {one.median_s}", text)
                  for one in points if not stands(one, lines, units) or
                  rows is not None and not is_one_of(one, rows) and not is_under(one, text)][:1]
    print(f"{tries} tries, {read} read, {len(found)} faults", file=sys.stderr)
    return found


if __name__ == "__main__":
    seen = faults(int(sys.argv[1]), int(sys.argv[2]))
    for one in seen[:3]:
        print(*one, sep="\n")
    sys.exit(4 if seen else 0)  # as a wrong result
