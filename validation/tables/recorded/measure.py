# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records a program in the lab, and measures it there (root, Linux; validation/lab).

Usage: python3 -m validation.tables.recorded.measure CAMPAIGN record|run BUILD

record: probes, where they are its own, and a record of each program of campaigns/CAMPAIGN.yaml;
run: its launches. The prediction comes between both:
python3 -m validation.tables.recorded.table RINGSCOPE CAMPAIGN --write
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from validation.tables.recorded import campaign

LAB = str(campaign.ROOT / "validation" / "lab" / "ringscope-lab")


def lab(command: str, build: pathlib.Path, words: list) -> str:
    """Standard output of ringscope-lab."""
    ran = subprocess.run([LAB, command, "--build", str(build), *words], check=True,
                         stdout=subprocess.PIPE, text=True)
    return ran.stdout


def halo(build: pathlib.Path, words: str) -> list:
    return [str(build / "ringscope-mpi_halo"), *words.split()]


def record(asked: campaign.Campaign, build: pathlib.Path):
    shutil.rmtree(asked.folder, ignore_errors=True)
    asked.folder.mkdir(parents=True)
    if asked.probe:
        lab("probe", build, ["--rate", asked.rate, "--placement", asked.probe, "-o",
                             str(asked.folder / "probes.json")])
    for name, words in asked.programs.items():
        lab("run", build, ["--rate", asked.rate, "--placement", asked.record, "--",
                           str(build / "ringscope-mpi"), "record", "-o",
                           str(asked.folder / name), "--", *halo(build, words)])
        for file in (asked.folder / name).iterdir():  # the build's folder is of no interest
            text = re.sub(r"(?m)^program \S*/", "program ", file.read_text(encoding="utf-8"))
            file.write_text(text, encoding="utf-8")


def launch(asked: campaign.Campaign, build: pathlib.Path, name: str, placement: str) -> dict:
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        out = lab("run", build, ["--rate", asked.rate, "--placement", placement, "--report",
                                 report.name, "--", *halo(build, asked.programs[name])])
        foreign = json.load(open(report.name, encoding="utf-8"))["foreign_cores"]
    return {"program": name, "placement": placement, "foreign_cores": round(foreign, 3),
            "seconds": float(re.search(r"^([\d.]+) s$", out, re.MULTILINE)[1])}


def run(asked: campaign.Campaign, build: pathlib.Path):
    launches = []
    for _ in range(asked.launches):
        for name in asked.programs:
            for placement in asked.placements:
                launches.append(launch(asked, build, name, placement))
                print(launches[-1], flush=True)
    asked.measured.write_text(json.dumps(launches, indent=1) + "\n", encoding="utf-8")


def main():
    name, what, build = sys.argv[1:]
    {"record": record, "run": run}[what](campaign.read(name), pathlib.Path(build).resolve())


if __name__ == "__main__":
    main()
