# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measured collectives, and what a calibration that is tried predicts for them."""

import numpy as np

from validation.calibration.fit import profile
from validation.calibration.verdict import accuracy, cases, model
from validation.calibration.verdict.simulator import batch
from validation.calibration.verdict.waits import is_mean, with_detours
from validation.progress import watched

REPETITIONS = 40  # of each case in the loop, of few ranks: their mean is the model's
FEW = 4  # ranks; many draw as many random numbers in fewer repetitions
MESSAGES = 400_000  # in one round of simulations at most; costlier cases are left out


class Loop:
    """The measured cases, and what a calibration predicts for them."""

    def __init__(self, result, documents, simulator, settings):
        self.result, self.simulator = result, simulator
        self.cases, omitted = cases.simulated(cases.gather(documents, set(), accuracy.Limits()))
        result.notes += omitted
        self.known, self.nccl = simulator.algorithms(), simulator.nccl()
        self.stated, self.algorithms = settings.algorithms, dict(settings.algorithms)
        self.rounds = 0  # of simulations, in all
        self.left = settings.rounds  # of those that fit
        self.cut = False  # more were wanted
        # Two rounds to see what is affordable; the tables that are tried are few beside the rest.
        self.bar = watched(None, "fitting collectives, at most", total=settings.rounds + 2)

    def measured(self):
        return np.array([case.measured.median_s for case in self.cases])

    def scenarios(self, tried, once):
        fitted = model.Model("the fit", profile.cluster_of(tried), profile.library_of(tried),
                             {"algorithms": self.algorithms}, self.stated, self.nccl, self.known)
        found = [model.scenario_for(fitted, case, self.known) for case in self.cases]
        for scenario, case in zip(found, self.cases):
            scenario["job"]["repetitions"] = 1 if once else model.repetitions_of(
                case, REPETITIONS, FEW, 1)
        return found

    def run(self, tried, once=False):
        """Results of a calibration that is tried."""
        self.rounds += 1
        self.bar.update()
        names = [cases.place_of(case.measured) for case in self.cases]
        return batch(self.simulator, profile.library_of(tried), self.scenarios(tried, once), names)

    def predict(self, tried):
        # numpy's mean: a last bit decides between two minima of kept fits.
        middle = [np.mean if is_mean(case) else np.median for case in self.cases]
        return np.array([float(one(result["times_s"])) * with_detours(tried.host.detours, case)
                         for one, result, case in zip(middle, self.run(tried), self.cases)])

    def keep_affordable(self):
        """Leaves out the costliest cases until a round is short."""
        messages = np.array([case["messages"] for case in
                             self.run(self.result, once=True)]
                            ) * [model.repetitions_of(case, REPETITIONS, FEW, 1)
                                 for case in self.cases]
        order = np.argsort(messages, kind="stable")
        kept = set(order[np.cumsum(messages[order]) <= MESSAGES]) or {order[0]}
        left_out = len(self.cases) - len(kept)
        self.cases = [case for i, case in enumerate(self.cases) if i in kept]
        if left_out:
            self.result.notes.append(f"{left_out} measured collectives with the most messages "
                                     "were omitted from the fit, so that it ends in time")
