# SPDX-License-Identifier: LGPL-2.1-or-later
"""Output of benchmarks in the forms of their sources, with times of a formula.

nccl-tests: src/util.cu (2.17, JSON 3), src/common.cu (2.13); OSU: osu_util_mpi.c 5.8 to 7.5; IMB:
src_cpp 2019 to 2021; p2pBandwidthLatencyTest of CUDA samples 12; nvbandwidth 0.8, output.cpp and
json_output.cpp; TransferBench 1.6x, Client.cpp; NCCL Inspector v4.0, its README.
"""

import json
from typing import NamedTuple

SIZES = (8, 4096, 1 << 20, 1 << 28)
FACTORS = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1, "alltoall": 1, "broadcast": 0,
           "reduce": 0, "sendrecv": 0}
NAMES = {"all_reduce": "allreduce", "all_gather": "allgather"}
# sendrecv prints an operation, though it has none.
REDUCES, ROOTED = ("all_reduce", "reduce_scatter", "reduce", "sendrecv"), ("broadcast", "reduce")


class Row(NamedTuple):
    what: str
    ranks: int  # 0 of probes
    hosts: int
    bytes: int
    seconds: float


class Form(NamedTuple):
    text: str
    rows: list


def microseconds(size: int, latency: float = 20.0, rate: float = 50e9) -> float:
    return latency + 1e6 * size / rate


def printed(value: float, width: int) -> str:
    """getFloatStr of nccl-tests."""
    for digits, limit in ((2, width - 2), (1, width - 1), (0, width)):
        if len(str(int(value))) < limit + (digits == 0):
            return f"{value:{width}.{digits}f}"
    return f"{value:{width}.1e}"


def half(size: int, ranks: int, factor: int, micros: float, wrong: str = "0") -> tuple:
    """(text, seconds) of the half of a row."""
    time = printed(micros, 7)
    algbw = size / float(time) / 1e3
    busbw = algbw * factor * (ranks - 1) / ranks if factor else algbw
    return f"  {time}  {printed(algbw, 6)}  {printed(busbw, 6)}  {wrong:>6}", float(time) * 1e-6


def devices(hosts: int, each: int, name: str = "NVIDIA H100 80GB HBM3") -> str:
    return "".join(f"#  Rank {rank:2} Group  0 Pid {2000 + rank:6} on {f'node{rank // each}':>10} "
                   f"device {rank % each:2} [0000:{rank % each + 16:02x}:00] {name}\n"
                   for rank in range(hosts * each))


def header(time: str = "time", stamps: bool = False) -> str:
    first = f"#\n# {'':10}  {'':12}  {'':8}  {'':6}  {'':6}           out-of-place" \
        "                       in-place          \n"
    lines = [("size", "count", "type", "redop", "root", *(time, "algbw", "busbw", "#wrong") * 2),
             ("(B)", "(elements)", "", "", "", *("(us)", "(GB/s)", "(GB/s)", "") * 2)]
    ends = (["           timestamp", " %Y-%m-%d %H:%M:%S"] if stamps else ["", ""])
    for cells, end in zip(lines, ends):
        widths = (10, 12, 8, 6, 6, 7, 6, 6, 6, 7, 6, 6, 6)
        first += "# " + "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths)) + \
            f" {end}\n"
    return first


def nccl_rows(name: str, hosts: int, each: int, sizes=SIZES, kind: str = "float", redop: str = "",
              times: float = 1.0, stamps: bool = False) -> Form:
    text, rows, ranks = "", [], hosts * each
    redop = redop or ("sum" if name in REDUCES else "none")
    for size in sizes:
        text += f"{size:12}  {size // 4:12}  {kind:>8}  {redop:>6}  {0 if name in ROOTED else -1:6}"
        for place in (1.0, 0.97):
            wrong = "N/A" if name in ("alltoall", "sendrecv") and place != 1 else "0"
            one, seconds = half(size, ranks, FACTORS[name], microseconds(size) * place * times,
                                wrong)
            text += one
            rows.append(Row(NAMES.get(name, name), ranks, hosts, size, seconds))
        text += ("  2026-01-05 10:11:12" if stamps else "") + "\n"
    return Form(text, rows)


END = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 12.5 \n#\n"


def nccl(name: str = "all_reduce", hosts: int = 2, each: int = 4, version: str = "2.17.6",
         gpu: str = "NVIDIA H100 80GB HBM3", stamps: bool = False, **how) -> Form:
    """A whole run. Without `version` as printed before 2.16, without the program's name."""
    rows = nccl_rows(name, hosts, each, stamps=stamps, **how)
    head = f"# nccl-tests version {version} nccl-headers=22807 nccl-library=22807\n" \
        f"# Collective test starting: {name}_perf\n" if version else ""
    tail = f"# Collective test concluded: {name}_perf\n" if version else ""
    return Form(head + "# nThread 1 nGpus 1 minBytes 8 maxBytes 268435456 step: 2(factor) warmup "
                "iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n" +
                devices(hosts, each, gpu) + header(stamps=stamps) + rows.text + END + tail,
                rows.rows)


def nccl_json(name: str = "all_reduce", hosts: int = 2, each: int = 4, env=("LANG=C",),
              iterations: bool = False) -> Form:
    ranks, rows, results = hosts * each, [], []
    for size in SIZES:
        result = {"size": size, "count": size // 4, "type": "float", "redop": "sum",
                  "root": "    -1"}
        for key, place in (("out_of_place", 1.0), ("in_place", 0.97)):
            time = round(microseconds(size) * place, 6)
            result[key] = {"time": time, "alg_bw": size / time / 1e3, "bus_bw": 1.0, "nwrong": 0.0}
            if iterations:
                times = [round(time * share, 6) for share in (0.9, 1.0, 1.4)]
                result[f"{key}_per_iter"] = {
                    "skipped_iterations": 0, "min_us": times[0], "max_us": times[2],
                    "avg_us": time, "p50_us": times[1], "p95_us": times[2], "p99_us": times[2],
                    "times_us": times}
            rows.append(Row(NAMES.get(name, name), ranks, hosts, size, time * 1e-6))
        results.append({**result, "actual_iterations": 20, "experiment_name": f"{name}_perf"})
    told = {"version": 3, "start_time": "2026-01-05 10:11:12", "args": [f"{name}_perf", "-g", "1"],
            "env": list(env), "nccl_version": 22807, "config": {
                "nthreads": 1, "ngpus": 1, "iterations": 20, "devices": [
                    {"rank": rank, "group": 0, "pid": 20 + rank, "hostname": f"node{rank // each}",
                     "device": rank % each, "device_hex": "0x0f", "device_info": "NVIDIA H100"}
                    for rank in range(ranks)]},
            "results": results, "errors": [], "end_time": "2026-01-05 10:12:12"}
    return Form(json.dumps(told, indent=1) + "\n", rows)


def inspector(hosts: int = 2, each: int = 4) -> Form:
    text, rows, ranks = "", [], hosts * each
    for number, (name, times) in enumerate((("AllReduce", 1), ("ReduceScatter", ranks),
                                            ("AllGather", ranks))):
        size, slowest = 1 << 20, 100 + ranks - 1
        for rank in range(ranks):
            micros = 100 + rank
            text += json.dumps({
                "header": {"id": "0xabc", "rank": rank, "n_ranks": ranks, "nnodes": hosts},
                "metadata": {"inspector_output_format_version": "v4.0", "hostname": "node0",
                             "pid": 1}, "coll_perf": {
                    "coll": name, "coll_sn": number, "coll_msg_size_bytes": size,
                    "coll_exec_time_us": micros, "coll_timing_source": "kernel_gpu",
                    "coll_algobw_gbs": round(size * times / micros / 1e3, 6),
                    "coll_busbw_gbs": 1.0}}) + "\n"
        what = {"AllReduce": "allreduce", "AllGather": "allgather"}.get(name, "reduce_scatter")
        rows.append(Row(what, ranks, hosts, size * times, slowest * 1e-6))
    return Form(text, rows)


def osu_collective(test: str, what: str, ranks: int, hosts: int, version: str = "v7.4",
                   full: bool = False, tails: bool = False) -> Form:
    text = f"\n# OSU MPI {test} Latency Test {version}\n# Datatype: MPI_CHAR.\n# Size       " \
        "Avg Latency(us)"
    text += "   Min Latency(us)   Max Latency(us)  Iterations" if full else ""
    text += "  P50 Tail Lat(us)  P90 Tail Lat(us)  P99 Tail Lat(us)" if tails else ""
    rows, text = [], text + "\n"
    for size in (1, 1024, 1 << 20):
        micros = microseconds(size, 3, 10e9)
        cells = [micros] + ([0.9 * micros, 1.2 * micros] if full else [])
        text += f"{size:<10}" + "".join(f"{one:18.2f}" for one in cells) + ("        1000" * full)
        text += "".join(f"{share * micros:18.2f}" for share in (0.98, 1.1, 1.15)) if tails else ""
        text += "\n"
        seconds = f"{0.98 * micros:.2f}" if tails else f"{micros:.2f}"
        rows.append(Row(what, ranks, hosts, size * (ranks if what == "alltoall" else 1),
                        float(seconds) * 1e-6))
    return Form(text, rows)


def osu_latency(version: str = "v5.8", validation: bool = False) -> Form:
    name = "Avg Latency(us)" if version >= "v7.4" else "Latency (us)"
    text, rows = f"# OSU MPI Latency Test {version}\n# Size          {name}" + \
        "        Validation" * validation + "\n", []
    for size in (0, 8, 65536, 4 << 20):
        micros = f"{microseconds(size, 1.5, 12e9):.2f}"
        text += f"{size:<10}{micros:>18}" + "              Pass" * validation + "\n"
        rows.append(Row("ping_pong", 0, 0, size, float(micros) * 1e-6))
    return Form(text, rows)


def osu_bandwidth(test: str = "Bandwidth", directions: int = 1) -> Form:
    text, rows = f"# OSU MPI {test} Test v5.9\n# Size      Bandwidth (MB/s)\n", []
    for size in (1, 65536, 4 << 20):
        rate = f"{directions * size / microseconds(size, 1, 12e9):.2f}"
        text += f"{size:<10}{rate:>18}\n"
        rows.append(Row("stream", 0, 0, size, directions * size / float(rate) / 1e6))
    return Form(text, rows)


RULE = "#" + "-" * 52 + "\n"


def imb(ranks: int = 8, hosts: int = 2, version: str = "2021.3") -> Form:
    """PingPong, a test that is not simulated, and Allreduce."""
    text = RULE + f"#    Intel(R) MPI Benchmarks {version}, MPI-1 part\n" + RULE + \
        "# Minimum message length in bytes:   0\n#\n# List of Benchmarks to run:\n\n# PingPong\n\n"
    rows = []
    text += RULE + f"# Benchmarking PingPong\n# #processes = 2\n# ( {ranks - 2} additional " \
        "processes waiting in MPI_Barrier)\n" + RULE + \
        "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
    for size in (0, 8, 1 << 20):
        micros = f"{microseconds(size, 1.2, 11e9):.2f}"
        text += f"{size:13}{1000:13}{micros:>13}{size / float(micros):13.2f}\n"
        rows.append(Row("ping_pong", 0, 0, size, float(micros) * 1e-6))
    for test, what in (("Gatherv", "gatherv"), ("Allreduce", "allreduce")):
        text += "\n\n" + RULE + f"# Benchmarking {test}\n# #processes = {ranks}\n" + RULE + \
            "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
        for size in (0, 4, 1 << 20):
            most = f"{microseconds(size, 5, 5e9):.2f}" if size else "0.00"
            least = f"{float(most) * 0.9:.2f}"
            text += f"{size:13}{1000:13}{least:>13}{most:>13}{most:>13}\n"
            if size:
                rows.append(Row(what, ranks, hosts, size * (ranks if what == "gatherv" else 1),
                                float(most) * 1e-6))
    return Form(text + "\n\n# All processes entering MPI_Finalize\n\n", rows)


def rccl_file(name: str = "AllReduce", what: str = "allreduce", hosts: int = 2, each: int = 4,
              how: str = "csv", piece: bool = False) -> Form:
    """`how`: csv, csv_old (before numCycle), csv_alone (without MPI), json, json_lines. `piece`:
    with the size of one rank, as early versions print of a reduce-scatter."""
    ranks, rows, lines = hosts * each, [], []
    for size in SIZES:
        for place in (0, 1):
            micros = f"{microseconds(size) * (0.97 if place else 1):.6f}"
            rate = size / float(micros) / 1e3
            busbw = rate * (2 if what == "allreduce" else 1) * (ranks - 1) / ranks
            told = {"numCycle": "0", "name": f'"{name}"', "nodes": "1", "ranks": str(ranks),
                    "ranksPerNode": str(ranks), "gpusPerRank": "1", "gpus": str(ranks),
                    "size": str(size // ranks if piece else size), "type": '"float"',
                    "redop": '"sum"' if what != "allgather" else '"none"', "inPlace": str(place),
                    "time": micros, "algBw": f"{rate:.6f}", "busBw": f"{busbw:.6f}",
                    "wrong": '"0"'}
            gone = ("nodes", "ranks", "ranksPerNode", "gpusPerRank") if how == "csv_alone" else \
                ("gpus",)
            lines.append({key: value for key, value in told.items() if key not in gone
                          and (key != "numCycle" or how not in ("csv_old", "json_lines"))})
            rows.append(Row(what, ranks, hosts, size, float(micros) * 1e-6))
    if how.startswith("json"):
        objects = ["{" + ", ".join(f'"{key}":{value}' for key, value in line.items()) + "}"
                   for line in lines]
        return Form("\n".join(objects) + "\n" if how == "json_lines" else
                    "[\n" + ",\n".join(objects) + "\n]\n", rows)
    comma = ", " if how == "csv_old" else ","
    names = {"name": "collective", "ranksPerNode": "rankspernode", "gpusPerRank": "gpusperrank",
             "inPlace": "inplace", "algBw": "algbw", "busBw": "busbw", "wrong": "#wrong"}
    head = comma.join(names.get(key, key) for key in lines[0] if key != "nodes")
    return Form("\n".join([head, *(comma.join(line.values()) for line in lines)]) + "\n", rows)


def matrix(first: str, gpus: int, own: str, value) -> str:
    text = first + "".join(f"{gpu:7}" for gpu in range(gpus)) + " \n"
    for row in range(gpus):
        text += f"{row:6}" + "".join(
            f"{own if row == to else f'{value(row, to):.2f}':>7}" for to in range(gpus)) + " \n"
    return text


def p2p(gpus: int = 4) -> Form:
    rate = lambda row, to: 20.0 + row + to / 4
    text = "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n" + \
        matrix("   D\\D", gpus, "900.12", rate)
    rows = [Row("gpu_peer_copy", 0, 0, 40_000_000, 40e6 / (float(f"{rate(row, to):.2f}") * 1e9))
            for row in range(gpus) for to in range(gpus) if row != to]
    return Form(text, rows)


def nvbandwidth(gpus: int = 4) -> Form:
    rate = lambda row, to: 300.0 + row + to / 4
    text = "nvbandwidth Version: v0.8\nBuilt from Git version: v0.8\n\nCUDA Runtime Version: " \
        "12080\n\nRunning device_to_device_memcpy_read_ce.\nmemcpy CE GPU(row) -> GPU(column) " \
        "bandwidth (GB/s)\n" + matrix("      ", gpus, "N/A", rate) + \
        "\nSUM device_to_device_memcpy_read_ce 3672.00\n\n"
    rows = [Row("gpu_peer_copy", 0, 0, 512 << 20,
                (512 << 20) / (float(f"{rate(row, to):.2f}") * 1e9))
            for row in range(gpus) for to in range(gpus) if row != to]
    return Form(text, rows)


def nvbandwidth_json(gpus: int = 2) -> Form:
    cells = [["N/A" if row == to else f"{20 + row}.5" for to in range(gpus)] for row in range(gpus)]
    told = {"nvbandwidth": {"CUDA Runtime Version": 12080, "version": "v0.8", "testcases": [
        {"name": "device_to_device_memcpy_write_ce", "status": "Passed", "sum": 42.0,
         "bandwidth_description": "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)",
         "bandwidth_matrix": cells}, {"name": "host_to_device_latency_sm", "status": "Waived"}]}}
    return Form(json.dumps(told, indent=3) + "\n", [
        Row("gpu_peer_copy", 0, 0, 512 << 20, (512 << 20) / (float(value) * 1e9))
        for line in cells for value in line if value != "N/A"])


def transferbench(bar: str = "|") -> Form:
    text, rows = "TransferBench v1.60\n===============================\n", []
    for test, (ends, micros) in enumerate(((("G0", "G1"), 1400.0), (("C0", "G0"), 1300.0),
                                           (("G1", "C0"), 1250.0))):
        size = 67108864
        numbers = f"{bar} {size / micros / 1e3:8.3f} GB/s {bar} {micros / 1e3:8.3f} ms {bar} " \
            f"{size:12} bytes {bar}"
        text += f"Test {test + 1}:\n Executor: GPU 00 {numbers} {size / micros / 1e3:<7.3f} GB/s " \
            f"(sum)\n     Transfer 00  {numbers} {ends[0]} -> G000:004 -> {ends[1]}\n" \
            f" Aggregate (CPU)  {numbers} Overhead: 0.100 ms\n\n"
        rows.append(Row("gpu_peer_copy" if ends == ("G0", "G1") else "gpu_copy", 0, 0, size,
                        micros * 1e-6))
    return Form(text, rows)
