# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fitted model: what `ringscope calibrate` wrote, and what it says of a measured case."""

import copy
import math
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from common.programs import InputError
from common.quantities import format_bandwidth, parse_quantity
from validation.calibration.verdict import cases, gpus
from validation.yaml_files import read_yaml

CHOSEN = "open_mpi_tuned"  # stands for the library's own choice, unless the user says
LIBNBC = "open_mpi_libnbc"  # the same, of a non-blocking collective
VERSION = re.compile(r"(open\s*mpi|mpich)\D*(\d+)\.(\d+)", re.IGNORECASE)
FIT_ONE = "`ringscope calibrate` fits one to a log"
REPETITIONS = 25  # runs of a model that draws random numbers; their median is the prediction
MANY = 256  # ranks: more draw enough of them in fewer runs, LEAST at least
LEAST = 3


class Choice(NamedTuple):
    """The algorithm that ran, or that stands for the library's choice; `why` in words. `known`:
    somebody said so, or measured it; else it is a guess."""

    algorithm: str
    why: str
    known: bool


@dataclass
class Model:
    """`cluster` and `library` are what the simulator reads."""

    path: str
    cluster: dict
    library: dict
    calibration: dict
    algorithms: dict = field(default_factory=dict)  # {collective: what the library chose}
    nccl: dict = field(default_factory=dict)  # {collective: what the simulator has for NCCL's}
    known: dict = field(default_factory=dict)  # {collective: the simulator's algorithms}

    @property
    def fitted(self) -> set:
        return set(self.calibration.get("fitted") or [])

    @property
    def nominal_known(self) -> bool:
        """True if the link's bandwidth is a nominal rate, of which goodput is the usable share."""
        return "goodput" in (self.library.get("network") or {})

    @property
    def draws(self) -> list:
        """Other models that its measurements allow as well, what differs of each."""
        return self.calibration.get("draws") or []

    @property
    def errors(self) -> dict:
        """{probe: {points, median, ...}} of the fit on what it saw."""
        return self.calibration.get("errors") or {}

    @property
    def range(self) -> dict:
        """Sizes in bytes, hosts and ranks a host that the fit has seen; {} where nobody says."""
        seen = dict(self.library.get("fitted") or {})
        return seen | {key: parse_quantity(str(seen[key]), "bytes") for key in ("least", "most")
                       if key in seen}

    @property
    def emulated(self) -> str:
        """Emulated parts where the fit was measured, in words; "" where all was real."""
        return str(self.calibration.get("emulated") or "")

    def choice_of(self, case: cases.Case) -> Choice:
        """As measured; or as the user says, as the fit found, as NCCL or as the version of the MPI
        lets expect."""
        collective, mpi = str(case.parameters["collective"]), case.series.mpi
        posted = case.is_posted
        if case.parameters["algorithm"]:
            return Choice(case.parameters["algorithm"], "as measured", True)
        if collective in self.algorithms:
            return Choice(self.algorithms[collective], "set by --algorithm", True)
        found = (self.calibration.get("algorithms") or {}).get(collective)
        if found and not posted:
            return Choice(found, "as the fit found", True)
        if found := gpus.chosen(case.measured.document.where, collective, self.nccl):
            return Choice(found, "as NCCL does", True)
        table = table_of(mpi, collective, posted)
        name = stand_in(table or (LIBNBC if posted else CHOSEN), self.known.get(collective, ()))
        if name == table:
            return Choice(table, f"as {mpi} does", True)
        said = f"where.mpi is '{mpi}', no version of Open MPI" if mpi else "where.mpi is empty"
        return Choice(name, f"no table of {mpi} has it" if table else said, False)

    def algorithm_of(self, case: cases.Case) -> str:
        return self.choice_of(case).algorithm

    def random(self, job: dict) -> bool:
        """True if two repetitions may differ."""
        found = [(self.library.get(way) or {}).get("jitter", "0 s")
                 for way in ("self", "shm", "network")]
        return any(is_positive(value) for value in [*found, job.get("skew", "0 s")])


def table_of(mpi: str, collective: str, posted: bool = False) -> str:
    """Table that a library of that version goes by, of a non-blocking collective if `posted`, as
    the simulator has it; "" where the words name no version of Open MPI, nor one of MPICH whose
    choice is known."""
    found = VERSION.search(mpi)
    if not found:
        return ""
    version = int(found[2]), int(found[3])
    if found[1].lower() == "mpich":
        known = collective == "allgather" or (
            collective == "allreduce" and (version[0] == 4 or posted))
        return "mpich_4" if known else ""
    if posted and collective == "allreduce":
        return LIBNBC + "_5_0" * (version >= (5, 0))
    if version >= (5, 0) and collective == "allreduce":
        return "open_mpi_5_0"
    return CHOSEN if version >= (4, 1) else CHOSEN + "_4_0"


def stand_in(name: str, known) -> str:
    """`name`, or, where a collective has no such algorithm, the first that messages carry out."""
    plain = [one for one in known if one != "nccl" and not one.startswith("channel_")]
    return name if name in known or not plain else plain[0]


def is_positive(value) -> bool:
    """True if a time, or one by size, is above 0."""
    if isinstance(value, list):
        return any(is_positive(one) for one in value)
    if isinstance(value, dict):
        return any(is_positive(one) for key, one in value.items() if key != "up_to")
    return parse_quantity(str(value)) > 0


def read(path: str) -> Model:
    """Raises InputError where the file is not what `calibrate` writes."""
    found = read_yaml(path, "a fitted model in YAML", f"; {FIT_ONE}")
    if not isinstance(found, dict):
        raise InputError(f"{path}: expected a fitted model with the keys cluster, library and "
                         f"calibration, got {type(found).__name__}; {FIT_ONE}")
    for key in ("cluster", "library", "calibration"):
        if not isinstance(found.get(key), dict):
            got = f"{found[key]!r:.60}" if key in found else "nothing: the key is missing"
            raise InputError(f"{path}: {key}: expected a map, as `ringscope calibrate` writes it, "
                             f"got {got}")
    check_draws(path, found["calibration"])
    check_range(path, found["library"].get("fitted"))
    fitted = found["calibration"].get("fitted") or []
    if not isinstance(fitted, list) or not all(isinstance(one, str) for one in fitted):
        raise InputError(f"{path}: calibration.fitted: expected a list of case keys")
    return Model(path, found["cluster"], found["library"], found["calibration"])


def check_draws(path: str, calibration: dict):
    """Refuses other models and errors that `calibrate` does not write so."""
    draws = calibration.get("draws") or []
    if not isinstance(draws, list) or not all(isinstance(one, dict) and isinstance(
            one.get("library", {}), dict) for one in draws):
        raise InputError(f"{path}: calibration.draws: expected a list of maps with a library")
    errors = calibration.get("errors") or {}
    if not isinstance(errors, dict) or not all(
            isinstance(one, dict) and is_error(one.get("median"))
            and is_error(one.get("factor", 1.0), 1.0)
            and all(is_error(one.get(key, 1.0), 1e-9) for key in ("low", "high"))
            for one in errors.values()):
        raise InputError(f"{path}: calibration.errors: expected maps with a median from 0 on, a "
                         "factor from 1 on, low and high above 0")


def is_error(value, least: float = 0.0) -> bool:
    return isinstance(value, (int, float)) and least <= value < math.inf


def check_range(path: str, seen):
    counts = ("hosts", "ranks_per_host")
    if seen is None:
        return
    if not isinstance(seen, dict) or not {"least", "most", *counts} <= set(seen) or not all(
            isinstance(seen[key], int) for key in counts):
        raise InputError(f"{path}: library.fitted: expected a map with least, most, "
                         f"{' and '.join(counts)}")
    for key in ("least", "most"):
        parse_quantity(str(seen[key]), "bytes", f"{path}: library.fitted.{key}")


def cluster_for(model: Model, case: cases.Case, value) -> dict:
    """The fitted cluster with hosts and cores for this placement, and with the case's link."""
    cluster = copy.deepcopy(model.cluster)
    measured_on = ((case.measured.scenario or {}).get("cluster") or {}).get("hosts")
    if cluster.get("network") == "star":
        named = isinstance(measured_on, list) and len(measured_on) >= case.placement.hosts
        cluster["hosts"] = measured_on if named else case.placement.hosts
    host = cluster.get("host")
    if isinstance(host, dict) and not (isinstance(value, dict) and value.get("oversubscribe")):
        sockets = 1 if host.get("type", "simple") == "simple" else int(host.get("sockets", 2))
        host["cores"] = max(int(host.get("cores", 1)), math.ceil(cores_for(case, value) / sockets))
    if case.series.link and model.nominal_known and isinstance(cluster.get("link"), dict):
        place = f"{case.measured.document.path}: where.link_bandwidth"
        rate = parse_quantity(case.series.link, "bandwidth", place)
        cluster["link"]["bandwidth"] = format_bandwidth(rate, digits=12)
    return cluster


def cores_for(case: cases.Case, value) -> int:
    """Cores that a host needs; a list names them itself."""
    if not isinstance(value, list):
        return case.placement.most
    named = [entry.get("core") for entry in value if isinstance(entry, dict)]
    return 1 + max((core for core in named if isinstance(core, int)), default=0)


def placement_for(case: cases.Case):
    """The scenario's own where it does not need another file, else the counts."""
    on_gpus = gpus.placement_of(case.measured)
    if on_gpus is not None:
        return on_gpus
    value = (case.measured.scenario or {}).get("placement")
    if isinstance(value, list) or (isinstance(value, dict) and "hostfile" not in value):
        return value
    if case.placement.listed:
        raise InputError(f"{cases.place_of(case.measured)}: parameters.placement: a listed "
                         "placement can be simulated from its scenario only, and none is there")
    return case.placement.value


def collective_for(model: Model, case: cases.Case, known: dict, job: dict) -> dict:
    """`known` is {collective: its algorithms}, as the simulator lists them."""
    collective = str(case.parameters["collective"])
    stated = case.parameters["algorithm"]
    algorithm = model.algorithm_of(case)
    here = cases.place_of(case.measured)
    if collective not in known:
        raise InputError(f"{here}: parameters.collective: expected one that the simulator supports "
                         f"({', '.join(known)}), got '{collective}'")
    if algorithm not in known[collective]:
        chosen = "" if stated else (f" for the library's choice; --algorithm {collective}=NAME "
                                    "sets it")
        raise InputError(f"{here}: parameters.algorithm: expected one of {collective}'s "
                         f"({', '.join(known[collective])}), got '{algorithm}'{chosen}")
    found = {"collective": collective, "algorithm": algorithm}
    if isinstance(job.get("options"), dict):
        found["options"] = gpus.options_for(job["options"], algorithm)
    if case.bytes or collective != "barrier":
        found["bytes"] = f"{case.bytes} B"
    return found


def job_for(model: Model, case: cases.Case, known: dict) -> dict:
    job = dict(cases.job_of(case.measured))
    if "program" not in job:
        job |= collective_for(model, case, known, job)
    job |= late_starts(case, job)
    job["repetitions"] = repetitions_of(case) if model.random(job) else 1
    return job


def repetitions_of(case: cases.Case, most: int = REPETITIONS, full: int = MANY,
                   least: int = LEAST) -> int:
    """`most` up to `full` ranks, fewer of more ranks."""
    return max(least, round(most * min(1.0, full / case.placement.ranks)))


def late_starts(case: cases.Case, job: dict) -> dict:
    """Ranks that started as far apart as was measured, unless the job says how far: handshakes of
    ranks in lockstep never meet the data of others."""
    spread = case.measured.extra.get("start_spread_s")
    stated = is_positive(job.get("skew", "0 s"))
    known = isinstance(spread, (int, float)) and math.isfinite(spread) and spread > 0
    return {"skew": f"{spread:.9f} s"} if known and not stated else {}


def scenario_for(model: Model, case: cases.Case, known: dict) -> dict:
    """Differences between cases: the simulator reads them as the `set` of a case."""
    placement = placement_for(case)
    found = {"cluster": cluster_for(model, case, placement), "placement": placement,
             "job": job_for(model, case, known)}
    library = gpus.library_for(model.library, case.measured)
    return found | ({"library": library} if library else {})
