# SPDX-License-Identifier: LGPL-2.1-or-later
"""The text output of p2pBandwidthLatencyTest (CUDA samples): matrices of copies between GPUs, with
and without peer access.

Bandwidths are of five copies of 40 MB, latencies of copies of 16 bytes (the sample's source); those
of both directions count both.
"""

import re
import statistics

from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.source import Source, matrix

NAME = "p2p-test"
TITLE = re.compile(r"\s*(?:(?P<ways>Uni|Bi)directional )?P2P=(?P<access>Disabled|Enabled) "
                   r"(?P<what>Bandwidth|Latency) (?:\(P2P (?P<by>Writes|Reads)\) )?"
                   r"Matrix \((?P<unit>GB/s|us)\)")
MARKS = TITLE.pattern
FORM = (re.compile(r"\s*(?:D\\D|GPU)((?:\s+\d+)+)\s*$"), "D\\D  0  1", True)
SMALL, LARGE, COPIES = 16, 40_000_000, 5
LEAST_DEVICES, ODD = 3, 0.7  # share of the median below which a GPU's own copies are odd
CONNECTED = "P2P Connectivity Matrix"
ACCESS = {"Enabled": "peer", "Disabled": "staged"}


def odd_devices(path: str, rates: dict) -> list:
    """Notes on GPUs whose copies inside their own memory, {GPU: GB/s}, are slow among all."""
    usual = statistics.median(rates.values()) if len(rates) >= LEAST_DEVICES else 0
    return [f"{path}: copies inside GPU {gpu} reach {rate:.4g} GB/s, the median of all GPUs is "
            f"{usual:.4g} GB/s: is another program using it?"
            for gpu, rate in rates.items() if rate < ODD * usual]


def parse(source: Source, _: Given) -> Findings:
    findings = Findings(where={"program": "p2pBandwidthLatencyTest"})
    apart: set = set()  # pairs whose copies are staged, whatever is enabled
    for title, text in enumerate(source.lines, 1):
        if text.lstrip().startswith(CONNECTED):
            apart = {cell[:2] for cell in matrix(source, title, *FORM) if cell[2].text == "0"}
        said = TITLE.match(text)
        if not said:
            continue
        own: dict = {}
        for row, column, cell, line in matrix(source, title, *FORM):
            value = source.number(line, cell)
            if row == column and said["what"] == "Bandwidth":
                own[row] = value
            if row == column or value == 0:
                continue
            access = "staged" if (row, column) in apart else ACCESS[said["access"]]
            given = {"from": row, "to": column, "access": access,
                     "directions": 2 if said["ways"] == "Bi" else 1}
            if said["by"] == "Reads":
                given |= {"from": column, "to": row, "by": "reads"}
            if said["what"] == "Latency":
                seconds = source.microseconds(line, cell)
                findings.add("probes", "gpu_peer_copy", seconds, {"bytes": SMALL, **given})
            else:
                seconds = LARGE * given["directions"] / (value * 1e9)
                findings.add("probes", "gpu_peer_copy", seconds,
                             {"bytes": LARGE, "copies": COPIES, **given})
        for note in odd_devices(f"{source.path}:{title}", own):
            findings.note(note)
    return findings
