"""The verdict in a few lines of Markdown, for a README: errors, dates, machines."""

import numpy

from validation.verdict import accuracy, judge, order, text
from validation.verdict.cases import Series

HEAD = ["| measured | cases | median error | 90th percentile | placements in order |",
        "|---|---|---|---|---|"]
MOST_SERIES = 1


def cell(words: str) -> str:
    return words.replace("|", "/").replace("\n", " ")


def counts_text(listed: list) -> str:
    """"40 (3 noisy)": those that count, and what else there is."""
    counted = sum(case.counts for case in listed)
    noisy = sum(bool(case.marks) and not case.fitted for case in listed)
    fitted = sum(case.fitted for case in listed)
    beside = [f"{noisy} noisy"] * (noisy > 0) + [f"{fitted} seen by the fit"] * (fitted > 0)
    return str(counted) + (f" (and {', '.join(beside)})" if beside else "")


def order_text(listed: list) -> str:
    found = judge.order_figures(order.pairs(listed))
    words = [f"{found.right} of {found.apart}"] if found.apart else []
    words += [f"{found.equal_too} of {found.equal} equal"] if found.equal else []
    return ", ".join(words) or "-"


def named(series: Series, title: str) -> str:
    words = [title, series.link, f"emulated: {series.emulated}" if series.emulated else ""]
    return "; ".join(word for word in words if word) or series.source or "one machine"


def row(name: str, listed: list) -> str:
    figures = accuracy.figures([case for case in listed if case.counts])
    cells = [cell(name), counts_text(listed), text.percent(figures.median),
             text.percent(figures.p90), order_text([one for one in listed if not one.fitted])]
    return "| " + " | ".join(cells) + " |"


def row_of_errors(name: str, errors) -> str:
    """A row of relative errors that all count; placements are none of theirs."""
    size = numpy.abs(numpy.array(errors))
    return (f"| {cell(name)} | {len(size)} | {text.percent(numpy.median(size))} | "
            f"{text.percent(numpy.quantile(size, 0.9))} | - |")


def rows(verdict: judge.Verdict, title: str = "") -> list:
    """One per series, and one for all where there are several; many are told by that one only."""
    series = verdict.series()
    lines = [row(named(one, title), listed) for one, listed in series.items()]
    if len(series) > MOST_SERIES:
        lines = []
    if len(series) > 1:
        lines.append(row(f"{title}: all" if title else "all", verdict.judged))
    for trace in verdict.traces:
        if not trace.fitted:
            errors = [abs(accuracy.relative_error(predicted, measured))
                      for _, measured, predicted in trace.rows()]
            lines.append(f"| {cell(title or 'trace')}; trace {cell(trace.name)}: end, "
                         f"reduce-scatter, allgather | 1 | {text.percent(errors[0])} (the end) | "
                         f"{text.percent(max(errors))} (the worst) | - |")
    return lines


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


def markdown(verdict: judge.Verdict, title: str = "") -> str:
    return "\n".join(HEAD + rows(verdict, title)
                     + ["", "Measured: " + "; ".join(machines(verdict)) + "."]) + "\n"
