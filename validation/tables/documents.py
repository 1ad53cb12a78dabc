# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers of the documents that the project began with, beside what a command predicts.

results/documents.yaml lists them: `document`, `quantity`, `measured` (one, or least and most),
`command` of ringscope, and where its output has the prediction: `value`, a path into JSON, or
`line`, the begin of a line of CSV, with the `unit` of its last cell.
"""

import json
import pathlib
import shlex

from common.quantities import format_bandwidth, format_time, parse_quantity
from validation.calibration.verdict import markdown, text
from validation.calibration.verdict.simulator import Simulator
from validation.yaml_files import read_yaml

LIST = "documents.yaml"
HEAD = ["| document | quantity | measured | predicted | largest error | command |",
        "|---|---|--:|--:|--:|---|"]


def predicted(entry: dict, output: str) -> float:
    if "line" in entry:
        [line] = [one for one in output.splitlines() if one.startswith(entry["line"])]
        return parse_quantity(f"{line.rsplit(',', 1)[1]} {entry['unit']}")
    found = json.loads(output)
    for key in entry["value"].split("/"):
        found = found[int(key) if isinstance(found, list) else key]
    return float(found)


def row(entry: dict, output: str) -> str:
    listed = entry["measured"] if isinstance(entry["measured"], list) else [entry["measured"]]
    found = predicted(entry, output)
    error = max((found / parse_quantity(one) - 1 for one in listed), key=abs)
    as_text = format_bandwidth if listed[0].endswith("B/s") else format_time
    return markdown.line([entry["document"], entry["quantity"], " to ".join(listed),
                          as_text(found), text.signed(error), f"`{entry['command']}`"])


def table(folder: pathlib.Path, simulator: Simulator) -> str:
    entries = read_yaml(folder / LIST, "a list in YAML")
    outputs = {command: simulator.output(*shlex.split(command))
               for command in {entry["command"] for entry in entries}}
    rows = [row(entry, outputs[entry["command"]]) for entry in entries]
    return "\n".join([*HEAD, *rows]) + "\n"
