# SPDX-License-Identifier: LGPL-2.1-or-later
"""JSON that nccl-tests write with `-J FILE` (src/util.cu, JSON_FILE_VERSION 1 to 3).

`devices` has one entry for each process: its first GPU. Others follow by number.
"""

import json

from validation.calibration.imports import nccl_layout
from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.nccl_collective import NAMES
from validation.calibration.imports.nccl_tests import PLACES, library_name
from validation.calibration.imports.source import Source

NAME = "nccl-tests-json"
MARKS = r'\s*(\{.*)?"nccl_version"\s*:'


def devices_of(config: dict) -> list:
    each = int(config.get("nthreads", 1)) * int(config.get("ngpus", 1))
    return [{"host": one["hostname"], "device": int(one["device"]) + i, "name": one["device_info"]}
            for one in config["devices"] for i in range(each)]


def add_result(source: Source, result: dict, more: tuple, findings: Findings):
    """`more`: (parameters of the layout, scenario)"""
    program = result["experiment_name"].removesuffix("_perf")
    name, size = NAMES.get(program, program), int(result["size"])
    for place, key in zip(PLACES, ("out_of_place", "in_place")):
        found = result.get(key) or {}
        if found.get("nwrong"):
            findings.note(f"{source.path}: {size} B: {found['nwrong']:.0f} wrong results {place}: "
                          "time omitted")
        elif found and "time" not in found:
            findings.note(f"{source.path}: {size} B: a time of the CPU (-C) {place}: omitted")
        elif found and found["time"] > 0:
            findings.add("replay", name, 1e-6 * float(found["time"]), {
                "bytes": size, "collective": name, **more[0], "buffers": place}, scenario=more[1])


def parse(source: Source, given: Given) -> Findings:
    try:
        told = json.loads("\n".join(source.lines))
        config, devices = told["config"], devices_of(told["config"])
        layout = nccl_layout.of_devices(devices, given)
        scenario = nccl_layout.scenario_of(layout, int(config.get("ngpus", 1)))
        findings = Findings(where={
            "program": "nccl-tests", "mpi": library_name(told["nccl_version"]),
            "hosts": [one["host"] for one in devices],
            "devices": [one["name"] for one in devices]})
        for result in told["results"]:
            add_result(source, result, (layout.parameters, scenario), findings)
    except json.JSONDecodeError as error:
        source.fail(error.lineno, "JSON as nccl-tests -J writes it", error.msg, error.colno)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        source.fail(1, "config.devices and results as nccl-tests -J writes them (version 3)",
                    f"{type(error).__name__}: {error}")
    return findings.checked(source, "nccl-tests")
