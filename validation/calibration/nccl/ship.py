#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes profiles of generations, transports and their spread, from a fit to all machines.

Usage: python3 -m validation.calibration.nccl.ship FIT.json [--data FOLDER]
FIT.json is of `nccl.everywhere -o`. Files in scenarios/libraries and scenarios/transports are
replaced, of SOURCED transports the spread alone. The spread is that of predictions of machines that
the fit omits.
"""

import argparse
import json
import math
import pathlib

from common.programs import run_main, write_text
from validation.arguments import parsed
from validation.calibration.nccl import everywhere, form, profile, spread
from validation.calibration.nccl.fit import fit_a100
from validation.calibration.nccl.machines import Machine, folders_of, rows_by_machine
from validation.calibration.nccl.own import scaled_by
from validation.yaml_files import tables_of

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROFILES, HEAD, ABOUT = tables_of(__file__).values()
SOURCED = ("tcpxo", "socket", "sockets", "slingshot_socket")  # costs by documents
LONE = ("p4d", "p5", "a3high", "alps")  # each the only machine of its network
BETWEEN = ("hop_between_hosts", "message_gap", "carries_between_hosts")


def logs_of(factors: dict, machine: Machine) -> dict:
    """{key: logarithm} of a machine; a factor that no machine has told is 0."""
    return {key: sum(factors.get(f"{owner}: {key}", 0)
                     for owner in everywhere.owners_of(machine, key))
            for key in everywhere.OF_GPUS + everywhere.OF_NETWORKS}


def blocks_of(base, factors: dict, machine: Machine) -> dict:
    return everywhere.library_of(base, machine, logs_of(factors, machine))["blocks"]


def residuals_of(fit: dict, rows_of: dict) -> list:
    return [spread.Residual(name, row.hosts, row.size, row.seconds,
                            math.log(row.seconds / (1e-6 * predicted[-1])),
                            row.hosts > 1 and name in LONE)
            for name, rows in rows_of.items() if name in fit["omitted"]
            for row, predicted in zip(rows, fit["omitted"][name])]


def profile_text(base, fit: dict, name: str, residuals: list) -> str:
    generation, version, about = PROFILES[name]
    blocks = blocks_of(base, fit["factors"], Machine("", "h100_nvswitch", generation, (), version))
    for protocol in form.PROTOCOLS:
        for key in BETWEEN:
            blocks[protocol].pop(key)
    machines = [one.name for one in everywhere.MACHINES if one.generation == generation
                and one.name in fit["omitted"]]
    head = HEAD.format(about=about, count=len(machines), machines=", ".join(machines))
    library = {"base": "cuda_pinned", "transport": "infiniband", "blocks": blocks}
    return profile.yaml_of(head, about, library) + spread.yaml_of(residuals)


def transport_text(base, fit: dict, name: str, residuals: list) -> str:
    cluster = next((cluster for cluster, kind in everywhere.TRANSPORTS.items() if kind == name),
                   "h100_nvswitch")
    blocks = blocks_of(base, fit["factors"], Machine("", cluster, "hopper", (), "2.29"))
    seen = [one.name for one in everywhere.MACHINES if everywhere.transport_of(one) == name
            and one.name in fit["omitted"] and one.name in fit["between_hosts"]]
    fitted = f"fitted to {', '.join(seen)}" if seen else "by its family, not fitted"
    lines = [f"# Costs of NCCL between hosts, {fitted}.",
             "# Written by `python3 -m validation.calibration.nccl.ship`.",
             f"about: {ABOUT[name]}", "blocks:"]
    if name in everywhere.STATED:
        lines.append(f"  nic_latency: {everywhere.STATED[name]}")
    for protocol in form.PROTOCOLS:
        values = ", ".join(f"{key}: {blocks[protocol][key]}" for key in BETWEEN)
        lines += [f"  # 90 % intervals: {intervals_of(blocks, fit['widths'][name], protocol)}",
                  f"  {protocol}: {{{values}}}"]
    text = "\n".join(lines) + "\n"
    return text if name in ("infiniband", "roce") else text + spread.yaml_of(
        residuals, True, bool(seen))


def intervals_of(blocks: dict, widths: dict, protocol: str) -> str:
    """A hop and a message: 1.645 standard deviations of the logarithm to each side."""
    found = []
    for what, key, width in (("hop", BETWEEN[0], f"{protocol}.between"),
                             ("message", BETWEEN[1], f"{protocol}.gap")):
        ends = [scaled_by(blocks[protocol][key], sign * 1.645 * widths[width]) for sign in (-1, 1)]
        found.append(f"{what} {' to '.join(ends)}")
    return ", ".join(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("fit")
    given = parsed(parser, "nccl data")
    fit = json.loads(pathlib.Path(given.fit).read_text(encoding="utf-8"))
    residuals = residuals_of(fit, rows_by_machine(folders_of(given.data)))
    print(spread.coverage_text(spread.omitted(residuals)), end="")
    base = fit_a100()[0]
    for name in PROFILES:
        write_text(str(ROOT / "scenarios/libraries" / f"{name}.yaml"),
                   profile_text(base, fit, name, residuals))
    others = {"libraries/nccl_a100": spread.yaml_of(residuals),  # by nccl.fit
              **{f"transports/{one}": spread.yaml_of(residuals, True, False) for one in SOURCED}}
    for name, bands in others.items():
        path = ROOT / "scenarios" / f"{name}.yaml"
        write_text(str(path), path.read_text(encoding="utf-8").split("spread:\n")[0] + bands)
    for name in ABOUT:
        write_text(str(ROOT / "scenarios/transports" / f"{name}.yaml"),
                   transport_text(base, fit, name, residuals))


if __name__ == "__main__":
    run_main(main)
