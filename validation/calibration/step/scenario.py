# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs to simulate: the scenario of a measured step, with other kernels and a row's values."""

import json
import math
import os
import re
from collections import namedtuple

import yaml

from common.programs import InputError
from common.quantities import parse_quantity
from validation.calibration.imports import csv_table
from validation.calibration.step.estimate import estimate, with_options
from validation.yaml_files import read_yaml

SHARES = {"matrix": ("matrix", "matrix_fp8"), "attention": ("attention", "attention_backward"),
          "memory": ("memory",)}
EXPECTED = "'program: llm' in one case, with sizes of groups and without 'efficiency'"
SMALL = {"question": "Which kernels?", "cluster": "pair", "library": "openmpi_tcp",  # has a GPU
         "placement": "1-1", "job": {"program": "llm", "options": {
             "model": {"layers": 1, "hidden": 8, "heads": 1, "sequence": 8}}}}
GROUPS = ("tp", "pp", "cp")
COUNTS = ("gpus", *GROUPS, "dp", "micro_batch", "global_batch")
Measured = namedtuple("Measured", "place gpus seconds tree")  # place: file:line


def absolute(tree: dict, folder: str) -> dict:
    """The tree with whole paths for files that it names relative to its folder."""
    def whole(found):
        path = os.path.join(os.path.abspath(folder), found[1])
        return json.dumps(path) if os.path.isfile(path) else found[0]

    return json.loads(re.sub(r'"([^"\\]*(?:/[^"\\]*|\.ya?ml|\.json))"', whole, json.dumps(tree)))


def scaled(kernels: dict, factors: dict) -> dict:
    """The kernels with the shares of each class times its factor, at most 1."""
    return kernels | {key: min(1.0, kernels[key] * factor) for name, factor in factors.items()
                      for key in SHARES[name]}


def as_map(value, key: str) -> dict:
    """A map of one key for what is none: a name is a base."""
    return value if isinstance(value, dict) else {key: value}


class Step:
    """The scenario in a file. `gpu`: without its `kernels`, which are as the simulator has them."""

    def __init__(self, path: str, simulator):
        self.path, self.simulator = path, simulator
        simulator.output("check", path)
        tree = absolute(read_yaml(path, EXPECTED, loader=yaml.BaseLoader), os.path.dirname(path))
        self.tree, self.job = tree, as_map(tree.get("job"), "program")
        self.options, self.groups = (self.job.get(key) or {} for key in ("options", "groups"))
        lists = [one for one in self.groups.values() if isinstance(one, list)]
        for wrong, got in ((self.job.get("program") != "llm", "another job"),
                           ("cases" in tree, "'cases'"), (lists, "lists of ranks"),
                           ("efficiency" in self.options, "'efficiency'")):
            if wrong:
                raise InputError(f"{path}: expected {EXPECTED}, got {got}")
        gpu = as_map(self.options["gpu"], "base")
        small = json.dumps(with_options(SMALL, gpu=gpu))
        case, = json.loads(simulator.run_text(small, path, "--json", "-"))["cases"]
        found = case["scenario"]["job"]["options"]["gpu"].get("kernels", {})
        self.gpu = {key: value for key, value in gpu.items() if key != "kernels"}
        self.kernels = dict.fromkeys(sum(SHARES.values(), ()), 1.0) | {
            key: float(value) for key, value in found.items()}

    def seconds(self, option: str, default: str) -> float:
        return parse_quantity(self.options.get(option, default), "time", self.path)

    def estimates(self, jobs: list) -> list:
        """Estimates of jobs: (place, scenario, kernels, options)."""
        found = estimate(self.simulator, [
            with_options(tree, gpu={**self.gpu, "kernels": kernels}, **options)
            for _, tree, kernels, options in jobs], self.path)
        for (place, *_), one in zip(jobs, found):
            if "error" in one:
                raise InputError(f"{place}: the simulator rejects this job: "
                                 + one["error"].split("\n", 1)[0])
        return found

    def rows(self, source) -> tuple:
        """(measured steps of a CSV, warnings)"""
        names = [name for name in csv_table.header_of(source) if name not in ("gpus", "step_s")]
        others = ", ".join(name for name in names if name not in (*COUNTS, "precision"))
        return ([self.measured(source, row) for row in
                 csv_table.read(source, "gpus,step_s", ",".join(names))],
                [f"{source.path}: columns not used: {others}"] if others else [])

    def measured(self, source, row) -> Measured:
        """A row as changes of the scenario. Empty cells are as there."""
        def require(right: bool, name: str, expected: str):
            if not right:
                cell = row.cells[name]
                source.fail(row.line, f"{name}: {expected}", f"'{cell.text}'", cell.column)

        cells = {key: cell for key, cell in row.cells.items() if cell.text or key == "gpus"}
        counts = {key: source.positive(row.line, cells[key], key, source.count)
                  for key in COUNTS if key in cells}
        groups = {key: counts.get(key, size) for key, size in [
            *dict.fromkeys(GROUPS, 1).items(), *self.groups.items()] if key != "dp"}
        inner = math.prod(int(groups[key]) for key in GROUPS)
        gpus, data = counts["gpus"], counts["gpus"] // inner
        require(data * inner == gpus, "gpus", f"a multiple of tp x pp x cp = {inner}")
        require(counts.get("dp", data) == data, "dp", f"gpus / (tp x pp x cp) = {data}")
        options = {key: cells[key].text for key in ("micro_batch", "precision") if key in cells}
        if "global_batch" in counts:
            each = data * int((self.options | options).get("micro_batch", 1))
            options["micro_batches"] = max(1, counts["global_batch"] // each)
            require(options["micro_batches"] * each == counts["global_batch"], "global_batch",
                    f"a multiple of dp x micro_batch = {each}")
        machine, host = self.machine(gpus)
        require(gpus < host or gpus % host == 0, "gpus", f"a multiple of {host}, ranks of a host")
        seconds = source.positive(row.line, row.cells["step_s"], "step time in seconds")
        return Measured(f"{source.path}:{row.line}", gpus, seconds,
                        with_options({**machine, "job": {**self.job, "groups": groups}}, **options))

    def machine(self, gpus: int) -> tuple:
        """(the scenario with as many ranks, on more hosts if it needs these; ranks of a host)"""
        placement, tree = as_map(self.tree["placement"], "hosts"), dict(self.tree)
        parts = [(int(ranks), int(times or 1)) for ranks, times in
                 re.findall(r"(\d+)(?:x(\d+))?", str(placement.get("hosts")))]
        had, host = sum(map(math.prod, parts)), max([1, *dict(parts)])
        if gpus != had:
            tree["placement"] = {**placement, "hosts": f"{min(gpus, host)}x{-(-gpus // host)}"}
        if gpus > had:
            tree["cluster"] = {**as_map(tree["cluster"], "base"), "hosts": -(-gpus // host)}
        return tree, host


def text_of(step: Step, kernels: dict, options: dict) -> str:
    rounded = {key: json.loads(f"{value:.4g}") for key, value in kernels.items()}
    return ("# Written by `ringscope calibrate --step`: options of a job with `program: llm`.\n"
            + yaml.safe_dump({"gpu": {**step.gpu, "kernels": rounded}, **options}, sort_keys=False,
                             default_flow_style=None, width=1000))
