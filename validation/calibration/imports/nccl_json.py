# SPDX-License-Identifier: LGPL-2.1-or-later
"""JSON that nccl-tests write with `-J FILE` (src/util.cu, JSON_FILE_VERSION 1 to 3).

`devices` has one entry for each process: its first GPU. Others follow by number.
"""

from validation import measurements
from validation.calibration.imports import json_text, nccl_environment, nccl_layout
from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.nccl_collective import NAMES
from validation.calibration.imports.nccl_tests import PLACES, apart, library_name
from validation.calibration.imports.source import Source

NAME = "nccl-tests-json"
MARKS = r'\s*(\{.*)?"nccl_version"\s*:'
STATISTICS = {"min_us": "least_s", "max_us": "most_s", "avg_us": "mean_s", "p95_us": "p95_s",
              "p99_us": "p99_s"}


def devices_of(config: dict) -> list:
    each = int(config.get("nthreads", 1)) * int(config.get("ngpus", 1))
    return [{"host": one["hostname"], "device": int(one["device"]) + i, "name": one["device_info"]}
            for one in config["devices"] for i in range(each)]


def add_time(findings: Findings, name: str, seconds: float, per_iter: dict, *more):
    """With -I the median of the iterations, each of which is a sample."""
    extra = {key: 1e-6 * float(per_iter[said]) for said, key in STATISTICS.items()
             if per_iter.get(said)}
    findings.add("replay", name, 1e-6 * float(per_iter.get("p50_us") or 0) or seconds, more[0],
                 extra, more[1])
    if samples := [1e-6 * float(one) for one in per_iter.get("times_us") or ()]:
        point = findings.points[-1][1]
        point.samples_s = samples
        point.median_s, point.p10_s, point.p90_s = measurements.spread_of(samples)


def add_result(source: Source, result: dict, more: tuple, findings: Findings):
    """`more`: (parameters beside bytes and place, scenario)"""
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
            parameters = {"bytes": size, "collective": name, **more[0], "buffers": place}
            add_time(findings, name, 1e-6 * float(found["time"]),
                     result.get(f"{key}_per_iter") or {}, parameters, more[1])


def parse(source: Source, given: Given) -> Findings:
    findings = Findings(where={"program": "nccl-tests"})

    def add(line: int, told: dict):
        config, devices = told["config"], devices_of(told["config"])
        nccl_layout.refuse_groups(source, line, {one.get("group") for one in config["devices"]})
        layout = nccl_layout.of_devices(devices, given)
        scenario = nccl_layout.scenario_of(layout, int(config.get("ngpus", 1)))
        findings.begin(f"{source.path}:{line}", [one["host"] for one in devices])
        findings.where = {
            "mpi": library_name(told["nccl_version"]), "devices": [one["name"] for one in devices],
            "hosts": [one["host"] for one in devices]} | findings.where
        if settings := nccl_environment.settings_in(map(str, told.get("env") or ())):
            findings.where["environment"] = settings
        keys = [(one.get("type"), one.get("redop"), str(one.get("root")).strip())
                for one in told["results"]]
        for result, more in zip(told["results"], apart(keys)):
            add_result(source, result, (layout.parameters | more, scenario), findings)

    json_text.read(source, "nccl_version",
                   "config.devices and results as nccl-tests -J writes them (version 3)", add)
    return findings
