# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predict all stored results again, and write the error tables of the pages.

Reads validation/results. Its results.yaml lists models and documents; its documents.yaml lists the
numbers of the project's initial documents. The README gets the rows with `readme: true`,
docs/accuracy.md gets all rows. --check writes nothing, and exits with 1 if a page is stale.
Coverage of intervals: python3 -m validation.tables.coverage_test BUILD --write.
"""

import pathlib

from common.programs import InputError, between_marks, page_parser, run_main, write_text
from validation.arguments import parsed
from validation.calibration.verdict.simulator import ROOT, Simulator
from validation.tables import documents, results

MARKS = ("<!-- {}: begin -->\n", "<!-- {}: end -->\n")


def replaced(path: pathlib.Path, tables: dict) -> tuple:
    """(the page's text, the same with each of {name: table} between its marks)."""
    try:
        old = new = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    for name, table in tables.items():
        new = between_marks(new, *(mark.format(name) for mark in MARKS), table, path)
    return old, new


def main():
    options = parsed(page_parser("error_tables", __doc__), "error_tables",
                     results=ROOT / "validation/results", readme=ROOT / "README.md",
                     accuracy=ROOT / "docs/accuracy.md")
    brief, whole = results.tables(results.listed(options.results), Simulator())
    pages = {options.readme: {"error tables": brief},
             options.accuracy: {"error tables": whole,
                                "documents": documents.table(options.results, Simulator())}}
    texts = {page: replaced(page, tables) for page, tables in pages.items()}
    for page, (old, new) in texts.items():
        if old == new:
            continue
        if options.check:
            raise InputError(f"{page}: the error tables are stale: expected\n"
                             f"{''.join(pages[page].values())}run validation/error_tables")
        write_text(str(page), new)


if __name__ == "__main__":
    run_main(main)
