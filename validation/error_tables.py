"""Predict all kept results again, and write the table of their errors into the README.

Reads validation/results: results.yaml there lists models and documents, or each folder below has a
fitted model (*.yaml) and documents (*.json). With --check nothing is written, and a README that
says something else is exit code 1.
"""

import pathlib

from validation.programs import InputError, between_marks, page_parser, run_main, write_text
from validation.verdict import results
from validation.verdict.simulator import Simulator

HERE = pathlib.Path(__file__).resolve().parent

BEGIN, END = "<!-- error tables: begin -->\n", "<!-- error tables: end -->\n"


def replaced(path: pathlib.Path, table: str) -> tuple:
    """(the README's text, the same with this table between its marks)."""
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
    options = parser.parse_args()
    table = results.table(results.read_results(options.results), Simulator())
    old, new = replaced(options.readme, table)
    if old == new:
        return
    if options.check:
        raise InputError(f"{options.readme}: the error tables are stale: expected\n{table}"
                         "run validation/error_tables")
    write_text(str(options.readme), new)


if __name__ == "__main__":
    run_main(main)
