# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables of nccl-tests that a terminal or a mail broke at its width, or a page put behind "#"."""

import re

from validation.calibration.imports.source import Source, put_together

DEVICE = re.compile(r"\s*#?\s*Rank\s+\d+\s.*\bPid\b")
OTHER = re.compile(r"\s*(#|Rank\b|\d+\s+\d+\s|.*NCCL (INFO|WARN)|$)")
UNITS, UNIT, NUMBER = map(re.compile, (r"\s*#?\s*\(B\)", r"\s*[(\w/%)]*\)", r"\s*[\d.]"))


def join(source: Source, header, goes_on, columns, row: str):
    """`header`, `goes_on`: patterns of its first line and of those below; `row`: of a whole one."""
    if not any(map(re.compile(row).match, source.lines)):
        source.lines[:] = [re.sub(rf"^(\s*)#(?={row})", r"\1 ", text) for text in source.lines]
    width, broken, label, longest = 0, False, 0, max(map(len, source.lines))
    for at, text in enumerate(source.lines):
        if header.match(text):
            label = len(text) - len(text.lstrip()) if "#" in text else 0
            broken = put_together(source.lines, at, source.used, goes_on, lambda cells: all(
                one in columns for one in cells[cells[0] == "#":]), label)
            width = len(source.lines[at].replace("#", " ").split())
        elif broken and UNITS.match(text):
            put_together(source.lines, at, source.used, UNIT, lambda cells: all(
                one in ("#", "(B)", "(elements)", "(us)", "(GB/s)", "(%)") for one in cells), label)
        elif broken and re.match(r"\s*\d+\s+\d+\s+\w+", text) and len(text.split()) < width:
            put_together(source.lines, at, source.used, NUMBER,
                         lambda cells: len(cells) == width, label)
    if broken:
        source.joined = True
        join_devices(source, longest)


def join_devices(source: Source, longest: int):
    """`longest`: the width at which a terminal broke lines; a mail breaks them at blanks."""
    for at, text in enumerate(source.lines):
        if DEVICE.match(text):
            below = source.lines[at + 1] if at + 1 < len(source.lines) else ""
            if not OTHER.match(below):
                label = len(text) - len(text.lstrip())
                rest = re.sub(rf"^ {{0,{label}}}", " " * (len(text) != longest), below)
                source.lines[at:at + 2] = [text + rest, ""]
