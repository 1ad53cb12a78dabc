# SPDX-License-Identifier: LGPL-2.1-or-later
"""First outcomes: rows of a CSV file, told apart by their first cells; later runs change none."""

import csv


def read(path, keys: int) -> dict:
    """{first cells: the other cells} of each row; nothing where there is no file."""
    if not path.exists():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        return {tuple(cells[:keys]): cells[keys:] for cells in list(csv.reader(file))[1:]}


def add(path, columns: tuple, keys: int, found: dict):
    """Writes those of `found` that are not there behind those that are."""
    kept = read(path, keys)
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [columns, *([*key, *cells] for key, cells in (kept | found | kept).items())])
