# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables of comma-separated values with # comments above, as the CSV importers read them."""

from validation.calibration.imports.source import Cell, Source


def where_of(source: Source) -> dict:
    """The first comment says what measured, the one that begins with "source:" who published it."""
    where = {}
    for text in (line.lstrip("# ").rstrip() for line in source.lines if line.startswith("#")):
        if text.startswith("source:"):
            where["source"] = text.removeprefix("source:").strip()
        elif "program" not in where and not text.startswith("columns:"):
            where["program"] = text
    return where


def split(source: Source, line: int, separator: str = ",") -> list:
    cells, column = [], 1
    for text in source.lines[line - 1].split(separator):
        cells.append(Cell(text.strip(), column + len(text) - len(text.lstrip())))
        column += len(text) + 1
    return cells


def filled(source: Source) -> list:
    """Numbers of the lines that are neither blank nor comments: the header, then rows."""
    return [line for line, text in enumerate(source.lines, 1)
            if text.strip() and not text.startswith("#")]


def header_of(source: Source) -> list:
    """The names of the columns, unchecked; none where there is no header."""
    return [cell.text for line in filled(source)[:1] for cell in split(source, line)]


def read(source: Source, columns: str, optional: str = "", also: dict = None) -> list:
    """The rows below the header, whose columns must be `columns` ("a,b,c"), in any order; those
    of `optional` may be among them. `also`: {other name of a column: its name}."""
    header, *lines = filled(source) or source.fail(1, f"the header {columns}", "none")
    ours = {name: (also or {}).get(name, name) for name in header_of(source)}
    wanted, names = columns.split(","), [ours[name] for name in header_of(source)]
    known = wanted + (optional.split(",") if optional else [])
    for cell in split(source, header):
        if ours[cell.text] not in known or names.count(ours[cell.text]) > 1:
            source.fail(header, f"the columns {columns}", f'"{cell.text}"', cell.column)
    for name in wanted:
        if name not in names:
            source.fail(header, f"the columns {columns}", f"no {name}",
                        len(source.lines[header - 1]) + 1)
    if not lines:
        source.fail(header, "rows below this header", "none")
    return [source.row(line, split(source, line), names) for line in lines]
