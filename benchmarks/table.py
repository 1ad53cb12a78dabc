# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measure the speed and the memory of the simulator, each row in a process of its own.

    benchmarks/table                     all rows, as a table
    benchmarks/table ring two_level      those whose names begin so
    benchmarks/table --write             and put the table into benchmarks/README.md
    benchmarks/table --json speed.json   the figures for programs
    benchmarks/table --quick             small rows that say whether the programs work, not how fast

Needs a build (scripts/test, or cmake) with the benchmarks; the rows of SMPI also SimGrid's smpicxx.
"""

import contextlib
import json
import math
import os
import pathlib
import platform
import subprocess
import time

from benchmarks import smpi
from benchmarks.rows import ROWS, Row
from common.programs import InputError, between_marks, page_parser, run_main, write_text
from validation.arguments import parsed
from validation.progress import watched

HERE = pathlib.Path(__file__).resolve().parent

BEGIN, END = "<!-- speed: begin -->\n", "<!-- speed: end -->\n"
COLUMNS = ("row", "messages", "CPU s", "messages/s", "MB", "target", "comparison")


def measured(row: Row, options) -> dict:
    """Figures of one run of the row; {} where its program is not there."""
    if row.what == "smpi":
        return smpi.measured(options.build / "smpi_ring", row.ranks(options.quick))
    command = [str(options.build / row.program), *row.arguments(options.quick)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              cwd=HERE.parent, timeout=options.limit)
    except subprocess.TimeoutExpired:
        return {"stopped_s": options.limit}
    except OSError as error:
        raise InputError(f"{command[0]}: cannot be run: {error.strerror}; build it first, or name "
                         "the build with --build") from None
    if done.returncode != 0:
        raise InputError(f"{row.name}: {' '.join(command)}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def best(row: Row, options) -> dict:
    """The quickest of several runs: what others do on the machine only adds time."""
    runs = [measured(row, options) for _ in range(row.runs(options.quick))]
    return min(runs, key=lambda run: run.get("cpu_s", math.inf))


def cells(row: Row, figures: dict, judgement: str) -> tuple:
    if "cpu_s" not in figures:
        return (row.text, "-", "-", "-", "-", row.target, judgement)
    messages, seconds = figures["messages"], figures["cpu_s"]
    return (row.text, f"{messages:,}", f"{seconds:.2f}", f"{messages / seconds:,.0f}",
            f"{figures['peak_bytes'] / 1e6:.0f}", row.target, judgement)


def table(rows: list, results: dict) -> str:
    lines = ["| " + " | ".join(COLUMNS).rstrip() + " |", "|---|--:|--:|--:|--:|---|---|"]
    for row in rows:
        row_cells = cells(row, results[row.name], row.judge(results))
        lines.append("| " + " | ".join(row_cells).rstrip() + " |")
    return "\n".join(lines) + "\n"


def processor() -> str:
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def note(started: float) -> str:
    day = time.strftime("%Y-%m-%d", time.gmtime(started))
    return (f"\nMeasured {day} on one core of: {processor()}, {os.cpu_count()} cores, "
            f"load {os.getloadavg()[0]:.1f} at the end of the run.\n")


def chosen(names: list) -> list:
    rows = [row for row in ROWS if not names or any(row.name.startswith(n) for n in names)]
    if not rows:
        known = ", ".join(row.name for row in ROWS)
        raise InputError(f"no row begins with {' or '.join(names)} (known: {known})")
    return rows


def main():
    options = parsed(page_parser("table", __doc__), "benchmarks table", build=HERE.parent / "build")
    if options.write and (options.rows or options.quick):
        raise InputError("--write takes the whole table: omit rows and --quick")
    started, rows = time.time(), chosen(options.rows)
    results = {row.name: best(row, options) for row in watched(rows, "measuring")}
    if options.json:
        write_text(options.json, json.dumps(results, indent=2) + "\n")
    if options.json != "-":
        print(table(rows, results), end="")
    if options.write:
        readme = HERE / "README.md"
        text = readme.read_text(encoding="utf-8")
        write_text(str(readme), between_marks(
            text, BEGIN, END, table(rows, results) + note(started), readme))
    return 0


if __name__ == "__main__":
    run_main(main)
