# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inputs in true forms, composed or written by hand in `inputs`, with what must come out."""

import json
import pathlib
import re
import shlex
from typing import NamedTuple

from common.programs import InputError
from validation.calibration import imports
from validation.calibration.imports import collectives
from validation.calibration.imports.findings import Given, documents_of
from validation.calibration.imports.source import Source
from validation.calibration.imports.testing import forms
from validation.calibration.imports.testing.dressings import DRESSINGS, without_hashes, wrapped
from validation.calibration.imports.testing.forms import Row

INPUTS = pathlib.Path(__file__).parent / "inputs"


class Case(NamedTuple):
    """`rows`: those of forms.Row, in any order; or `refused`, words of the error's first line."""

    name: str
    text: str
    rows: list
    refused: str = ""
    given: dict = {}
    notes: tuple = ()


NODES = "$ srun -N2 --ntasks-per-node=4 ./benchmark\n"


def bases() -> dict:
    """Programs, each with what it prints: a form that any launcher may print."""
    plain = {f"nccl_{name}": forms.nccl(name) for name in forms.FACTORS}
    plain |= {
        "nccl_one_host": forms.nccl(hosts=1, each=8), "nccl_3_hosts": forms.nccl(hosts=3, each=2),
        "nccl_2_13": forms.nccl(version=""), "nccl_stamps": forms.nccl(stamps=True),
        "rccl": forms.nccl("all_reduce", 1, 8, gpu="AMD Instinct MI300X"),
        "imb": forms.imb(), "p2p": forms.p2p(), "nvbandwidth": forms.nvbandwidth(),
        "transferbench": forms.transferbench(), "transferbench_bars": forms.transferbench("\u2502"),
        "osu_bw": forms.osu_bandwidth(),
        "osu_bibw": forms.osu_bandwidth("Bi-Directional Bandwidth", 2)}
    for version in ("v5.8", "v7.5"):
        plain |= {f"osu_latency_{version}": forms.osu_latency(version, version > "v7")}
    for test, what in (("Allreduce", "allreduce"), ("Broadcast", "broadcast"),
                       ("All-to-All Personalized Exchange", "alltoall")):
        for full, tails in ((False, False), (True, False), (True, True)):
            plain[f"osu_{what}_{full + tails}"] = forms.osu_collective(test, what, 8, 2, full=full,
                                                                       tails=tails)
    return {name: form._replace(text=(NODES if name[:3] in ("osu", "imb") else "") + form.text)
            for name, form in plain.items()}


def composed() -> list:
    """Each program as each launcher labels it (the odd ones: some of them), and several joined."""
    cases, found = [], bases()
    first = ("nccl_all_reduce", "nccl_alltoall", "nccl_2_13", "osu_allreduce_2", "osu_latency_v7.5",
             "imb")
    for name, form in found.items():
        for number, (dressing, change) in enumerate(DRESSINGS.items()):
            if name in first or dressing == "plain" or (number + len(name)) % 9 == 0:
                if name[:3] not in ("nvb", "p2p", "tra") or dressing in (
                        "plain", "page", "carriage", "coloured", "terminal", "byte_order_mark",
                        "ansible"):
                    cases.append(Case(f"{name}:{dressing}", change(form.text), form.rows))
    for name in ("nccl_all_reduce", "nccl_alltoall", "osu_allreduce_0"):
        cases.append(Case(f"{name}:no_hashes", without_hashes(found[name].text), found[name].rows))
    for width in (64, 80, 100):
        for name, form in (("nccl", found["nccl_all_reduce"]), ("p2p", forms.p2p(16)),
                           ("nvbandwidth", forms.nvbandwidth(8))):
            cases.append(Case(f"{name}:{width}_columns", wrapped(width)(form.text), form.rows))
        for name in ("osu_allreduce_1", "osu_allreduce_2", "osu_bw", "imb"):
            cases.append(Case(f"{name}:{width}_columns", wrapped(width)(found[name].text),
                              found[name].rows))
        for name in ("nccl_all_reduce", "nccl_alltoall", "osu_allreduce_1", "imb"):
            cases.append(Case(f"{name}:srun_{width}_columns", wrapped(width)(
                DRESSINGS["srun"](found[name].text)), found[name].rows))
    cases.append(Case("nccl:quoted_76_columns", DRESSINGS["quoted"](wrapped(76)(
        found["nccl_all_reduce"].text)), found["nccl_all_reduce"].rows))
    for names in (("nccl_all_reduce", "p2p"), ("p2p", "nccl_all_gather"), ("imb", "osu_bw"),
                  ("nccl_reduce_scatter", "nccl_alltoall", "nccl_all_reduce"),
                  ("osu_allreduce_0", "osu_broadcast_0", "osu_alltoall_1"),
                  ("nvbandwidth", "nccl_one_host"), ("nccl_3_hosts", "nccl_sendrecv")):
        for dressing in ("plain", "page"):
            cases.append(Case(f"{'+'.join(names)}:{dressing}", DRESSINGS[dressing](
                "\n".join(found[name].text for name in names)),
                [row for name in names for row in found[name].rows]))
    return cases


def streams() -> list:
    """Two runs whose lines alternate, each with its label, are two runs."""
    one, two = forms.nccl("all_reduce", 1, 4), forms.nccl("all_gather", 1, 8)
    lines = [f"{label}{line}" for pair in zip(one.text.splitlines(), two.text.splitlines())
             for label, line in zip(("[1,0]<stdout>:", "[1,1]<stdout>:"), pair)]
    longer = max(one.text.splitlines(), two.text.splitlines(), key=len)
    short = min(len(one.text.splitlines()), len(two.text.splitlines()))
    lines += [f"[1,1]<stdout>:{line}" for line in longer[short:]]
    mixed = "\n".join(lines) + "\n"
    plain = "\n".join(line for pair in zip(one.text.splitlines(), two.text.splitlines())
                      for line in pair) + "\n"
    return [Case("interleaved:labels", mixed, one.rows + two.rows),
            Case("interleaved:plain", plain, [], "two runs printed into this log")]


def others() -> list:
    rows = forms.nccl_rows("all_reduce", 2, 4)
    halves = {"nodes": 2, "ranks_per_node": 4}
    types = [forms.nccl_rows("all_reduce", 1, 4, kind=kind, redop=redop, times=times)
             for kind, redop, times in (("float", "sum", 1), ("half", "sum", 1.1),
                                        ("float", "max", 1.2))]
    head = forms.devices(1, 4) + forms.header()
    named = [line for line in forms.nccl().text.splitlines(keepends=True)]
    table = forms.header() + rows.text + forms.END
    mpirun = "mpirun -np 8 -N 4 ./build/all_reduce_perf -b 8 -e 256M -f 2 -g 1 -n 20\n"
    return [
        Case("nccl:rows_alone", rows.text, rows.rows, given={**halves, "collective": "allreduce"}),
        Case("nccl:rows_alone_unknown", rows.text, [], "--nodes N"),
        Case("nccl:no_devices", table, [], "--nodes N"),
        Case("nccl:command_for_devices", mpirun + table, rows.rows),
        Case("nccl:srun_for_devices", "srun -N 2 -n 8 all_reduce_perf -n 20\n" + table, rows.rows),
        Case("nccl:sbatch_for_devices", "#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n" + table,
             rows.rows),
        Case("nccl:info_for_devices", "node0:1:1 [0] NCCL INFO comm 0x5 rank 0 nRanks 8 nNodes 2 "
             "localRanks 4 localRank 0 MNNVL 0\n" + table, rows.rows),
        Case("nccl:wrong_options", table, [], "expected 8 ranks, as the ratio of busbw",
             {"nodes": 2, "ranks_per_node": 8}),
        Case("nccl:several_types", head + "".join(one.text for one in types) + forms.END,
             [row for one in types for row in one.rows]),
        Case("nccl:name_of_another_run", "# Collective test concluded: reduce_perf\n" +
             forms.nccl(version="").text, forms.nccl().rows),
        Case("nccl:died", "".join(named[:13]) + "node0: Test NCCL failure common.cu:1005 'unhandled"
             " system error'\nsrun: error: node0: task 0: Exited with exit code 3\n", [],
             "none: the run ended before it"),
        Case("nccl:json", *forms.nccl_json()), Case("nccl:json_iterations", *forms.nccl_json(
            iterations=True)), Case("nccl:json_and_text", "cat out.json\n" + forms.nccl_json().text
                                    + "done\n", forms.nccl_json().rows),
        Case("nccl:json_cut", forms.nccl_json().text[:-300], [], "expected JSON"),
        Case("inspector", *forms.inspector()), Case("inspector:comment", "// two hosts\n" +
                                                    forms.inspector(2, 2).text,
                                                    forms.inspector(2, 2).rows),
        Case("nvbandwidth:json", *forms.nvbandwidth_json()),
        *rccl_files(),
        Case("osu:no_nodes", forms.osu_collective("Allreduce", "allreduce", 8, 2).text, [],
             "--nodes N"),
        Case("osu:put", "# OSU MPI_Put Latency Test v5.8\n# Window creation: MPI_Win_allocate\n"
             "# Size          Latency (us)\n8 1.50\n", [], "'MPI_Put' is no test"),
        Case("osu:device_buffers", forms.osu_latency().text.replace("MPI ", "MPI-CUDA "), [],
             "its buffers are in GPU memory"),
        Case("markdown_table", bars(table), rows.rows, given=halves),
    ] + streams()


def rccl_files() -> list:
    """The files of rccl-tests, which lack hosts unless one process ran."""
    two = {"nodes": 2}
    cases = [Case(f"rccl_file:{how}", *forms.rccl_file(how=how), given=two)
             for how in ("csv", "csv_old", "json", "json_lines")]
    scattered = forms.rccl_file("ReduceScatter", "reduce_scatter", how="csv_old", piece=True)
    gathered = forms.rccl_file("AllGather", "allgather", 1, 8, "csv_alone")
    both = forms.rccl_file()
    half = both.text.splitlines(keepends=True)
    return cases + [
        Case("rccl_file:piece_of_a_rank", *scattered, given=two),
        Case("rccl_file:one_process", *gathered),
        Case("rccl_file:in_a_log", "$ srun -N 2 -n 8 ./all_reduce_perf -Z csv -x /dev/stdout\n" +
             both.text + "done\n", both.rows),
        Case("rccl_file:two_collectives", both.text + scattered.text, both.rows + scattered.rows,
             given=two),
        Case("rccl_file:no_hosts", both.text, [], "expected --nodes N or --ranks-per-node N"),
        Case("rccl_file:cut", both.text[:-30], [], "expected 14 cells", two),
        Case("rccl_file:another_table", "".join(half[:3]).replace(",8,8,1,", ",16,16,1,"), [],
             "expected a busBw of 16 ranks", two)]


def bars(table: str) -> str:
    """A table of nccl-tests as one of Markdown."""
    return "".join("| " + " | ".join(line.replace("#", " ").split()) + " |\n"
                   for line in table.splitlines()[2:-3])


def by_hand() -> list:
    """Files whose first lines are "#@ options: ...", "#@ row: WHAT RANKS HOSTS BYTES MICROSECONDS",
    "#@ refused: words" or "#@ form: what it is a form of"."""
    cases = []
    for path in sorted(INPUTS.iterdir()):
        text = path.read_text(encoding="utf-8")
        said = re.findall(r"^#@ (\w+): (.*)$", text, re.MULTILINE)
        words = [word for key, value in said if key == "options" for word in shlex.split(value)]
        given = {word[2:].replace("-", "_"): int(value) if value.isdecimal() else value
                 for word, value in zip(words[::2], words[1::2])}
        rows = [value.split() for key, value in said if key == "row"]
        cases.append(Case(path.name, re.sub(r"^#@.*\n", "", text, flags=re.MULTILINE), [
            Row(row[0], *map(int, row[1:4]), float(row[4]) * 1e-6) for row in rows],
            next((value for key, value in said if key == "refused"), ""), given))
    return cases


def all_cases() -> list:
    return composed() + others() + by_hand()


def read(text: str, given: dict) -> list:
    """Points of all formats in it, before equal cases become samples. Raises InputError."""
    found = imports.parse(Source("x.log", text), Given(**given))
    documents_of(found, Given(**given))
    return [point for one in found for _, point, _ in one.points]


def row_of(point) -> Row:
    given = point.parameters
    return Row(collectives.named(point.what) or point.what, given.get("ranks_count", 0),
               given.get("hosts_count", 0), given.get("bytes", -1), point.median_s)


def shown(rows: list) -> str:
    """To compare: times to nine digits."""
    return json.dumps(sorted([*row[:4], f"{row.seconds:.8e}"] for row in rows))
