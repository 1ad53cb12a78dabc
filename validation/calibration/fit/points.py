# SPDX-License-Identifier: LGPL-2.1-or-later
"""The measured points of one or more documents, by probe, and how they are drawn again."""

import dataclasses
import statistics

import numpy as np

from common.groups import grouped
from common.programs import InputError
from validation.measurements import case_key, merge_samples


@dataclasses.dataclass
class Point:
    """One measured case; `seconds` is what the fit sees of it."""
    what: str
    parameters: dict
    seconds: float
    samples: np.ndarray
    spread: float  # relative, one standard deviation; 0 where unknown
    key: str
    where: dict
    scenario: dict = None

    @property
    def size(self):
        return float(self.parameters.get("bytes", 0))

    def redrawn(self, generator):
        """The same case with its samples drawn again."""
        if len(self.samples) < 2:
            return self
        drawn = generator.choice(self.samples, len(self.samples))
        return dataclasses.replace(self, seconds=float(np.median(drawn)))


def point_of(measurement) -> Point:
    samples = np.asarray(measurement.samples_s, float)
    low, high = measurement.p10_s, measurement.p90_s
    if len(samples) >= 5:
        low, high = np.quantile(samples, [0.1, 0.9])
    known = low is not None and high is not None and measurement.median_s > 0
    spread = float(high - low) / 2.56 / measurement.median_s if known else 0.0
    return Point(measurement.what, measurement.parameters, measurement.median_s, samples, spread,
                 case_key(measurement), measurement.document.where, measurement.scenario)


def asked_for(documents, only) -> list:
    """The documents, of replays the measurements that `only` asks for; those without any left out.
    Raises InputError where none is left."""
    found = []
    for document in documents:
        some = [one for one in document.measurements
                if document.kind != "replay" or all(
                    str(one.parameters.get(key)) in values for key, values in only.items())]
        if some or not only:
            found.append(dataclasses.replace(document, measurements=some))
    if only and not any(document.kind == "replay" for document in found):
        words = " ".join(f"{key}={' or '.join(values)}" for key, values in only.items())
        raise InputError(f"--only {words}: expected replays with it among the documents, got none")
    return found


class Points:
    """All points, those of one case merged."""

    def __init__(self, points):
        self.all = points

    @staticmethod
    def of(documents, kinds=("probes", "replay")):
        cases = grouped((one for document in documents if document.kind in kinds
                         for one in document.measurements), case_key)
        return Points([point_of(merge_samples(group)) for group in cases.values()])

    def of_probe(self, what, **parameters):
        """Points of one probe whose parameters are as said, by size. A list: any of it."""
        found = [point for point in self.all if point.what == what and all(
            point.parameters.get(key) in (value if isinstance(value, (list, tuple)) else [value])
            for key, value in parameters.items())]
        return sorted(found, key=lambda point: point.size)

    def curve(self, what, **parameters):
        """(sizes, median seconds), one entry per size."""
        sizes = grouped(self.of_probe(what, **parameters), lambda point: point.size)
        return (np.array(list(sizes)),
                np.array([statistics.median(point.seconds for point in some)
                          for some in sizes.values()]))

    def redrawn(self, generator):
        return Points([point.redrawn(generator) for point in self.all])

    @property
    def are_sampled(self):
        """True if samples were published, not only medians."""
        return any(len(point.samples) > 1 for point in self.all)
