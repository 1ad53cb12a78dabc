# SPDX-License-Identifier: LGPL-2.1-or-later
"""Output of other programs, as documents of measurements: one file per format, one line here.

A format has NAME; MARKS, a pattern that some line of every such file matches and no other's does;
and parse(source, given), which returns Findings and raises InputError at the line that is wrong.
Of lines that match ALSO it reads what the rows of its tables do not say.
"""

import contextlib
import itertools
import re

from common.programs import InputError
from validation.calibration.imports import (deepspeed, exported, imb, inspector, labels,
                                            markdown_table, nccl_json, nccl_tests, nvbandwidth,
                                            osu, own_table, p2p_csv, p2p_matrices, published_csv,
                                            rccl_results, ring_trace, transferbench)
from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.source import Source, read_source

FORMATS = (osu, imb, nccl_tests, nccl_json, published_csv.OF_NCCL, published_csv.TIMES, ring_trace,
           p2p_csv, published_csv.RATES, p2p_matrices, nvbandwidth, published_csv.BESIDE, inspector,
           transferbench, rccl_results, deepspeed, markdown_table, own_table)
CHECKED = (osu, imb, nccl_tests)  # formats whose rows have as many cells as the header
# Lines that are no results: comments, fences, lines between, and messages of NCCL, which are read.
FURNITURE = re.compile(r"\s*(#|//|```|~~~|[-=+*~_.\[\]\s]*$)|.*NCCL (INFO|WARN)")
MOST_RANGES = 12


class UnknownFormat(InputError):
    """A file without a line that a format begins with."""


def format_named(name: str):
    for one in FORMATS:
        if one.NAME == name:
            return one
    raise InputError(f"--format: expected one of {', '.join(one.NAME for one in FORMATS)}, "
                     f'got "{name}"')


def formats_of(source) -> list:
    """The formats that occur in the file: a log may hold what several programs printed."""
    found = [one for one in FORMATS if any(map(re.compile(one.MARKS).match, source.lines))]
    if not found:
        try:
            for line, begin in enumerate(map(labels.BEGIN.search, source.lines), 1):
                if begin and (label := begin.string[:begin.start()]).strip():
                    source.fail(line, "no text before what a program prints, or a label that ends "
                                f"in {' '.join(labels.ENDS)} or has a time", f'"{label}"')
            unread = {name: map(re.compile(one).match, source.lines)
                      for name, one in labels.UNREAD.items()}
            lines = sorted((line, name) for name, matches in unread.items()
                           for line, found in enumerate(matches, 1) if found)
            source.fail(lines[0][0] if lines else 1,
                        f"output of a known format ({', '.join(one.NAME for one in FORMATS)})",
                        f"output of {lines[0][1]}, which has no reader" if lines else
                        "none of their headers in the file; --format NAME sets it. Your own "
                        "table needs units in its header, such as size_mb,time_ms")
        except InputError as error:
            raise UnknownFormat(str(error)) from None
    return found


def read(path: str, given: Given, name: str = "") -> list:
    """Findings of the format with that name, or of all formats in the file."""
    return parse(read_source(path), given, name)


def parse(source, given: Given, name: str = "") -> list:
    """Findings of a source; where it cannot be read as it stands, of another form of its lines."""
    try:
        return parse_as_it_stands(source, given, name)
    except InputError:
        for text, how in exported.otherwise(source.text):
            other = Source(source.path + how, text)
            with contextlib.suppress(InputError):
                if all(one in CHECKED for stream in other.of_streams()
                       for one in formats_of(stream)):
                    found = parse_as_it_stands(other, given, name)
                    found[-1].note(f"{source.path}: cannot be read as it is: changed{how}")
                    return found
        raise


def parse_as_it_stands(source, given: Given, name: str) -> list:
    pairs = [(stream, one) for stream in source.of_streams()
             for one in ([format_named(name)] if name else formats_of(stream))]
    found = [one.parse(stream, given) for stream, one in pairs]
    if not any(one.points for one in found):
        names = ", ".join(dict.fromkeys(one.NAME for _, one in pairs))
        source.fail(1, f"a table with times of {names}",
                    "; ".join(itertools.chain(*(one.notes for one in found))) or "none")
    notes = Findings()
    for line in sorted({stream.cut for stream, _ in pairs} - {0}):
        notes.note(f"{source.path}:{line}: this row ends too early: row omitted")
    if lines := passed_over(source):
        notes.note(f"{source.path}: passed over line{'s' * (len(lines) > 1)} {ranges(lines)}")
    return [*found, notes]


def passed_over(source) -> list:
    """Numbers of the lines that no reader had a use for."""
    also = [re.compile(getattr(one, "ALSO", one.MARKS)) for one in FORMATS]
    texts = [next(filter(str.strip, of_all), raw if re.match(r"\s*\d", raw) else "")
             for raw, *of_all in zip(source.raw, *source.streams)]
    return [line for line, text in enumerate(texts, 1) if line not in source.used and text.strip()
            and not FURNITURE.match(text) and not any(one.match(text) for one in also)]


def ranges(lines: list) -> str:
    """"1, 4-7" of [1, 4, 5, 6, 7]."""
    runs = [[line for _, line in run] for _, run in
            itertools.groupby(enumerate(lines), lambda pair: pair[1] - pair[0])]
    words = [f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    return ", ".join(words[:MOST_RANGES] + ["..."] * (len(words) > MOST_RANGES))
