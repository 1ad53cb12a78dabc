# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the plots: how input is read and rejected."""

import csv
import io
import json
import math

from common.programs import InputError

PARTS = ("cluster", "library", "placement", "storage", "job", "neighbours")  # of a scenario
SWEEP = {"case", "held_up_by"}  # columns by which the CSV of a sweep is known


def read_text(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not a text file") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    if not text.strip():
        raise InputError(f"{path}: is empty")
    return text


def read_csv(path, columns, without_rows=""):
    """The rows as (line number, {column: text}); every column named in `columns` is there.
    `without_rows`: what a file without any means."""
    text = read_text(path)
    if text.lstrip()[:1] in ("{", "["):
        raise InputError(f"{path}: expected a table (CSV of `ringscope run --timeline`, `run "
                         "--csv` or `place --csv`), got JSON")
    reader = csv.reader(io.StringIO(text, newline=""))
    header = next(reader)
    for column in columns:
        if column not in header:
            raise InputError(f"{path}:1: column '{column}' is missing (found: {', '.join(header)})")
    rows = []
    try:
        for values in reader:
            if len(values) != len(header):
                raise InputError(f"{path}:{reader.line_num}: expected {len(header)} values, "
                                 f"got {len(values)}")
            rows.append((reader.line_num, dict(zip(header, values))))
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: {error}") from None
    if not rows:
        raise InputError(f"{path}: has a header but no rows{without_rows}")
    return rows


def number(path, line, row, column, kind=float):
    """The finite, not negative number in this column."""
    try:
        value = kind(row[column])
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        wanted = "a whole number" if kind is int else "a number"
        raise InputError(f"{path}:{line}: {column}: expected {wanted} of at least 0, "
                         f"got '{row[column]}'")
    return value


def json_of(path, text, hint=""):
    """The value of a file's text; `hint` ends the error of another text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: is not JSON: {error.msg}"
                         f"{hint}") from None


def sweep_of(path):
    """The document of a sweep's JSON, by its CSV."""
    rows, words = [], ("case", "held_up_by", "error")
    for line, row in read_csv(path, words):
        keys = [name for name in row if name.partition(".")[0] in PARTS]
        metrics = {name: number(path, line, row, name) for name, text in row.items()
                   if text and name not in keys and name not in words}
        rows.append({"case": row["case"], "set": {key: row[key] for key in keys if row[key]},
                     "metrics": metrics, "error": row["error"]})
    return {"keys": keys, "rows": rows}


def read_cases(path):
    """The list under `cases` of a report written by `ringscope run --json`, or the rows of a sweep
    that have a time, as such."""
    text = read_text(path)
    is_table = SWEEP <= set(text.splitlines()[0].split(","))
    hint = "; this kind of picture is drawn from what `ringscope run --json` writes" * (
        text.lstrip()[:1] not in ("{", "["))
    report = sweep_of(path) if is_table else json_of(path, text, hint)
    if isinstance(report, dict) and "keys" in report and "rows" in report:
        report["cases"] = [{"name": row["case"], "question": report.get("question"),
                            "scenario": row["set"], "varied": report["keys"],
                            "metrics": list(row["metrics"]), **row["metrics"]}
                           for row in report["rows"] if not row["error"]]
    cases = field(path, report, "cases", list)
    if not cases:
        raise InputError(f"{path}: cases: is empty{stuck_text(report)}")
    return cases


def at(value, dotted):
    """The value at a dotted key, or under it as it stands in a sweep; None where there is none."""
    if isinstance(value, dict) and dotted in value:
        return value[dotted]
    for key in dotted.split("."):
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def stuck_text(report):
    """Why no case has ended, of a report whose cases are all stuck; or ""."""
    stuck = report.get("stuck")
    if not isinstance(stuck, list) or not stuck:
        return ""
    name, words = at(stuck[0], "name"), at(stuck[0], "deadlock.text")
    which = "the only case is" if len(stuck) == 1 else f"all {len(stuck)} cases are"
    first = f": {name}: {words}".splitlines()[0] if isinstance(words, str) else ""
    return f": {which} deadlocked: nothing to draw{first}"


def field(where, value, key, kind):
    """value[key], of type `kind` (float takes any finite number); `where` starts the message."""
    if not isinstance(value, dict) or key not in value:
        raise InputError(f"{where}: key '{key}' is missing")
    found = value[key]
    fits = isinstance(found, (int, float) if kind is float else kind)
    if not fits or isinstance(found, bool) or (kind is float and not math.isfinite(found)):
        words = {float: "a number", int: "a whole number", str: "a text", list: "a list",
                 dict: "a map"}
        raise InputError(f"{where}: {key}: expected {words[kind]}, got {json.dumps(found)[:40]}")
    return found
