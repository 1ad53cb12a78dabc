# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the job runs: the cluster, the library's costs, the placement, and how far the model may be
off there."""

import dataclasses
import math

from common.quantities import format_bytes
from validation.calibration.fit import bursts
from validation.doctor import errors
from validation.doctor.inputs import FITTED, between_hosts
from validation.doctor.scenario import parts
from validation.doctor.scenario.scene import counts_of, uses_gpus


@dataclasses.dataclass
class Ground:
    """`costs`: a library, as scenarios have it. `family` names the stated errors
    (validation/doctor/errors.py) where `error` is None; vectors of up to `hidden` bytes are as
    short as messages at which the calibration did not see the wire."""

    cluster: dict
    costs: dict
    placement: object
    name: str
    costs_name: str
    family: str
    error: float = None
    hidden: int = 0
    notes: list = dataclasses.field(default_factory=list)

    @property
    def counts(self) -> list:
        return [count for count in counts_of(self.placement) if count]

    @property
    def ranks(self) -> int:
        return sum(self.counts)

    @property
    def hosts(self) -> int:
        return len(self.counts)

    @property
    def on_gpus(self) -> bool:
        return uses_gpus(self.placement)

    def error_at(self, size: int) -> float:
        """One standard deviation of the logarithm of measured over simulated time."""
        if size <= self.hidden:
            return math.inf
        return errors.stated(self.family, size) if self.error is None else self.error

    def scenario(self, job: dict) -> dict:
        return {"question": "How long does this take?", "cluster": self.cluster,
                "library": self.costs, "placement": self.placement, "job": job}


def family_of(library: str, hosts: int) -> str:
    if library not in FITTED:
        return "illustrative"
    return "nccl, between hosts" if hosts > 1 else "nccl"


def take_notes(ground: Ground, calibration):
    """The file leaves alone what the calibration could not see."""
    notes = calibration.get("notes") if isinstance(calibration, dict) else None
    ground.hidden = bursts.hidden_up_to(notes if isinstance(notes, list) else [])
    if ground.hidden:
        ground.notes.append(f"up to {format_bytes(ground.hidden)} the calibration measured a token "
                            "bucket's burst, not the link: these sizes keep the library's choice")


def read(cluster: str, library: str, placement, error=None) -> Ground:
    """`cluster`, `library`: names of ours or files; a calibrated cluster has its library."""
    found = parts.load(parts.path_of("cluster", cluster))
    calibrated = {"cluster", "library"} <= found.keys()
    described = parts.network(cluster)
    ground = Ground(described, {}, placement, cluster, library, "fitted", error)
    if library or not calibrated:
        ground.costs_name = library or ("nccl_a100" if ground.on_gpus else between_hosts(described))
        ground.family = family_of(ground.costs_name, ground.hosts)
        if parts.is_path(ground.costs_name) and "calibration" in parts.load(library):
            ground.family = "fitted"
        ground.costs = parts.resolved("library", ground.costs_name)
    else:
        ground.costs_name = "its calibrated library"
        ground.costs = parts.resolved("library", cluster)
    if not library:
        take_notes(ground, found.get("calibration"))
    if ground.family == "illustrative" and error is None:
        ground.notes.append(f"the costs of '{ground.costs_name}' are illustrative, so only large "
                            "gains count: `ringscope calibrate` reduces the error")
    return ground
