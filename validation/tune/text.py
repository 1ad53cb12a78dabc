# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tuning on a screen."""

import json
import math
import shlex

from common.quantities import format_bytes, format_time, format_whole_bytes
from validation.calibration.verdict.text import columns, percent
from validation.doctor.text import wrapped
from validation.tune.decision import Decided, Range, Row, Timed
from validation.tune.ground import Ground

MOST_RANGES = 8


def placed(placement) -> str:
    return placement if isinstance(placement, str) else json.dumps(placement)


def name_of(timed: Timed) -> str:
    """As the library calls it, with its segment; of its own rule what that took."""
    choice = timed.choice
    if timed.chosen and not choice.way.says:
        return timed.chosen
    if choice.segment is None:
        return choice.way.name
    return f"{choice.way.name} {format_bytes(choice.segment) if choice.segment else 'whole'}"


def row_of(row: Row, names: dict) -> tuple:
    """`names`: the library's, of what its own rule took."""
    shown = row.entry or row.best
    own = shown is row.own
    taken = name_of(row.own)
    return (format_bytes(row.bytes), names.get(taken, taken), format_time(row.own.seconds),
            "the same" if own else name_of(shown), "" if own else format_time(shown.seconds),
            "" if own else percent(row.gain_of(shown), 0),
            percent(row.error, 0) if math.isfinite(row.error) else "not seen",
            "yes" if row.entry else "no")


def table(one: Decided, form) -> list:
    names = {way.algorithm: way.says for way in form.ways if way.collective == one.collective}
    header = ("size", "own choice", "time", f"best of {form.title}", "time", "gain", "error",
              "in the file")
    return columns(header, [row_of(row, names) for row in one.rows], (1, 3))


def span(part: Range) -> str:
    first, last = format_whole_bytes(part.first), format_whole_bytes(part.last)
    return first if first == last else f"{first} to {last}"


def ranges(one: Decided) -> str:
    if not one.entries:
        return wrapped("In the file: nothing. No gain exceeds the model's error, and all sizes "
                       "keep the library's choice.")
    said = [f"{span(part)} {name_of(Timed(part.choice, 0.0))}"
            for part in one.entries[:MOST_RANGES]]
    more = len(one.entries) - MOST_RANGES
    said += [f"and {more} more"] * (more > 0)
    return wrapped(f"In the file: {'; '.join(said)}. Each range ends at a simulated size; "
                   "adjacent ranges meet at the geometric mean of their sizes. All other sizes "
                   "keep the library's choice.")


def lacking(one: Decided, library: str) -> list:
    """The largest win of each algorithm that the library lacks."""
    best: dict = {}
    for row in one.rows:
        if row.would_be_faster:
            name = row.lacking.choice.way.algorithm
            if name not in best or row.gain_of(row.lacking) > best[name][0]:
                best[name] = (row.gain_of(row.lacking), row)
    return [wrapped(f"Would be faster, but {library} does not have it: {name}, at "
                    f"{format_bytes(row.bytes)} {format_time(row.lacking.seconds)}, "
                    f"{percent(gain, 0)} less than its own choice.")
            for name, (gain, row) in best.items()]


def next_step(form, found: list, options) -> list:
    if options.output and not any(one.entries for one in found):
        return [f"Written to {options.output}: a file that changes nothing."]
    if options.output:
        return [f"Written to {options.output}. To use it:",
                *(f"  {line}" for line in form.use(options.output))]
    if any(one.entries for one in found):
        words = ["ringscope", "tune", options.cluster, "--placement", placed(options.placement)]
        more = [("--library", options.library), ("--format", options.format),
                *(("--collective", name) for name in options.collective),
                ("--bytes", options.bytes.words),
                ("--min-gain", options.error and percent(options.error, 0).replace(" ", ""))]
        words += [word for pair in more if pair[1] for word in pair]
        return [f"To write the file: {shlex.join([*words, '-o', 'FILE'])}"]
    return []


def text(where: Ground, form, found: list, options) -> str:
    blocks = []
    for one in found:
        kind = "as specified" if where.error is not None else f"as for '{where.family}'"
        blocks.append("\n".join([
            f"{one.collective} on {placed(where.placement)} ({where.ranks} ranks), {where.name} "
            f"with {where.costs_name}; the model's error is {kind}", "",
            *table(one, form), "", ranges(one), *lacking(one, form.title)]))
    blocks += ["\n".join(wrapped(f"Note: {note}") for note in where.notes)] if where.notes else []
    steps = next_step(form, found, options)
    blocks += ["\n".join(steps)] if steps else []
    return "\n\n".join(blocks) + "\n"
