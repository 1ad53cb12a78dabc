# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is the first measurement of three placements in order and inside the intervals that were kept?

Usage: python3 -m validation.tables.placements_test BUILD [--write]

Needs no lab: validation/lab/placements_test measures. --write writes the table of
validation/results/README.md.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from common.programs import between_marks, write_text
from validation import measurements
from validation.lab import placements_test as lab

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "validation" / "results" / "README.md"
BEGIN, END = "<!-- placements: begin -->\n", "<!-- placements: end -->\n"
SAME = 0.02  # what a later simulator may change


def documents() -> dict:
    return {case["name"]: [measurements.read(str(path)) for path in
                           sorted(lab.RESULTS.glob(f"{case['name']}.[0-9]*.json"))]
            for case in lab.read_question()["cases"]}


def measured() -> dict:
    return {name: lab.seconds_of(some) for name, some in documents().items()}


def table() -> str:
    first, *_ = found = measured()
    lines = ["| placement | hosts of ranks 0 to 7 | measured | predicted | ratio to "
             f"`{first}`, measured | predicted, 90 % interval |", "|---|---|--:|--:|--:|--:|"]
    for case in lab.read_question()["cases"]:
        name, one = case["name"], lab.predicted()[case["name"]]
        ratios = ("", "") if name == first else (
            f"{found[name] / found[first]:.3f}",
            f"{one['ratio']:.3f} ({one['ratio_low']:.3f} to {one['ratio_high']:.3f})")
        cells = [f"`{name}`", lab.hosts_of(case).replace(",", " "), f"{1e3 * found[name]:.1f} ms",
                 f"{1e3 * one['time_s']:.1f} ms", *ratios]
        lines.append("| " + " | ".join(cell or "-" for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def page() -> str:
    return between_marks(README.read_text(encoding="utf-8"), BEGIN, END, table(), README)


class KeptPlacements(unittest.TestCase):
    build = None

    def test_first_measurement_is_in_order_and_inside_the_intervals(self):
        self.assertEqual(lab.wrong(measured()), "")

    def test_each_placement_was_launched_as_often_on_its_hosts(self):
        for case in lab.read_question()["cases"]:
            some = documents()[case["name"]]
            self.assertEqual(len(some), lab.LAUNCHES)
            for document in some:
                self.assertEqual(document.where["hosts"], [
                    f"host{host}" for host in lab.hosts_of(case).split(",")])

    def test_page_has_the_table(self):
        self.assertEqual(README.read_text(encoding="utf-8"), page(),
                         "run python3 -m validation.tables.placements_test BUILD --write")

    def test_times_are_predicted_as_before_the_measurement(self):
        fit = lab.RESULTS / "fit.yaml"
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "now.json"
            subprocess.run([self.build / "ringscope", "run", lab.ASKED, "--set", f"cluster={fit}",
                            "--set", "cluster.hosts=4", "--set", f"library={fit}", "--json",
                            output], check=True, stdout=subprocess.DEVNULL)
            now = json.loads(output.read_text(encoding="utf-8"))["cases"]
        for one, kept in zip(now, lab.predicted().values(), strict=True):
            self.assertAlmostEqual(one["time_s"] / kept["time_s"], 1, delta=SAME)


if __name__ == "__main__":
    if sys.argv[2:] == ["--write"]:
        write_text(str(README), page())
    else:
        KeptPlacements.build = pathlib.Path(sys.argv[1]).resolve()
        unittest.main(argv=sys.argv[:1])
