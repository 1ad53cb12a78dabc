# SPDX-License-Identifier: LGPL-2.1-or-later
"""CSV with comments: published times, and tables of ours."""

import csv


def rows_of(path) -> list:
    """Rows of the file as maps by column, without its comments."""
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))
