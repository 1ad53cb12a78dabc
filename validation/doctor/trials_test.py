# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are few severities simulated, those near the measured curve, and by few calls?"""

import json
import unittest

import numpy as np

from common.programs import InputError
from validation.doctor import curve as curve_
from validation.doctor import errors, ranking, trials, what_if
from validation.doctor.causes.cause import Cause
from validation.doctor.scenario.scene import Scene

SIZES = [1 << power for power in range(10, 30)]
FACTORS = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0]


def time_of(scenario: dict) -> float:
    """10 us, times `slow`, and 1 ns a byte, times `narrow`, or beyond 1 MiB times `late`; and the
    seconds of the job's skew."""
    job, cluster = scenario["job"], scenario["cluster"]
    size = int(job["bytes"].removesuffix(" B"))
    late = (cluster.get("late", 1) - 1) * 1e-9 * max(0, size - (1 << 20))
    late += float(job.get("skew", "0 s").removesuffix(" s"))
    return cluster.get("slow", 1) * 1e-5 + cluster.get("narrow", 1) * 1e-9 * size + late


class Counted:
    """Stands for WhatIf: the times are a formula, what is asked is counted."""

    def __init__(self):
        self.groups = []

    def answers(self, scenarios: list) -> list:
        return [{"time_s": time_of(one)} for one in scenarios]

    def all(self, groups: list, _: str) -> list:
        self.groups += groups
        return [self.answers(one) for one in groups]

    def severities(self, key: str) -> set:
        return {one[key] for one in (group[0]["cluster"] for group in self.groups) if key in one}


def cause(key: str) -> Cause:
    def edit(scene: Scene, value):
        scene.cluster[key] = value
    return Cause(key, key, "", lambda scene: list(FACTORS), edit)


def ranked(asked: Counted, key: str, severity: float, stated=(), causes=("slow", "narrow")) -> list:
    """Causes of a curve that has this one."""
    jobs = [{"algorithm": "ring", "bytes": f"{size} B"} for size in SIZES]
    scene = Scene({}, {}, [{"placement": "1x2", "job": job} for job in jobs])
    points = [curve_.Point("a", size, 0, "1x2", job, expected=time_of(one))
              for size, job, one in zip(SIZES, jobs, scene.scenarios())]
    changed = cause(key).scene(scene, severity)
    measured = np.log([time_of(one) for one in changed.scenarios()])
    found = ranking.Ranking(measured, np.log([point.expected for point in points]),
                            errors.Errors(points, "nccl"))
    return trials.Trials(asked, scene, curve_.Curve(points, {}, []),
                         list(map(cause, causes)), found, stated).outcomes()


def skewed() -> Cause:
    def edit(scene: Scene, value):
        for job in scene.each_job():
            job["skew"] = f"{value} s"
    return Cause("skew", "skew", "", lambda scene: [1e-3], edit)


class Refusing:
    """Stands for the simulator: refuses what has a bad cluster, and counts the cases of each call.
    """

    program = "none"

    def __init__(self):
        self.calls = []

    def run_text(self, text: str, *_) -> str:
        cases = json.loads(text)["cases"]
        self.calls.append(len(cases))
        if any(one["set"]["cluster"] == "bad" for one in cases):
            raise InputError("bad")
        return json.dumps({"cases": [{"times_s": [float(one["set"]["cluster"])], "busbw": 0,
                                      "bytes": 8, "chosen": "", "ranks": []} for one in cases]})


class Calls(unittest.TestCase):
    def asked(self, clusters: list) -> tuple:
        """(calls, times) of one group a cluster."""
        simulator = Refusing()
        groups = [[{"cluster": one, "library": {}, "job": {"algorithm": "ring", "bytes": "8 B"}}]
                  for one in clusters]
        found = what_if.WhatIf(simulator).all(groups, "")
        return simulator.calls, [answer and answer[0]["time_s"] for answer in found]

    def test_groups_go_together_up_to_what_a_file_holds(self):
        long = " " * (what_if.AT_ONCE // 3)
        self.assertEqual(self.asked([long + str(i) for i in range(5)]),
                         ([2, 2, 1], list(range(5))))

    def test_a_group_that_is_refused_takes_no_other_with_it(self):
        self.assertEqual(self.asked(["1", "bad", "3"]), ([3, 1, 1, 1], [1, None, 3]))


class Narrowed(unittest.TestCase):
    def test_a_severity_is_found_without_simulating_all(self):
        for key in ("slow", "narrow"):
            for severity in FACTORS[1:-1]:
                asked = Counted()
                best = ranked(asked, key, severity)[0]
                self.assertEqual(best.name, key)
                self.assertLess(abs(np.log(best.value / severity)), 0.1, (key, severity))
                own = asked.severities(key) & set(FACTORS)
                self.assertLessEqual(len(own), 1 + trials.NARROWED)

    def test_late_ranks_add_as_much_to_sizes_that_are_not_simulated(self):
        jobs = [{"algorithm": "nccl", "bytes": f"{size} B"} for size in SIZES]
        scene = Scene({}, {}, [{"placement": "1x2", "job": job} for job in jobs])
        times = [time_of(one) for one in scene.scenarios()]
        points = [curve_.Point("a", size, 0, "1x2", job, expected=time)
                  for size, job, time in zip(SIZES, jobs, times)]
        found = ranking.Ranking(np.log(times), np.log(times), errors.Errors(points, "nccl"))
        asked = Counted()
        tried = trials.Trials(asked, scene, curve_.Curve(points, {}, []), [skewed()], found)
        chosen = [0, len(SIZES) - 1]
        tried.simulate([(tried.trials[0], 1e-3)], chosen, "")
        sizes = [what_if.bytes_of(one) for group in asked.groups for one in group
                 if "skew" in one["job"]]
        self.assertEqual(sizes, [SIZES[0], what_if.LATE])
        np.testing.assert_allclose(np.exp(tried.trials[0].found[1e-3][chosen]),
                                   np.array(times)[chosen] + 1e-3, rtol=0.01)

    def test_no_severity_is_simulated_twice_at_the_same_sizes(self):
        asked = Counted()
        ranked(asked, "slow", 16.0)
        shapes = [repr(group) for group in asked.groups if group[0]["cluster"]]
        self.assertEqual(len(shapes), len(set(shapes)))

    def test_the_heaviest_is_simulated_at_few_sizes_first(self):
        for key, few in (("slow", 1), ("narrow", trials.FIRST[0])):
            asked = Counted()
            ranked(asked, key, 16.0)
            heaviest = [group for group in asked.groups if group[0]["cluster"]]
            self.assertEqual([len(group) for group in heaviest[:2]], [few] * 2)
            self.assertEqual(len(asked.groups[-1]), trials.AT_LAST[0])

    def test_a_cause_that_explains_nothing_of_a_short_vector_is_omitted_unless_stated(self):
        for stated in ((), ("late",)):
            asked = Counted()
            ranked(asked, "slow", 16.0, stated, ["slow"] * trials.KEPT + ["late"])
            sizes = {int(one["job"]["bytes"].removesuffix(" B")) for group in asked.groups
                     for one in group if "late" in one["cluster"]}
            self.assertEqual(max(sizes), SIZES[-1] if stated else SIZES[0])


if __name__ == "__main__":
    unittest.main()
