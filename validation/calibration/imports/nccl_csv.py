# SPDX-License-Identifier: LGPL-2.1-or-later
"""A table of nccl-tests' times: hosts,gpus_per_host,bytes,out_of_place_us, and in_place_us.

`collective` (or --collective) names the program, `nccl` the version. Bandwidths are not read. Other
columns are parameters of the cases, by which --only chooses.
"""

from validation.calibration.imports import collectives, csv_table
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.nccl_tests import PLACES
from validation.calibration.imports.source import Source
from validation.calibration.imports.table_csv import positive_count

NAME = "nccl-csv"
MARKS = r"(?=.*\bgpus_per_host\b)(?=.*\bout_of_place_us\b)[\w ,]+$"
WANTED = ("hosts", "gpus_per_host", "bytes", "out_of_place_us")
KNOWN = WANTED + ("in_place_us", "collective", "nccl")
UNREAD = "_GBps"


def parse(source: Source, given: Given) -> Findings:
    names = csv_table.header_of(source)
    others = [name for name in names if name not in KNOWN]
    rows = csv_table.read(source, ",".join(WANTED), ",".join((*KNOWN[4:], *others)))
    if not given.collective and "collective" not in names:
        source.fail(1, "a column 'collective', or --collective NAME", "neither")
    versions = sorted({row.cells["nccl"].text for row in rows if "nccl" in row.cells})
    findings = Findings(where=csv_table.where_of(source) | {"mpi": f"NCCL {versions[-1]}"
                                                            if versions else "NCCL"})
    for row in rows:
        told = given.collective or row.cells["collective"].text
        if not collectives.named(told):
            source.fail(row.line, f"a collective ({', '.join(collectives.SIMULATED)})",
                        f'"{told}"', row.cells["collective"].column)
        hosts, each = (positive_count(source, row, name) for name in WANTED[:2])
        more = {name: row.cells[name].text for name in others if not name.endswith(UNREAD)}
        for place in PLACES:
            cell = row.cells.get(place.replace(" ", "_") + "_us")
            if cell and cell.text and source.number(row.line, cell) > 0:
                findings.add_collective(
                    collectives.named(told), source.size(row), Layout(hosts * each, each),
                    source.microseconds(row.line, cell), **more, buffers=place)
        findings.where["devices"] = ["GPU"] * max(hosts * each, len(findings.where.get(
            "devices", ())))
    return findings.checked(source, "nccl-tests")
