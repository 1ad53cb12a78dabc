#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fills tables of cases without times by the program's own predictions of NCCL.

Usage: python3 -m validation.blind.fill FOLDER NAME... --fit FIT.json -o FOLDER
FIT.json is of `nccl.everywhere -o`, for the cost of a call by PyTorch. Each NAME.csv of the first
folder is written to the other one with its columns of times, range, algorithm, protocol and
channels filled, and its assumptions in the head. RINGSCOPE names the simulator.
"""

import argparse
import csv
import io
import json
import pathlib
import re

from common.programs import InputError, run_main, write_text
from validation.calibration.imports import collectives
from validation.calibration.nccl import ship
from validation.calibration.nccl.fit import fit_a100
from validation.calibration.nccl.machines import Machine
from validation.calibration.verdict.simulator import Simulator, batch

EACH = 20  # cases of one run
LOOP = "nccl-tests, or a loop of calls like its"
CLUSTERS = {"b300_sxm": "b300_nvswitch", "gb200": "gb200_nvl72", "gb300": "gb200_nvl72",
            "h200_sxm": "h200_nvswitch", "rtx_pro_6000_server": "rtx_pro_6000"}


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
    return hosts, {"base": "nccl_h200", "blocks": {"nccl": "2.23"}}, f"4x{row['hosts']}", \
        "allreduce", {}


# Questions by table, and what they assume.
TABLES = {
    "nccl-1-host-other-gpus": (one_host, [
        LOOP, "B300, GB200, GB300: nccl_b200, as nothing else is known of their costs",
        "GB200 and GB300: GPUs of one NVLink domain, the choice as on one host",
        "RTX PRO 6000: nccl_b200 over PCIe, peer access granted, two GPUs under each switch",
        "H200 without a version: NCCL 2.26"]),
    "nccl-b300-1-host": (b300, [LOOP, "nccl_b200; one thread with eight GPUs"]),
    "nccl-b200-efa-4-hosts": (efa, [
        "nccl_b200, with the launch that one p6-b200 host timed by PyTorch has in the fit",
        "transport efa_p6, of which nothing is known but its family, libfabric"]),
    "nccl-gb200-nvl72": (nvl72, [LOOP, "a rack is one host of 72 GPUs and 72 NICs; nccl_b200"]),
    "nccl-gh200-slingshot": (slingshot, [
        LOOP, "nccl_h200 and the transport slingshot, fitted to 1, 2 and 4 hosts of that machine",
        "a network without congestion; the plug-in's version changes nothing"]),
}


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
    names = {"channel_rings": "Ring", "channel_trees": "Tree", "channel_switch": "NVLS",
             "channel_pat": "PAT", "channel_peers": "SendRecv"}
    row["algorithm"] = names.get(words[0], words[0])
    if len(words) == 3:
        row["protocol"], row["channels"] = words[1], words[2].split()[0]


def filled(simulator: Simulator, name: str, text: str, fit: dict) -> str:
    ask, assumed = TABLES[name]
    head = [line for line in text.splitlines() if line.startswith("#")]
    body = [line for line in text.splitlines() if line and not line.startswith("#")]
    reader = csv.DictReader(body)
    rows = list(reader)
    asked = {}
    for row in rows:
        question = ask(row, fit)
        asked.setdefault(json.dumps(question[1]), []).append((question, row))
    for library, some in asked.items():
        for first in range(0, len(some), EACH):
            part = some[first:first + EACH]
            cases = batch(simulator, json.loads(library), [scenario_of(*one) for one in part],
                          [name] * len(part))
            for (_, row), case in zip(part, cases):
                answer(row, case)
    out = io.StringIO()
    for line in head + [f"# assumed: {one}" for one in assumed]:
        out.write(line + "\n")
    writer = csv.DictWriter(out, reader.fieldnames, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--fit", type=pathlib.Path, required=True)
    parser.add_argument("-o", type=pathlib.Path, required=True)
    given = parser.parse_args()
    fit = json.loads(given.fit.read_text(encoding="utf-8"))
    for name in given.names:
        if name not in TABLES:
            raise InputError(f"unknown table '{name}' (known: {', '.join(TABLES)})")
        text = (given.folder / f"{name}.csv").read_text(encoding="utf-8")
        write_text(str(given.o / f"{name}.csv"), filled(Simulator(), name, text, fit))


if __name__ == "__main__":
    run_main(main)
