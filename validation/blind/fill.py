#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fill tables of cases without times with the program's predictions.

Usage: python3 -m validation.blind.fill FOLDER NAME... [--fit FIT.json] -o FOLDER
FIT.json is of `nccl.everywhere -o`, for the cost of a call by PyTorch (nccl-b200-efa-4-hosts).
Each NAME.csv of the first folder is written to the other one with its columns of times, range,
algorithm, protocol and channels filled, and its assumptions in the head. RINGSCOPE names the
simulator.
"""

import argparse
import csv
import io
import json
import math
import pathlib
import re
import tempfile

import numpy as np

from common.groups import grouped
from common.programs import run_main, write_text
from validation.arguments import parsed
from validation.blind import allpairs, dlperf_steps, experts, llm_steps
from validation.calibration.imports import collectives
from validation.calibration.nccl import ship
from validation.calibration.nccl.fit import fit_a100
from validation.calibration.nccl.machines import Machine, in_columns
from validation.calibration.verdict.simulator import Simulator, batch
from validation.yaml_files import tables_of

ASSUMED = tables_of(pathlib.Path(__file__).with_name("assumed"))
SLINGSHOT = "nccl/gh200-1-2-4-hosts-slingshot.csv"
CLUSTERS, TREES, PAIRS, NAMES = tables_of(__file__).values()


def blackwell(version: str, **blocks) -> dict:
    return {"base": "nccl_b200", "blocks": {"nccl": version, **blocks}}


def one_host(row: dict, _) -> tuple:
    system = row["system"]
    version = row["version"] or "2.26"
    library = ({"base": "nccl_h200", "blocks": {"nccl": version}} if system == "h200_sxm"
               else blackwell(version))
    return CLUSTERS[system], library, row["gpus"], collectives.named(row["operation"]), {}


def b300(row: dict, _) -> tuple:
    setting, options = row["setting"], {"gpus_per_thread": 8}
    if setting in ("LL", "LL128", "Simple"):
        options["protocol"] = setting
    elif setting != "default":
        options["algorithm"] = "ring" if setting.startswith("Ring") else "tree"
    if channels := re.search(r"(\d+) channels", setting):
        options["channels"] = int(channels[1])
    return "b300_nvswitch", blackwell("2.29"), "8", "allreduce", options


def efa(row: dict, fit: dict) -> tuple:
    hosts = {"base": "aws_p6_b200", "hosts": int(row["hosts"])}
    by_pytorch = Machine("", "aws_p6_b200", "blackwell", (), "2.27", "pytorch")
    launch = ship.blocks_of(fit_a100()[0], fit["factors"], by_pytorch)["launch"]
    return hosts, blackwell("2.27", launch=launch), f"8x{row['hosts']}", "allreduce", {}


def nvl72(row: dict, _) -> tuple:
    racks = int(row["gpus"]) // 72
    return ({"base": "gb200_nvl72", "hosts": max(2, racks)}, blackwell("2.26"), f"72x{racks}",
            "allreduce", {})


def slingshot(row: dict, _) -> tuple:
    hosts = {"base": "gh200x4_slingshot", "hosts": int(row["hosts"])}
    forced = {"algorithm": "tree", "protocol": "Simple"} if "forced" in row else {}
    return hosts, {"base": "nccl_h200", "blocks": {"nccl": "2.23"}}, f"4x{row['hosts']}", \
        "allreduce", forced


def settle(row: dict, seconds: float, low: float, high: float):
    """Enters a time, and factors of it as the range."""
    row |= {"time_us": micros(seconds), "low_us": micros(seconds * low),
            "high_us": micros(seconds * high)}


def asked(ask):
    """Fills rows by the scenario that `ask` makes of each."""
    def answers(simulator: Simulator, rows: list, given):
        by_library = grouped([(ask(row, given.known), row) for row in rows],
                             lambda one: json.dumps(one[0][1]))
        for library, some in by_library.items():
            cases = batch(simulator, json.loads(library), [scenario_of(*one) for one in some],
                          [ask.__name__] * len(some))
            for (_, row), case in zip(some, cases):
                answer(row, case)
    return answers


def racks(simulator: Simulator, rows: list, given):
    """Larger sizes on twenty racks: the time on two, and what 512 MiB take longer on twenty."""
    far = [row for row in rows if row["gpus"] == "1440"]
    asked(nvl72)(simulator, [row for row in rows if row not in far[1:]], given)
    near = {row["bytes"]: row for row in rows if row["gpus"] == "144"}
    longer = float(far[0]["time_us"]) - float(near[far[0]["bytes"]]["time_us"])
    for row in far[1:]:
        row |= near[row["bytes"]] | {"gpus": row["gpus"]}
        row["time_us"] = str(float(row["time_us"]) + longer)
    for row in rows:
        few = row["gpus"] == "72"
        row["algorithm"], *ends = ("NVLS", 0.65, 1.5) if few else ("NVLSTree", 0.5, 2.0)
        settle(row, 1e-6 * float(row["time_us"]), *ends)


def grown(row: dict, one: dict, two: dict):
    """From two numbers of hosts to twice the larger: rings grow by the hosts, trees by their
    logarithm. Where NCCL's choice differs between the two, by 5 %, as trees of 64 MiB do."""
    before, after = float(one["time_us"]), float(two["time_us"])
    more = (after - before) * (2 if two["algorithm"] == "Ring" else 1)
    if any(one[key] != two[key] for key in ("algorithm", "protocol")):
        more = 0.05 * after
    row |= two | {"hosts": row["hosts"], "time_us": str(after + more)}


def tree(simulator: Simulator, row: dict, given):
    """By trees on 8 and 16 hosts, of which twice the hosts need as much more again."""
    made = [{"hosts": hosts, "bytes": row["bytes"], "forced": ""} for hosts in ("8", "16")]
    asked(slingshot)(simulator, made, given)
    before, after = (float(one["time_us"]) for one in made)
    more = (after - before) * math.log2(int(row["hosts"]) / 16)
    row |= {key: made[1][key] for key in ("algorithm", "protocol", "channels")}
    row["time_us"] = str(after + more)


def residuals(simulator: Simulator, given) -> dict:
    """{(plug-in, bytes): logarithms of measured over predicted on two and four hosts}"""
    found = {}
    for plugin in ("1.13.0", "1.9.2"):
        for row in in_columns(given.folder.parent / SLINGSHOT, plugin=plugin, settings="default"):
            if row.hosts > 1:
                one = {"hosts": str(row.hosts), "bytes": str(row.size)}
                asked(slingshot)(simulator, [one], given)
                found.setdefault((plugin, one["bytes"]), []).append(
                    math.log(1e6 * row.seconds / float(one["time_us"])))
    return found


def is_far(row: dict) -> bool:
    """Whether a simulation takes a minute or more."""
    hosts, size = int(row["hosts"]), int(row["bytes"])
    return hosts > 64 and 4 << 20 <= size < 4 << 30 or hosts > 256 and 64 << 10 <= size < 1 << 20


def dragonfly(simulator: Simulator, rows: list, given):
    by = {(int(row["hosts"]), row["bytes"]): row for row in rows if row["plugin"] == "1.13.0"}
    asked(slingshot)(simulator, [row for row in by.values() if not is_far(row)], given)
    for (hosts, size), row in by.items():
        if is_far(row) and hosts >= TREES.get(size, hosts + 1):
            tree(simulator, row, given)
        elif is_far(row):
            grown(row, by[hosts // 4, size], by[hosts // 2, size])
    for row in rows:
        row |= by[int(row["hosts"]), row["bytes"]] | {"plugin": row["plugin"]}
    missed = residuals(simulator, given)
    for row in rows:
        found = missed[row["plugin"], row["bytes"]]
        least = 0.4 if 8 << 10 <= int(row["bytes"]) <= 1 << 30 else 0.15
        more = 0.08 * math.log2(int(row["hosts"]) / 4)
        end = math.exp(1.645 * math.hypot(max(least, np.std(found)), more))
        settle(row, 1e-6 * float(row["time_us"]) * math.exp(np.mean(found)), 1 / end, end)


def pairs(simulator: Simulator, rows: list, _):
    for row in rows:
        size, protocol = int(row["bytes"]), row["protocol"]
        seen = min(size, 128 << 20) if protocol == "LL" else size
        collective, cuts = row["set"].split("-")[1], min(int(row["instances"]), size // 64)
        with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as file:
            file.write(allpairs.program(collective, protocol, cuts))
            file.flush()
            scenario = {"cluster": "mi300x", "placement": {"hosts": "8", "on": "gpu"},
                        "job": {"schedule": file.name, "bytes": f"{seen} B"}}
            (case,) = batch(simulator, "rccl_mi300x", [scenario], [row["set"]])
        settle(row, case["times_s"][0] * size / seen, *PAIRS[protocol][size > 65536])


def moe(_, rows: list, __):
    for row in rows:
        settle(row, *experts.seconds_and_range(row))


def scenario_of(question: tuple, row: dict) -> dict:
    cluster, _, hosts, collective, options = question
    return {"cluster": cluster, "placement": {"hosts": hosts, "on": "gpu"},
            "job": {"collective": collective, "algorithm": "nccl", "bytes": f"{row['bytes']} B",
                    "options": options}}


def micros(seconds: float) -> str:
    return f"{1e6 * seconds:.4g}"


def answer(row: dict, case: dict):
    """Enters a case's result into its row."""
    row["time_us"] = micros(case["time_s"])
    if "likely" in case:
        row["low_us"], row["high_us"] = (micros(case["likely"][end]) for end in ("low_s", "high_s"))
    words = case["chosen"].split(", ")
    row["algorithm"] = NAMES.get(words[0], words[0])
    if len(words) == 3:
        row["protocol"], row["channels"] = words[1], words[2].split()[0]


# Functions that fill tables; assumed.yaml beside this file has their assumptions.
TABLES = {
    "nccl-1-host-other-gpus": asked(one_host), "nccl-b300-1-host": asked(b300),
    "nccl-b200-efa-4-hosts": asked(efa), "nccl-gb200-nvl72": racks,
    "nccl-gh200-slingshot": dragonfly, "msccl-mi300x-allpairs": pairs, "moe-gb200-nvl72": moe,
    "steps-dlperf-bert": dlperf_steps.by(dlperf_steps.bert),
    "steps-dlperf-gpt": dlperf_steps.by(dlperf_steps.gpt), "steps-llm": llm_steps.fill,
}


def filled(simulator: Simulator, name: str, given) -> str:
    lines = (given.folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    reader = csv.DictReader(line for line in lines if line and not line.startswith("#"))
    TABLES[name](simulator, rows := list(reader), given)
    head = [line for line in lines if line.startswith("#")]
    head += [f"# assumed: {one}" for one in ASSUMED[name]]
    out = io.StringIO()
    out.write("\n".join(head) + "\n")
    writer = csv.DictWriter(out, reader.fieldnames, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    given = parsed(parser, "blind fill", tables=TABLES)
    given.known = json.loads(given.fit.read_text(encoding="utf-8")) if given.fit else {}
    for name in given.names:
        write_text(str(given.o / f"{name}.csv"), filled(Simulator(), name, given))


if __name__ == "__main__":
    run_main(main)
