# SPDX-License-Identifier: LGPL-2.1-or-later
"""Published machines on which NCCL was timed, and their rows: published/nccl/machines.md."""

import pathlib
from typing import NamedTuple

import numpy as np

from common.programs import InputError
from validation import PUBLISHED
from validation.calibration.imports import collectives
from validation.calibration.nccl.rows import EVERY, Row, runs_of
from validation.csv_files import rows_of
from validation.yaml_files import read_yaml

LEAST = 8  # bytes
OUTLIER = 2  # a first row that took so many times the second one's time is not taken


class Machine(NamedTuple):
    """`files`: (reader, path below the data's folder, keywords of the reader)."""
    name: str
    cluster: str
    generation: str
    files: tuple
    nccl: str
    harness: str = "nccl-tests"

    def rows(self, folders: list) -> list:
        """Rows of the files that are there."""
        files = ((read, find(folders, path), keywords) for read, path, keywords in self.files)
        return [row for read, file, keywords in files if file for row in read(file, **keywords)]


def find(folders: list, path: str):
    """The file in the first folder that has it, under its own name or the path's; else None."""
    places = (folder / one for folder in folders for one in (path, pathlib.Path(path).name))
    return next(filter(pathlib.Path.is_file, places), None)


def without_first_outlier(rows: list) -> list:
    if len(rows) > 1 and rows[0].seconds > OUTLIER * rows[1].seconds:
        return rows[1:]
    return rows


def log(path: pathlib.Path, ranks: int, hosts: int = 1, collective: str = "") -> list:
    """Rows of nccl-tests' text, out of place; `collective`: where no line names it."""
    runs = ([row for row in run if row.size >= LEAST]
            for run in runs_of(path, ranks, hosts, collective))
    return [row for run in runs for row in without_first_outlier(run)]


def auto_curve(path: pathlib.Path, ranks: int) -> list:
    rows = rows_of(path)[::EVERY]
    return [Row(ranks, int(row["bytes"]), 1e-6 * float(row["median_us"])) for row in rows]


def in_columns(path: pathlib.Path, **only: str) -> list:
    """Rows of a table of times that has a row for each size; `only` those with such cells."""
    curves = {}
    for row in rows_of(path):
        if any(row[key] != value for key, value in only.items()):
            continue
        of_hosts = int(row.get("hosts", 1))
        count = int(row.get("gpus") or of_hosts * int(row["gpus_per_host"]))
        collective = collectives.named(row.get("collective", "all_reduce"))
        micros = float(row.get("out_of_place_us") or row["us"])
        curves.setdefault((count, of_hosts, collective), []).append(
            Row(count, int(row["bytes"]), 1e-6 * micros, collective=collective, hosts=of_hosts))
    return [row for curve in curves.values() for row in without_first_outlier(curve)]


def aiconfigurator(path: pathlib.Path, system: str, version: str) -> list:
    """The sizes are elements of two bytes."""
    return [Row(int(line["gpus"]), 2 * int(size), 1e-6 * float(micros),
                collective=collectives.named(line["operation"]))
            for line in rows_of(path) if (line["system"], line["version"]) == (system, version)
            for size, micros in line.items() if size.isdigit() and micros]


READERS = {one.__name__: one for one in (log, auto_curve, in_columns, aiconfigurator)}


def machine_of(entry: dict) -> Machine:
    files = tuple((READERS[one.pop("read")], one.pop("path"), one) for one in entry.pop("files"))
    return Machine(**entry, files=files)


MACHINES = tuple(map(machine_of, read_yaml(pathlib.Path(__file__).with_suffix(".yaml"))))


def rows_by_machine(folders: list) -> dict:
    """{name: rows}, of machines with any."""
    found = {machine.name: machine.rows(folders) for machine in MACHINES}
    found = {name: rows for name, rows in found.items() if rows}
    if not found:
        raise InputError(f"no published times are in {', '.join(map(str, folders))}")
    return found


def folders_of(more: str) -> list:
    return [PUBLISHED / "nccl", *([pathlib.Path(more)] if more else [])]


def summary(found) -> str:
    size = np.abs(found)
    return (f"{len(found):4d} {np.exp(np.median(size)) - 1:6.1%} "
            f"{np.exp(np.quantile(size, 0.9)) - 1:6.1%}")


def report(title: str, by_machine: dict, rows_of: dict):
    large = {name: np.array([e for e, row in zip(found, rows_of[name]) if row.size > 64 << 20])
             for name, found in by_machine.items()}
    print(f"{title}: rows, median, 90 %; above 64 MiB")
    for name, found in by_machine.items():
        print(f"  {name:10s} {summary(found)} {np.median(found):+.2f}  "
              + (summary(large[name]) if len(large[name]) else ""))
    print(f"  {'all':10s} {summary(np.concatenate(list(by_machine.values())))}        "
          f"{summary(np.concatenate(list(large.values())))}", flush=True)
