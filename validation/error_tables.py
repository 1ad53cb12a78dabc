# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predict all kept results again, and write tables of their errors into the pages.

Reads validation/results: results.yaml there lists models and documents. The README gets the rows
with `readme: true`, docs/accuracy.md gets all. With --check nothing is written, and a stale page is
exit code 1. Coverage of intervals: python3 -m validation.verdict.coverage_test BUILD --write.
"""

import pathlib

from validation.programs import InputError, between_marks, page_parser, run_main, write_text
from validation.verdict import results
from validation.verdict.simulator import Simulator

HERE = pathlib.Path(__file__).resolve().parent

BEGIN, END = "<!-- error tables: begin -->\n", "<!-- error tables: end -->\n"


def replaced(path: pathlib.Path, table: str) -> tuple:
    """(the page's text, the same with this table between its marks)."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return text, between_marks(text, BEGIN, END, table, path)


def main():
    parser = page_parser("error_tables", __doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results", metavar="FOLDER")
    parser.add_argument("--readme", type=pathlib.Path, default=HERE.parent / "README.md",
                        metavar="FILE")
    parser.add_argument("--accuracy", type=pathlib.Path,
                        default=HERE.parent / "docs" / "accuracy.md", metavar="FILE")
    options = parser.parse_args()
    tables = results.tables(results.read_results(options.results), Simulator())
    pages = (options.readme, options.accuracy)
    texts = [replaced(page, table) for page, table in zip(pages, tables)]
    for page, table, (old, new) in zip(pages, tables, texts):
        if old == new:
            continue
        if options.check:
            raise InputError(f"{page}: the error tables are stale: expected\n{table}"
                             "run validation/error_tables")
        write_text(str(page), new)


if __name__ == "__main__":
    run_main(main)
