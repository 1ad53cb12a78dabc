# SPDX-License-Identifier: LGPL-2.1-or-later
"""Say in which part of the simulator the time of some rows of the table goes, by perf.

    benchmarks/profile ring_tcp ring_shared

Needs a build with the benchmarks, and perf (Debian's linux-perf). What the compiler inlined counts
for whom it was inlined into.
"""

import pathlib
import re
import subprocess
import tempfile

from benchmarks.rows import ROWS, Row
from common.programs import InputError, page_parser, run_main
from validation.arguments import parsed
from validation.yaml_files import tables_of

HERE = pathlib.Path(__file__).resolve().parent

PARTS = tables_of(__file__)


def shares(row: Row, build: pathlib.Path) -> dict:
    """Percent of the samples of one run, by part."""
    with tempfile.TemporaryDirectory() as folder:
        data = str(pathlib.Path(folder, "perf.data"))
        record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-o", data,
                  str(build / row.program), *row.arguments(False)]
        report = ["perf", "report", "-i", data, "--stdio", "--no-children", "-g", "none",
                  "-F", "overhead,sym", "-w", "8,400"]
        try:
            subprocess.run(record, check=True, capture_output=True, cwd=HERE.parent)
            text = subprocess.run(report, check=True, capture_output=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise InputError(f"{row.name}: cannot be profiled: {error}") from None
    sums = {}
    for line in text.splitlines():
        match = re.match(r"\s*([\d.]+)%\s+\[([.k])\]\s+(.*)", line)
        if match:
            share, mode, symbol = match.groups()
            part = "operating system" if mode == "k" else next(
                (name for name, pattern in PARTS.items() if re.search(pattern, symbol)), "the rest")
            sums[part] = sums.get(part, 0) + float(share)
    return sums


def main():
    options = parsed(page_parser("profile", __doc__), "benchmarks profile",
                     build=HERE.parent / "build")
    known = {row.name: row for row in ROWS if row.what != "smpi"}
    for name in options.rows:
        if name not in known:
            raise InputError(f"unknown row '{name}' (known: {', '.join(known)})")
    columns = {name: shares(known[name], options.build) for name in options.rows}
    print("| part | " + " | ".join(columns) + " |\n|---|" + "--:|" * len(columns))
    for part in (*PARTS, "operating system", "the rest"):
        cells = [f"{column.get(part, 0):.0f} %" for column in columns.values()]
        print(f"| {part} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    run_main(main)
