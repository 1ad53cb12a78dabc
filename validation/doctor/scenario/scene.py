# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scenario that was measured: cluster, library, and the job of each point. A cause edits a copy
of it.
"""

import collections
import dataclasses

from common.quantities import format_bandwidth, parse_quantity
from validation.calibration.verdict import placements
from validation.doctor.scenario.parts import merged

QUESTION = "What would this take?"


def scaled(text: str, factor: float) -> str:
    """A bandwidth times `factor`."""
    return format_bandwidth(parse_quantity(str(text), "bandwidth") * factor, digits=6)


def scale(part: dict, factor: float, *keys: str):
    """Multiplies the bandwidths that `part` has under these keys; "bandwidth" without any."""
    for key in keys or ("bandwidth",):
        if key in part:
            part[key] = scaled(part[key], factor)


def times(value, factor: float, more: float = 0.0):
    """A time, sized or not, times `factor` and `more` seconds longer."""
    if isinstance(value, list):
        return [times(one, factor, more) for one in value]
    if isinstance(value, dict):
        return {key: times(one, factor, more) if key == "time" else one
                for key, one in value.items()}
    return f"{parse_quantity(str(value), 'time') * factor + more:.9g} s"


@dataclasses.dataclass
class Scene:
    """`asks`: {placement, job} of each point, and `over`, what is laid over its cluster."""

    cluster: dict
    library: dict
    asks: list
    neighbours: dict | None = None

    @property
    def host(self) -> dict:
        """The description of all hosts."""
        return self.cluster.setdefault("host", {"type": "simple"})

    @property
    def type(self) -> str:
        return self.host.get("type", "simple")

    @property
    def blocks(self) -> dict | None:
        """Costs of NCCL's kernels; None of a library without them."""
        return self.library.get("blocks")

    @property
    def on_gpus(self) -> bool:
        return any(uses_gpus(ask["placement"]) for ask in self.asks)

    @property
    def hosts(self) -> int:
        """Hosts that take part, in the point with the most of them."""
        return max(map(hosts_of, (ask["placement"] for ask in self.asks)), default=1)

    @property
    def ranks(self) -> int:
        return max(map(ranks_of, (ask["placement"] for ask in self.asks)), default=1)

    @property
    def between_hosts(self) -> bool:
        return self.hosts > 1

    @property
    def gpus(self) -> int:
        """Number of a host's."""
        host = self.host
        if self.type == "custom":
            return len(host.get("gpus") or [])
        if self.type != "pcie_tree":
            return 0
        return (int(host.get("sockets", 2)) * int(host.get("switches_per_socket", 1))
                * int(host.get("gpus_per_switch", 1)))

    @property
    def sockets(self) -> int:
        if self.type == "custom":
            return len(self.host.get("domains") or [1])
        return 1 if self.type == "simple" else int(self.host.get("sockets", 2))

    @property
    def nics(self) -> int:
        """Number of a host's."""
        if self.type == "custom":
            return int(self.host.get("nics", 1))
        return len(self.host["nics"]) if "nics" in self.host else 1

    def host_bandwidth(self) -> float:
        """Bytes per second that the cables of a host carry in one direction."""
        link = self.cluster.get("link") or {}
        return self.nics * parse_quantity(str(link.get("bandwidth", "unlimited")), "bandwidth")

    def scenarios(self, which=None) -> list:
        """The scenarios of the points `which`, or of all."""
        chosen = range(len(self.asks)) if which is None else which
        found = []
        for index in chosen:
            ask = dict(self.asks[index])
            over = ask.pop("over", None)
            cluster = merged(self.cluster, over) if over else self.cluster
            one = {"question": QUESTION, "cluster": cluster, "library": self.library, **ask}
            found.append(one | ({"neighbours": self.neighbours} if self.neighbours else {}))
        return found

    def each_job(self):
        return (ask["job"] for ask in self.asks)

    def set_option(self, which, name: str, value):
        """An option of each job of which `which` is true."""
        for job in filter(which, self.each_job()):
            job["options"] = {**job.get("options", {}), name: value}

    def stage(self):
        """Data of GPUs go through host memory, with a hand-over where the cluster says none."""
        self.host.setdefault("staging", {"latency": "5 us"})


def counts_of(placement) -> list:
    """Ranks of each host."""
    if isinstance(placement, dict):
        placement = placement.get("hosts", "1")
    if isinstance(placement, list):
        return list(collections.Counter(
            entry.get("host", 0) if isinstance(entry, dict) else 0 for entry in placement).values())
    found = placements.parse(str(placement), "placement")
    if found.hosts > 4096:
        return [found.most] * found.hosts
    return [each for each, hosts in found.terms for _ in range(hosts)]


def hosts_of(placement) -> int:
    return sum(count > 0 for count in counts_of(placement))


def ranks_of(placement) -> int:
    return sum(counts_of(placement))


def uses_gpus(placement) -> bool:
    if isinstance(placement, list):
        return any(isinstance(entry, dict) and "gpu" in entry for entry in placement)
    return isinstance(placement, dict) and placement.get("on") == "gpu"
