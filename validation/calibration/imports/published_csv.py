# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables of published numbers, one row a measurement, with a header:

- csv: benchmark,nodes,ranks_per_node,bytes,median_us (osu_bw: median_MBps), of runs least and most;
  benchmarks go by the names of OSU's programs; also hosts, ranks_per_host, min and max
- nccl-csv: hosts,gpus_per_host,bytes,out_of_place_us of nccl-tests; `collective` or --collective
  names the program, `nccl` the version; other columns are parameters of the cases for --only
- rates-csv: collective,algorithm,hosts,ranks_per_host,bytes,busbw_GBps of NCCL; the factor between
  time and bus bandwidth is that of nccl-tests (PERFORMANCE.md)
- overlap-csv: benchmark,library,hosts,ranks,bytes,overall_us,compute_us,pure_us,overlap_percent of
  a non-blocking collective alone and beside a computation; --mpi names one library of several
"""

from collections import namedtuple

from validation.arguments import MOST_RANKS
from validation.calibration.imports import collectives, csv_table, nccl_collective, nccl_tests
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.osu import COLLECTIVES, WINDOW
from validation.calibration.imports.source import Row, Source

OF_OSU = list(dict.fromkeys(COLLECTIVES.values()))
RATED = ("allreduce", "allgather", "reduce_scatter", "alltoall", "broadcast", "reduce")
OVERLAPS = "benchmark,library,hosts,ranks,bytes,overall_us,compute_us,pure_us,overlap_percent"
OF_MACHINE = "environment"
OTHER_NAMES = {"hosts": "nodes", "ranks_per_host": "ranks_per_node", "min_us": "least_us",
               "max_us": "most_us", "min_MBps": "least_MBps", "max_MBps": "most_MBps"}
NCCL = ("hosts", "gpus_per_host", "bytes", "out_of_place_us", "in_place_us", "collective", "nccl")
Format = namedtuple("Format", "NAME MARKS parse")


def marks(*columns: str) -> str:
    return "".join(rf"(?=.*\b{column}\b)" for column in columns) + r"[\w ,]+$"


def counts(source: Source, row: Row, *columns: str) -> list:
    found = []
    for column in columns:
        found.append(source.count(row.line, row.cells[column]))
        if not 1 <= found[-1] <= MOST_RANKS:
            source.fail(row.line, f"a number of 1 to {MOST_RANKS}", str(found[-1]),
                        row.cells[column].column)
    return found


def positive_time(source: Source, row: Row, column: str) -> float:
    return source.positive(row.line, row.cells[column], "time", source.microseconds)


def parse_times(source: Source, _: Given) -> Findings:
    findings = Findings(where=csv_table.where_of(source), of_blocks=True)
    rates = "median_MBps" in csv_table.header_of(source)
    unit = "MBps" if rates else "us"
    known = ["osu_bw"] if rates else ["osu_latency"] + [f"osu_{name}" for name in OF_OSU]
    rows = csv_table.read(source, f"benchmark,nodes,ranks_per_node,bytes,median_{unit}",
                          f"least_{unit},most_{unit},runs,{OF_MACHINE}", OTHER_NAMES)
    for row in rows:
        if (cell := row.cells.get(OF_MACHINE)) and cell.text != rows[0].cells[OF_MACHINE].text:
            source.fail(row.line, f"rows of one {OF_MACHINE}, a file for each", f'"{cell.text}"',
                        cell.column)
        benchmark = source.one_of(row.line, row.cells["benchmark"], known)
        nodes, each = counts(source, row, "nodes", "ranks_per_node")
        size, way = source.size(row), "network" if nodes > 1 else "shm"
        if rates:
            rate = source.positive(row.line, row.cells["median_MBps"], "rate")
            findings.add("probes", "stream", size / (rate * 1e6),
                         {"bytes": size, "way": way, "pairs": 1, "directions": 1, "window": WINDOW})
            continue
        seconds = positive_time(source, row, "median_us")
        extra = {f"{name}_s": source.microseconds(row.line, row.cells[f"{name}_us"])
                 for name in ("least", "most") if f"{name}_us" in row.cells}
        if benchmark == "osu_latency":
            findings.add("probes", "ping_pong", seconds, {"bytes": size, "way": way}, extra)
        else:
            findings.add_collective(benchmark.removeprefix("osu_"), size,
                                    Layout(nodes * each, each), seconds, extra)
    return findings


def parse_nccl(source: Source, given: Given) -> Findings:
    names = csv_table.header_of(source)
    others = [name for name in names if name not in NCCL]
    rows = csv_table.read(source, ",".join(NCCL[:4]), ",".join((*NCCL[4:], *others)))
    if not given.collective and "collective" not in names:
        source.fail(1, "a column 'collective', or --collective NAME", "neither")
    version = max((row.cells["nccl"].text for row in rows if "nccl" in row.cells), default="")
    findings, most = Findings(where=csv_table.where_of(source) | {
        "mpi": f"NCCL {version}".strip()}), 0
    for row in rows:
        told = given.collective or row.cells["collective"].text
        if not collectives.named(told):
            source.fail(row.line, f"a collective ({', '.join(collectives.SIMULATED)})",
                        f'"{told}"', row.cells["collective"].column)
        hosts, each = counts(source, row, *NCCL[:2])
        more = {name: row.cells[name].text for name in others if not name.endswith("_GBps")}
        for place in nccl_tests.PLACES:
            cell = row.cells.get(place.replace(" ", "_") + "_us")
            if cell and cell.text and source.number(row.line, cell) > 0:
                findings.add_collective(
                    collectives.named(told), source.size(row), Layout(hosts * each, each),
                    source.microseconds(row.line, cell), **more, buffers=place)
        most = max(most, hosts * each)
    findings.where["devices"] = ["GPU"] * most
    return findings


def parse_rates(source: Source, _: Given) -> Findings:
    findings = Findings(where={"mpi": "NCCL"} | csv_table.where_of(source))
    for row in csv_table.read(source, "collective,algorithm,hosts,ranks_per_host,bytes,busbw_GBps"):
        name = source.one_of(row.line, row.cells["collective"], RATED)
        hosts, each = counts(source, row, "hosts", "ranks_per_host")
        ranks, size = hosts * each, source.size(row)
        if not 2 <= ranks <= MOST_RANKS:
            source.fail(row.line, f"2 to {MOST_RANKS} ranks", str(ranks))
        rate = source.number(row.line, row.cells["busbw_GBps"]) * 1e9
        if rate <= 0 or size == 0:
            source.fail(row.line, "a size and a bandwidth above 0", "0")
        factor = nccl_collective.SIMULATED[name].factor(ranks)
        algorithm = source.one_of(row.line, row.cells["algorithm"], ("auto", "ring", "tree"))
        forced = {} if algorithm == "auto" else {"forced": algorithm}
        findings.add_collective(name, size, Layout(ranks, each), factor * size / rate, {
            "options": {"algorithm": algorithm}} if forced else {}, **forced)
    return findings


def parse_overlaps(source: Source, given: Given) -> Findings:
    rows, mpi = csv_table.read(source, OVERLAPS), given.where.get("mpi", "")
    libraries = list(dict.fromkeys(row.cells["library"].text for row in rows))
    mpi = mpi or (libraries[0] if len(libraries) == 1 else "")
    if mpi not in libraries:
        source.fail(rows[0].line, f"one library, or --mpi with one of {', '.join(libraries)}",
                    f'"{mpi}"' if mpi else f"{len(libraries)}", rows[0].cells["library"].column)
    findings = Findings(where=csv_table.where_of(source) | {"mpi": mpi}, of_blocks=True)
    for row in (row for row in rows if row.cells["library"].text == mpi):
        what = source.one_of(row.line, row.cells["benchmark"], [f"osu_i{name}" for name in OF_OSU])
        hosts, ranks = counts(source, row, "hosts", "ranks")
        findings.add_overlapped(what.removeprefix("osu_i"), source.size(row),
                                Layout(ranks, -(-ranks // hosts)),
                                *(positive_time(source, row, column) for column in
                                  ("overall_us", "compute_us", "pure_us")))
    return findings


TIMES = Format("csv", marks("benchmark", r"median_\w+"), parse_times)
OF_NCCL = Format("nccl-csv", marks("gpus_per_host", "out_of_place_us"), parse_nccl)
RATES = Format("rates-csv", marks("collective", "busbw_GBps"), parse_rates)
BESIDE = Format("overlap-csv", marks("overall_us", "pure_us"), parse_overlaps)
