# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which collective a table of nccl-tests measured, and on how many ranks, by its columns.

busbw / algbw is a factor of the collective (PERFORMANCE.md of nccl-tests); `redop` is an operation
where elements are reduced; `root` is a rank where there is one.
"""

from typing import NamedTuple

from validation.yaml_files import tables_of

NAMES, COLUMNS = tables_of(__file__).values()
DIGITS = 0.005  # half of the last digit of a bandwidth
SLACK = 0.02  # of a ratio
DISAGREE = 0.05  # of a bandwidth, between its digits and size over time
MOST_RANKS = 1 << 17


class Shape(NamedTuple):
    """busbw / algbw is times (P - 1) / P, or 1 if times is 0. `reduces`: has an operation printed,
    as sendrecv has too. `checked`: are results in place?"""

    times: int
    reduces: bool
    rooted: bool
    checked: bool

    def factor(self, ranks: int) -> float:
        return self.times * (ranks - 1) / ranks if self.times else 1.0


SHAPES = {name: Shape(**one) for name, one in COLUMNS.items()}
SIMULATED = {NAMES.get(name, name): shape for name, shape in SHAPES.items()}


class Ratio(NamedTuple):
    """busbw / algbw, and how far the printed digits leave it open, as a share."""

    value: float
    slack: float

    def near(self, factor: float) -> bool:
        return abs(self.value - factor) <= self.slack * self.value

    def fits(self, shape: Shape, ranks: int) -> bool:
        return self.near(shape.factor(ranks))


def ratio_of(run):
    """The ratio in the row with most digits; None where the table has no bandwidths."""
    best = None
    for row in run.rows:
        pair = [row.cells.get(name) for name in ("algbw", "busbw")]
        if None in pair or "N/A" in (cell.text for cell in pair):
            continue
        algbw, busbw = (run.source.number(row.line, cell) for cell in pair)
        if algbw > 0 and busbw > 0:
            found = Ratio(busbw / algbw, DIGITS / algbw + DIGITS / busbw)
            best = min(best or found, found, key=lambda one: one.slack)
    return best


def traits_of(run) -> tuple:
    """(are elements reduced, is there a root)"""
    redops = {row.cells["redop"].text for row in run.rows if "redop" in row.cells}
    roots = {row.cells["root"].text for row in run.rows if "root" in row.cells}
    return bool(redops - {"none"}), bool(roots - {"-1"})


def traits_fit(run, name: str, own: bool) -> bool:
    """May a program of that name have printed the columns? An unknown one may. `own`: its name is
    in the run itself, not above it."""
    shape = SHAPES.get(name)
    return not shape or not run.rows or (
        (shape.reduces, shape.rooted) == traits_of(run)
        and (own or in_place_is_checked(run) in (None, shape.checked)))


def in_place_is_checked(run):
    """False where only the results in place were not validated, as of alltoall; None where none
    were, or nothing was measured in place."""
    marks = [(row.cells["#wrong"].text, row.cells["#wrong2"].text) for row in run.rows
             if "#wrong2" in row.cells]
    if not marks or all(out == "N/A" for out, _ in marks):
        return None
    return any(inside != "N/A" for _, inside in marks)


def alike(run) -> list:
    """Programs of nccl-tests with such columns and bandwidths on that many ranks."""
    traits = traits_of(run)
    found = [name for name, shape in SHAPES.items() if (shape.reduces, shape.rooted) == traits]
    if (ratio := ratio_of(run)) is not None:
        wide = ratio._replace(slack=max(ratio.slack, SLACK))
        found = [name for name in found if wide.fits(SHAPES[name], run.layout.ranks)]
    return found


def check_options(run, named: str, given):
    """Rejects options that the columns or the two bandwidths of the table contradict."""
    found = alike(run)
    ranks = 0 if found or run.devices else ranks_by_ratio(run, named)
    if ranks:
        run.source.fail(run.header, f"{ranks} ranks, as the ratio of busbw to algbw shows",
                        f"{run.layout.ranks} from --nodes and --ranks-per-node or a command above")
    shape, ratio = SIMULATED.get(named), ratio_of(run)
    if not found and shape and ratio:
        run.source.fail(run.header, f"a busbw of {shape.factor(run.layout.ranks):.3g} times algbw, "
                        f"as {named} on {run.layout.ranks} ranks has", f"{ratio.value:.3g} times: "
                        "did two programs print into this log?")
    names = [NAMES.get(name, name) for name in found]
    if names and named not in names and (given.collective or named in SIMULATED):
        run.source.fail(run.header, f"--collective {' or '.join(found)}, as columns and bandwidths "
                        "of this table show", given.collective or named)


def collective_of(run) -> str:
    """As the columns and the two bandwidths give it away."""
    checked = in_place_is_checked(run)
    found = [name for name in alike(run) if checked in (None, SHAPES[name].checked)]
    if len(found) == 1:
        return NAMES.get(found[0], found[0])
    got = " or ".join(found) or "a table of none of its programs"
    alone = " of a single rank" * (run.layout.ranks == 1)
    run.source.fail(run.start, "which collective this is: --collective NAME, or a line with the "
                    "program's name (all_reduce_perf)", f"neither; by its columns: {got}{alone}")


def ranks_by_ratio(run, collective: str) -> int:
    """Number of ranks that the ratio of the two bandwidths gives away, of a collective or of all
    that print such a table; 0 where several fit."""
    ratio, traits = ratio_of(run), traits_of(run)
    if ratio is None:
        return 0
    shapes = [SIMULATED[collective]] if collective in SIMULATED else [
        shape for shape in SHAPES.values() if (shape.reduces, shape.rooted) == traits]
    found = set()
    for shape in shapes:
        if shape.times and ratio.value < shape.times:
            about = round(shape.times / (shape.times - ratio.value))
            found |= {ranks for ranks in (about - 1, about, about + 1)
                      if 1 < ranks <= MOST_RANKS and ratio.fits(shape, ranks)}
    return found.pop() if len(found) == 1 else 0


def foreign_rows(run) -> set:
    """Lines of rows whose bandwidths are not those of size and time: cells of another table. Of
    most rows that is the writer's own matter, unless rows were joined."""
    shape, found = SIMULATED.get(run.collective), set()
    for row in run.rows if shape else ():
        for mark in ("", "2"):
            cells = [row.cells.get(name + mark) for name in ("time", "algbw", "busbw")]
            if None in cells or "N/A" in (cell.text for cell in cells):
                continue
            seconds = run.source.microseconds(row.line, cells[0])
            algbw, busbw = (run.source.number(row.line, cell) for cell in cells[1:])
            rate = run.source.size(row, "size") / seconds / 1e9 if seconds else algbw
            factor = shape.factor(run.layout.ranks)
            if not (near(rate, algbw) and near(factor * algbw, busbw)):
                found.add(row.line)
    return found if run.source.joined or 2 * len(found) <= len(run.rows) else set()


def near(rate: float, printed: float) -> bool:
    return abs(rate - printed) <= DISAGREE * printed + 4 * DIGITS
