# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kept results, and the table of their errors: which model, which documents, which heading."""

import pathlib
from typing import NamedTuple

from common.programs import InputError
from validation.calibration.nccl import table as nccl_table
from validation.calibration.verdict import accuracy, judge, markdown, model
from validation.calibration.verdict.simulator import Simulator
from validation.measurements import read
from validation.tables.overlap import table as overlap_table
from validation.tables.training import table as training_table
from validation.yaml_files import read_yaml

LIST = "results.yaml"
# Tables with predictions of their own: errors_of(simulator), and SOURCE.
COMPUTED = {"training": training_table, "overlap": overlap_table, **nccl_table.HELD_OUT}
BRIEF_HEAD = ["| predicted | from | cases | median error | 90th percentile |",
              "|---|---|--:|--:|--:|"]
HEAD = [BRIEF_HEAD[0] + " placements in order | source |", BRIEF_HEAD[1] + "---|---|"]


class Result(NamedTuple):
    """One entry of the list. Several labs, each (its model, documents), make one row; `computed`
    names a table that predicts by itself; `readme` puts the row into the README too."""

    predicted: str
    source: str  # of the model
    computed: str
    labs: list
    algorithms: dict
    limits: accuracy.Limits
    readme: bool


def lab_of(entry, folder: pathlib.Path, place: str) -> tuple:
    if not isinstance(entry, dict) or not {"model", "documents"} <= set(entry):
        raise InputError(f"{place}: expected a map with model and documents")
    documents = [match for pattern in entry["documents"]
                 for match in sorted(folder.glob(str(pattern)))]
    if not documents:
        raise InputError(f"{place}.documents: expected at least one file, got none")
    return folder / str(entry["model"]), documents


def result_of(entry, folder: pathlib.Path, place: str) -> Result:
    if not isinstance(entry, dict) or "summary" not in entry or not (
            {"model", "documents"} <= set(entry) or {"labs", "computed"} & set(entry)):
        raise InputError(f"{place}: expected a map with summary, model and documents")
    summary, computed = entry["summary"], str(entry.get("computed", ""))
    if not isinstance(summary, dict) or set(summary) != {"predicted", "from"}:
        raise InputError(f"{place}.summary: expected a map with predicted and from")
    if computed and computed not in COMPUTED:
        raise InputError(f"{place}.computed: expected one of {', '.join(COMPUTED)}, "
                         f"got '{computed}'")
    labs = {f"{place}.labs[{i}]": one for i, one in enumerate(entry.get("labs", []))} or {
        place: entry}
    more = {"foreign_cores": float(entry["foreign_cores"])} if "foreign_cores" in entry else {}
    return Result(str(summary["predicted"]), str(summary["from"]), computed,
                  [] if computed else [lab_of(one, folder, here) for here, one in labs.items()],
                  entry.get("algorithms") or {}, accuracy.Limits(**more), bool(entry.get("readme")))


def listed(folder: pathlib.Path) -> list:
    """Content of results.yaml: a list of {summary, model, documents, algorithms}, seen from it, or
    {summary, labs: [{model, documents}]}, {summary, computed}; `foreign_cores` where more than
    usual may be used, `readme: true` for rows of the README, `coverage: KIND` for coverage_test."""
    path = folder / LIST
    entries = read_yaml(path, "a list of results in YAML")
    if entries == []:
        raise InputError(f"{path}: expected at least one result, got none")
    return [result_of(entry, folder, f"{path}: [{number}]")
            for number, entry in enumerate(entries if isinstance(entries, list) else [entries])]


def verdicts_of(result: Result, simulator: Simulator) -> list:
    """One of each lab. Probes among the documents are what the fit saw: they are left out."""
    found = []
    for path, documents in result.labs:
        fitted = model.read(str(path))
        fitted.algorithms = result.algorithms
        documents = [document for document in map(read, map(str, documents))
                     if document.kind != "probes"]
        found.append(judge.judge(simulator, fitted, documents, result.limits))
    return found


def rows_of(verdicts: list, title: str) -> list:
    if len(verdicts) == 1:
        return markdown.rows(verdicts[0], title)
    return [markdown.row(title, [case for verdict in verdicts for case in verdict.judged])]


def tables(results: list, simulator: Simulator) -> tuple:
    """(the README's table; the table of all results with a numbered list of their sources)"""
    some, everything, numbers = list(BRIEF_HEAD), list(HEAD), {}
    for result in results:
        if result.computed:
            one = COMPUTED[result.computed]
            rows = [markdown.row_of_errors(result.predicted, one.errors_of(simulator))]
            sources = [f"published by {one.SOURCE}"]
        else:
            verdicts = verdicts_of(result, simulator)
            rows = rows_of(verdicts, result.predicted)
            sources = [one for verdict in verdicts for one in markdown.machines(verdict)]
        numbers_of_row = sorted({numbers.setdefault(one, len(numbers) + 1) for one in sources})
        rows = [[predicted, result.source, *figures] for predicted, *figures in rows]
        everything += [markdown.line([*cells, ", ".join(map(str, numbers_of_row))])
                       for cells in rows]
        if result.readme:  # without the cases that do not count, and placements
            some += [markdown.line([*cells[:2], cells[2].split(" (")[0], *cells[3:-1]])
                     for cells in rows]
    return ("\n".join(some) + "\n",
            "\n".join([*everything, "", "Sources:", "",
                       *(f"{number}. {one}" for one, number in numbers.items())]) + "\n")
