# SPDX-License-Identifier: LGPL-2.1-or-later
"""The proof of tune on real MPI: rules and predictions before, the comparison after.

  python3 -m validation.tune.proof predict CAMPAIGN FOLDER [FITS]
  python3 -m validation.tune.proof compare FOLDER

A CAMPAIGN of the lab has groups with the label `tuned`, whose mca names a file of rules in FOLDER,
PLACEMENT-RATE.conf; FITS (or FOLDER) has fit-RATE.yaml. `predict` writes the rules, from 16 KiB to
16 MiB, and predicted.csv; `compare` reads FOLDER/cases, what the campaign measured, prints a table
and writes outcomes.csv.
"""

import csv
import io
import pathlib
import sys
from typing import NamedTuple

from common.programs import InputError, page_parser, run_main, write_text
from common.quantities import format_bytes, format_time, parse_quantity
from validation import measurements
from validation.calibration.verdict.simulator import Simulator
from validation.doctor.what_if import WhatIf
from validation.tune import decision, ground, program
from validation.tune.formats import open_mpi
from validation.tune.formats.format import Target
from validation.tune.formats.way import Choice
from validation.yaml_files import read_yaml

SIZES = "16KiB-16MiB"
LABEL = "tuned"
COUNTS = 0.15  # a gain from which on it has to be seen
WITHIN = 0.10  # predicted and measured gain
COLUMNS = ["rate", "placement", "bytes", "algorithm", "segment", "default_s", "tuned_s", "gain"]
MORE = ["measured_default_s", "measured_tuned_s", "measured_gain", "default_p10_s", "default_p90_s",
        "tuned_p10_s", "tuned_p90_s", "foreign_cores"]


def slug(rate: str) -> str:
    return rate.replace(" ", "").replace("/s", "")


def jobs_of(campaign: str) -> list:
    """(rate, placement, sizes, file of rules) of the labelled groups."""
    groups = read_yaml(campaign)["groups"]
    return [(one["rates"][0], one["placements"][0], one["sizes"],
             one["mca"]["coll_tuned_dynamic_rules_filename"])
            for one in groups if one.get("label") == LABEL]


def picked(ranges: list, size: int):
    """The choice that the rules make at a size; None where they leave it to the library."""
    return next(one.choice for one in ranges
                if one.first <= size and (one.last is None or size <= one.last))


def seconds(what_if: WhatIf, where: ground.Ground, choice: Choice, size: int) -> float:
    return what_if.answers([where.scenario(choice.job(size))])[0]["time_s"]


def predict_one(what_if: WhatIf, fits: pathlib.Path, job: tuple) -> list:
    """Writes the rules of one placement and rate; rows of COLUMNS."""
    rate, placement, sizes, rules = job
    where = ground.read(str(fits / f"fit-{slug(rate)}.yaml"), "", placement)
    form, own = open_mpi.FORMAT, open_mpi.FORMAT.own["allreduce"]
    found = decision.decided(what_if, where, lambda size: own(where.ranks, size),
                             form.ways_of("allreduce", where.ranks), program.sizes(SIZES).bytes)
    said = f"Written by validation.tune.proof: {slug(rate)}, placement {placement}, {SIZES}"
    write_text(rules, form.write([found], Target(where.ranks, where.hosts, said)))
    rows = []
    for size in (int(parse_quantity(words, "bytes")) for words in sizes):
        choice = picked(found.ranges, size)
        default = seconds(what_if, where, own(where.ranks, size), size)
        tuned = seconds(what_if, where, choice, size) if choice else default
        rows.append([rate, placement, size, choice.way.says if choice else "",
                     (choice.segment or 0) if choice else "", f"{default:.6g}", f"{tuned:.6g}",
                     f"{1 - tuned / default:.4f}"])
    return rows


def csv_text(columns: list, rows: list) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def predict(campaign: str, folder: pathlib.Path, fits: pathlib.Path):
    what_if = WhatIf(Simulator())
    rows = [row for job in jobs_of(campaign) for row in predict_one(what_if, fits, job)]
    write_text(str(folder / "predicted.csv"), csv_text(COLUMNS, rows))


class Outcome(NamedTuple):
    """One case, predicted and measured; `default` and `tuned` are measurements."""

    predicted: dict
    default: object
    tuned: object

    @property
    def expected(self) -> float:
        return float(self.predicted["gain"])

    @property
    def gain(self) -> float:
        return 1 - self.tuned.median_s / self.default.median_s

    @property
    def slower(self) -> bool:
        """By more than the spread: nine of ten samples without the rules are faster than nine of
        ten with them."""
        return self.tuned.p10_s > self.default.p90_s

    @property
    def foreign(self) -> float:
        return max(one.document.where["foreign_cores"] for one in (self.default, self.tuned))

    @property
    def within(self) -> bool:
        return abs(self.gain - self.expected) <= WITHIN


def outcomes(folder: pathlib.Path) -> list:
    with open(folder / "predicted.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = []
    for row in rows:
        size = format_bytes(int(row["bytes"])).replace(" ", "")
        if int(row["bytes"]) < 2 << 20:
            size = f"{int(row['bytes']) >> 10}KiB"
        name = f"MPI_Allreduce-{row['placement']}-{slug(row['rate'])}-{size}"
        pair = [measurements.read(str(folder / "cases" / f"{name}{label}.json")).measurements[0]
                for label in ("", f"-{LABEL}")]
        found.append(Outcome(row, *pair))
    return found


def line(one: Outcome) -> str:
    row = one.predicted
    rule = row["algorithm"] or "own choice"
    rule += f" {format_bytes(int(row['segment']))}" if row["segment"] not in ("", "0") else ""
    return (f"| {row['rate']} | {row['placement']} | {format_bytes(int(row['bytes']))} | {rule} | "
            f"{format_time(one.default.median_s, 3)} | {format_time(one.tuned.median_s, 3)} | "
            f"{100 * one.gain:.0f} % | {100 * one.expected:.0f} % |")


def summary(found: list) -> list:
    big = [one for one in found if one.expected >= COUNTS]
    ruled = [one for one in found if one.predicted["algorithm"]]
    return [f"slower than the default by more than the spread: {sum(one.slower for one in found)} "
            f"of {len(found)}",
            f"at least {COUNTS:.0%} faster where predicted: "
            f"{sum(one.gain >= COUNTS for one in big)} of {len(big)}",
            f"gain within {100 * WITHIN:.0f} points of the predicted one, where there is a rule: "
            f"{sum(one.within for one in ruled)} of {len(ruled)}; of all: "
            f"{sum(one.within for one in found)} of {len(found)}",
            f"others used up to {max(one.foreign for one in found):.2f} cores"]


def compare(folder: pathlib.Path):
    found = outcomes(folder)
    rows = [[*one.predicted.values(), one.default.median_s, one.tuned.median_s, f"{one.gain:.4f}",
             one.default.p10_s, one.default.p90_s, one.tuned.p10_s, one.tuned.p90_s, one.foreign]
            for one in found]
    write_text(str(folder / "outcomes.csv"), csv_text(COLUMNS + MORE, rows))
    print("| rate | placement | size | rule | without | with | gain | predicted |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join([*map(line, found), "", *summary(found)]))


def main():
    parser = page_parser("validation.tune.proof", __doc__)
    parser.add_argument("words", nargs="+")
    words = parser.parse_args().words
    if words[0] == "predict" and len(words) in (3, 4):
        predict(words[1], pathlib.Path(words[2]), pathlib.Path(words[-1]))
    elif words[0] == "compare" and len(words) == 2:
        compare(pathlib.Path(words[1]))
    else:
        raise InputError(f"expected predict CAMPAIGN FOLDER [FITS] or compare FOLDER, got "
                         f"{' '.join(sys.argv[1:])}")


if __name__ == "__main__":
    run_main(main)
