# SPDX-License-Identifier: LGPL-2.1-or-later
"""The verdict in a few lines of Markdown, for a README: errors, dates, machines."""

import numpy

from validation.calibration.verdict import accuracy, judge, order, text
from validation.calibration.verdict.cases import Series

HEAD = ["| measured | cases | median error | 90th percentile | placements in order |",
        "|---|---|---|---|---|"]
MOST_SERIES = 1


def cell(words: str) -> str:
    return words.replace("|", "/").replace("\n", " ")


def line(cells: list) -> str:
    return "| " + " | ".join(cell(one) for one in cells) + " |"


def counts_text(listed: list) -> str:
    """"40 (3 noisy)": those that count, and what else there is."""
    counted = sum(case.counts for case in listed)
    noisy = sum(bool(case.marks) and not case.fitted for case in listed)
    fitted = sum(case.fitted for case in listed)
    beside = [f"{noisy} noisy"] * (noisy > 0) + [f"{fitted} fitted"] * (fitted > 0)
    return str(counted) + (f" (and {', '.join(beside)})" if beside else "")


def order_text(listed: list) -> str:
    found = judge.order_figures(order.pairs(listed))
    words = [f"{found.right} of {found.apart}"] if found.apart else []
    words += [f"{found.equal_too} of {found.equal} equal"] if found.equal else []
    return ", ".join(words) or "-"


def named(series: Series, title: str) -> str:
    words = [title, series.link, f"emulated: {series.emulated}" if series.emulated else ""]
    return "; ".join(word for word in words if word) or series.source or "one machine"


def row(name: str, listed: list) -> list:
    """Cells: name, cases, median error, 90th percentile, placements in order."""
    figures = accuracy.figures([case for case in listed if case.counts])
    return [name, counts_text(listed), text.percent(figures.median), text.percent(figures.p90),
            order_text([one for one in listed if not one.fitted])]


def row_of_errors(name: str, errors) -> list:
    """Cells of relative errors that all count; placements are none of theirs."""
    size = numpy.abs(numpy.array(errors))
    return [name, str(len(size)), text.percent(numpy.median(size)),
            text.percent(numpy.quantile(size, 0.9)), "-"]


def rows(verdict: judge.Verdict, title: str = "") -> list:
    """One row for all series: of a single one with its link and emulation. One for each trace."""
    series = verdict.series()
    found = []
    if len(series) > MOST_SERIES:
        found.append(row(title or "all", verdict.judged))
    else:
        found += [row(named(one, title), listed) for one, listed in series.items()]
    for trace in verdict.traces:
        if not trace.fitted:
            errors = [abs(accuracy.relative_error(predicted, measured))
                      for _, measured, predicted in trace.rows()]
            found.append([f"{title or 'trace'}; trace {trace.name}: end, reduce-scatter, allgather",
                          "1", f"{text.percent(errors[0])} (the end)",
                          f"{text.percent(max(errors))} (the worst)", "-"])
    return found


def machines(verdict: judge.Verdict) -> list:
    """"2026-11-21 on CPU, MPI", each once."""
    found = {}
    for document in verdict.documents:
        where = document.where
        if not where["date"] and where["source"]:
            found[f"published by {where['source']}"] = None
            continue
        words = [where["date"][:10] or "no date", where["cpu"], where["mpi"], where["source"]]
        found[", ".join(word for word in words if word)] = None
    return list(found)


def measured(found) -> str:
    return "Measured:\n\n" + "\n".join(f"- {one}" for one in found)


def markdown(verdict: judge.Verdict) -> str:
    return "\n".join(HEAD + [line(cells) for cells in rows(verdict)]
                     + ["", measured(machines(verdict))]) + "\n"
