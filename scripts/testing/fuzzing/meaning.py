# SPDX-License-Identifier: LGPL-2.1-or-later
"""Valid scenarios: do the kernels agree, and does the answer keep what holds for every answer?

All kernels, and without skipping: the same time. All rates twice as high, all times and costs
halved: half the time, to the last bit; three times: a third, or what rounding alone makes of it
(parting.py). Hosts of a star under other names: the same. No resource used beyond its capacity;
states of each rank and the critical path add up to the time; repetitions without random numbers are
equal; the same bytes twice.
"""

import json

from testing.fuzzing import parting, scenarios
from testing.fuzzing.jobs import Catalogue
from testing.fuzzing.quantities import as_yaml, holds, scaled
from testing.fuzzing.verdict import problem

NAME = "meaning"
ABOUT = "random scenarios: kernels agree, scaling scales, sums add up"
CLOSE = 1e-9
REFERENCE_MESSAGES = 400  # the reference kernel looks at everything, always
RANDOM = ("skew", "noise", "jitter")


def run(options, budget, outcomes):
    counts = {"refused": 0, "stuck": 0, "sensitive": 0, "long": 0}
    catalogue = Catalogue.ask(options.program)

    def one(number):
        made = scenarios.scenario(options.random(NAME, number), catalogue)
        check = Check(options.program, made)
        try:
            check.all()
        except Wrong as wrong:
            outcomes.found(NAME, number, str(wrong),
                           {"scenario.yaml": as_yaml(made), **wrong.files})
        if check.state:
            counts[check.state] += 1

    budget.each(one)
    print(f"{NAME}: {counts['refused']} refused, {counts['stuck']} stuck, "
          f"{counts['sensitive']} in which sharing magnifies the last digit of a rate, "
          f"{counts['long']} that part too late to say where")


class Wrong(Exception):
    def __init__(self, text, **files):
        super().__init__(text)
        self.files = {f"{name}.yaml": as_yaml(made) for name, made in files.items()}


class Check:
    """One scenario; `state` says how it ended where it has no answer, or none to be judged by."""

    def __init__(self, program, made):
        self._program = program
        self._made = made
        self.state = None

    def all(self):
        report = self._report(self._made, "fluid")
        if report is None:
            return
        case = report["cases"][0]
        self._sums(case)
        self._kernels(report)
        self.scaling(case)
        self._relabelled()
        if not self._is_random() and len(set(case["times_s"])) > 1:
            raise Wrong(f"repetitions differ: {case['times_s']}")

    def _report(self, made, kernel, *more):
        """None where it is refused, or stuck: then every kernel says so."""
        words = ["run", "scenario.yaml", "--kernel", kernel, "--json", "out.json", *more]
        ended = self._program.run(words, {"scenario.yaml": as_yaml(made)}, keep=True)
        wrong = problem(ended)
        if wrong:
            raise Wrong(wrong)
        if ended.code == 0:
            return json.loads(ended.files["out.json"])
        self.state = "stuck" if ended.code == 3 else "refused"
        if ended.code == 4:
            raise Wrong(f"exit code 4: {ended.err.decode()}")
        return None

    def _is_random(self):
        return holds(self._made, RANDOM)

    def _kernels(self, report):
        case = report["cases"][0]
        if without_wall(self._report(self._made, "fluid")) != without_wall(report):
            raise Wrong("the same scenario gives other bytes the second time")
        self._same(case, self._report(self._made, "fluid", "--no-skip"), "without skipping", CLOSE)
        self._same(case, self._report(self._made, "fluid", "--fold-from", "2"), "folded", CLOSE)
        exact = 0 if "skipped" not in case else CLOSE
        self._same(case, self._report(self._made, "simgrid"), "on simgrid", exact)
        beside = sum(job["rounds"] * job["ranks_count"] ** 2 for job in case.get("neighbours", []))
        if case["messages"] * len(case["times_s"]) + beside / 5 <= REFERENCE_MESSAGES:
            self._same(case, self._report(self._made, "reference"), "on reference", exact)

    def _same(self, case, other, how, tolerance):
        other_times = other["cases"][0]["times_s"] if other else None
        for ours, theirs in zip(case["times_s"], other_times or [None] * len(case["times_s"])):
            if theirs is None or abs(ours - theirs) > tolerance * ours:
                raise Wrong(f"{how}: {theirs!r} s for {ours!r} s")

    def _rates_choose(self):
        """True if other rates may find other rings: NCCL's search tries the rates of a table."""
        jobs = [self._made["job"], *(self._made.get("neighbours") or {}).values()]
        words = json.dumps(jobs, default=str)
        return any(name in words for name in ('"channel_', '"nccl"'))

    def scaling(self, case):
        if self._rates_choose():
            return
        for faster, tolerance in ((2, 0), (3, CLOSE)):
            made = scaled(self._made, faster)
            times = self._times(made)
            parted = max(parting.apart(ours, theirs * faster) for ours, theirs in
                         zip(case["times_s"], times)) if times else 1
            if parted <= tolerance:
                continue
            why = f"{faster} times as fast: {times} s for {case['times_s']} s"
            if tolerance:
                ours, theirs = self._timeline(self._made), self._timeline(made)
                if not ours or not theirs:
                    self.state = "long"
                    continue
                at_once = parting.begins_at_once(ours, theirs, faster, parted)
                if not at_once:
                    self.state = "sensitive"
                    continue
                why += f"\n{at_once}"
            raise Wrong(why, scaled=made)

    def _times(self, made):
        report = self._report(made, "fluid")
        return report["cases"][0]["times_s"] if report else None

    def _timeline(self, made):
        """None where its files are longer than a program's are read."""
        words = ["run", "scenario.yaml", "--timeline", "out.csv", "--trace", "out.json"]
        ended = self._program.run(words, {"scenario.yaml": as_yaml(made)}, keep=True)
        if wrong := problem(ended):
            raise Wrong(wrong)
        names = ("out.csv", "out.json")
        if not all(name in ended.files for name in names):
            return None
        return parting.rows_of(*(ended.files[name].decode() for name in names))

    def _relabelled(self):
        cluster, place = self._made["cluster"], self._made["placement"]
        plain = cluster["network"] == "star" and cluster["host"]["type"] == "simple"
        if not plain or len(place) > 1 or holds(self._made, ("neighbours", "storage")):
            return
        each = [int(count) for count in place["hosts"].split("-")]
        hosts = [host for host, count in enumerate(each) for _ in range(count)]
        cores = [core for count in each for core in range(count)]
        times = []
        for turn in range(2):
            made = dict(self._made, placement=[
                {"host": (host + turn) % cluster["hosts"], "core": core}
                for host, core in zip(hosts, cores)])
            times.append(self._times(made))
        if times[0] != times[1]:
            raise Wrong(f"hosts under other names: {times[1]} s for {times[0]} s", renamed=made)

    @staticmethod
    def _sums(case):
        for resource in case["resources"]:
            if resource["utilisation"] > 1 + CLOSE:
                raise Wrong(f"{resource['name']} used {resource['utilisation']} of its capacity")
        if len(case["times_s"]) > 1:
            return
        time = case["time_s"]
        for rank in case["ranks"]:
            total = sum(rank["seconds"].values())
            if parting.apart(total, time) > CLOSE:
                raise Wrong(f"the states of rank {rank['rank']} add up to {total} of {time} s")
        total = sum(part["seconds"] for part in case["critical_path"])
        if parting.apart(total, time) > CLOSE:
            raise Wrong(f"the critical path adds up to {total} of {time} s")


def without_wall(report):
    report = json.loads(json.dumps(report))
    for case in report["cases"]:
        case.pop("wall_s"), case.pop("peak_rss_bytes")
    return report
