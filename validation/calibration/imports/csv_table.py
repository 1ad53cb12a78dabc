# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables of comma-separated values with # comments above, as the CSV importers read them."""

from validation.calibration.imports.source import Cell, Row, Source


def where_of(source: Source) -> dict:
    """The first comment says what measured, the one that begins with "source:" who published it."""
    where = {}
    for text in (line.lstrip("# ").rstrip() for line in source.lines if line.startswith("#")):
        if text.startswith("source:"):
            where["source"] = text.removeprefix("source:").strip()
        elif "program" not in where and not text.startswith("columns:"):
            where["program"] = text
    return where


def split(source: Source, line: int) -> list:
    cells, column = [], 1
    for text in source.lines[line - 1].split(","):
        cells.append(Cell(text.strip(), column + len(text) - len(text.lstrip())))
        column += len(text) + 1
    return cells


def header_of(source: Source) -> list:
    """The names of the columns, unchecked; none where there is no header."""
    for line, text in enumerate(source.lines, 1):
        if not text.startswith("#") and text.strip():
            return [cell.text for cell in split(source, line)]
    return []


def read(source: Source, columns: str, optional: str = "") -> list:
    """The rows below the header, whose columns must be `columns` ("a,b,c"), in any order; those
    of `optional` may be among them."""
    wanted, header, rows = columns.split(","), None, []
    known = wanted + (optional.split(",") if optional else [])
    for line, text in enumerate(source.lines, 1):
        if text.startswith("#") or not text.strip():
            continue
        cells = split(source, line)
        if header is None:
            header = line
            names = [cell.text for cell in cells]
            for cell in cells:
                if cell.text not in known or names.count(cell.text) > 1:
                    source.fail(line, f"the columns {columns}", f'"{cell.text}"', cell.column)
            for name in wanted:
                if name not in names:
                    source.fail(line, f"the columns {columns}", f"no {name}",
                                len(source.lines[line - 1]) + 1)
            continue
        rows.append(source.row(line, cells, names))
    if not rows:
        source.fail(header or 1, "rows below this header" if header else f"the header {columns}",
                    "none")
    return [Row(*row) for row in rows]
