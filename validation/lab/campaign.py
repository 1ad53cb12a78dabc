# SPDX-License-Identifier: LGPL-2.1-or-later
"""Many cases, measured launch by launch in turn, so that what disturbs the machine for a while
disturbs all of them alike; what is measured already is not measured again.

OUTPUT/launches/CASE.1.json, CASE.2.json, ... are the launches; OUTPUT/CASE.json holds all samples
of a case, with the foreign load of each launch, once its last launch is there.
"""

import dataclasses
import itertools
import pathlib
import statistics
import sys
import tempfile

from common import quantities
from validation import measurements
from validation.lab import cases, claim, hosts, recorded, session
from validation.progress import watched


@dataclasses.dataclass
class Step:
    """One launch of one case, and the file that says it is done."""
    case: cases.Case
    number: int
    path: pathlib.Path

    def foreign_cores(self) -> float:
        """Foreign cores of the launch that was recorded; nothing is as bad as not being there."""
        if not self.path.exists():
            return float("inf")
        return measurements.read(str(self.path)).where["foreign_cores"]


def summary(path: pathlib.Path) -> str:
    document = measurements.read(str(path))
    measured = document.measurements[0]
    spread = (measured.p90_s - measured.p10_s) / measured.median_s
    return (f"{quantities.format_time(measured.median_s)}, spread {spread:.0%}, "
            f"{document.where['foreign_cores']:.2f} foreign cores")


def launch_once(lab, step: Step):
    """Leaves its file where it went well; returns the exit code."""
    case = step.case
    lab.shape(case.rate)
    with tempfile.TemporaryDirectory(dir=claim.SCRATCH, prefix="launch.") as folder:
        scenario = pathlib.Path(folder) / f"{case.name}.yaml"
        scenario.write_text(case.scenario, encoding="utf-8")
        job = recorded.Job("replay", [str(scenario)], case.arguments, case.parameters)
        fresh = pathlib.Path(folder) / "measured.json"
        outcome = recorded.record(lab, case.launch, job, str(fresh))
        if outcome.exit_code == 0 and outcome.foreign_cores <= step.foreign_cores():
            measurements.write(str(step.path), measurements.read(str(fresh)))
    return outcome.exit_code


def merge(steps: list, output: pathlib.Path):
    """All samples of the launches of one case as one document. The load is the worst launch's."""
    documents = [measurements.read(str(step.path)) for step in steps]
    first = documents[0]
    merged = measurements.merge_samples([one.measurements[0] for one in documents])
    merged.extra["launches"] = [
        {"date": one.where["date"], "foreign_cores": one.where["foreign_cores"],
         "samples": len(one.measurements[0].samples_s)} for one in documents]
    first.where["foreign_cores"] = max(one.where["foreign_cores"] for one in documents)
    merged.document = first
    measurements.write(str(output), dataclasses.replace(first, measurements=[merged]))


class Campaign:
    """Launches to be measured, and those that have been."""

    def __init__(self, plan: cases.Plan, output: str):
        self.plan, self.output = plan, pathlib.Path(output)
        folder = self.output / "launches"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise hosts.LabError(f"{output}: cannot be made: {error.strerror}") from None
        self.steps = {case.name: [Step(case, number, folder / f"{case.name}.{number}.json")
                                  for number in range(1, plan.launches + 1)]
                      for case in plan.cases}
        self.failed = {}

    def merged(self, name: str) -> pathlib.Path:
        return self.output / f"{name}.json"

    def unmerged(self) -> list:
        """The steps of each case that is not done."""
        return [steps for name, steps in self.steps.items() if not self.merged(name).exists()]

    def missing(self) -> list:
        """Steps in the order of a round: A, B, C, then again A, B, C."""
        rounds = zip(*self.unmerged())
        return [step for step in itertools.chain(*rounds) if not step.path.exists()]

    def disturbed(self) -> list:
        return [step for step in itertools.chain(*self.unmerged())
                if step.path.exists() and step.foreign_cores() > self.plan.foreign_cores]

    def measure(self, lab, steps: list):
        bar = watched(steps, "")
        for step in bar:
            name = f"{step.case.name}, launch {step.number}"
            bar.set_description(name)
            try:
                code = launch_once(lab, step)
                said = summary(step.path) if code == 0 else f"failed with exit code {code}"
            except hosts.LabError as error:
                code, said = error.exit_code, str(error)
            if code:
                self.failed[step.case.name] = code
            bar.write(f"{name}: {said}", file=sys.stderr)

    def merge(self):
        for name, steps in self.steps.items():
            if not self.merged(name).exists() and all(step.path.exists() for step in steps):
                merge(steps, self.merged(name))

    def report(self) -> int:
        """Prints what there is now; returns the exit code."""
        there = [name for name in self.steps if self.merged(name).exists()]
        print(f"{len(there)} of {len(self.steps)} cases measured, in {self.output}")
        for name in self.steps:
            if name in self.failed:
                print(f"{name}: a launch failed with exit code {self.failed[name]}")
        if there:
            loads = [measurements.read(str(self.merged(name))).where["foreign_cores"]
                     for name in there]
            print(f"foreign load: median {statistics.median(loads):.2f} cores, "
                  f"most {max(loads):.2f}")
        return max(self.failed.values(), default=0)


def run(file: str, output: str, build: pathlib.Path) -> int:
    """Measures what `output` does not hold yet. A case that fails does not end the others."""
    plan = cases.read(file, build)
    campaign = Campaign(plan, output)
    if campaign.missing() or campaign.disturbed():
        most = max(len(case.launch.placement) for case in plan.cases)
        with session.session(most) as lab:
            campaign.measure(lab, campaign.missing())
            for _ in range(plan.again):
                campaign.measure(lab, campaign.disturbed())
    campaign.merge()
    return campaign.report()
