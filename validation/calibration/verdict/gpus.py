# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases that were measured on GPUs: where their ranks were, what their library chose."""

import copy
import re

LIBRARY = re.compile(r"\bnccl\b", re.IGNORECASE)


def chosen(where: dict, collective: str, nccl: dict) -> str:
    """The algorithm that stands for NCCL's choice, of those that the simulator has for it by
    collective; "" where it was not NCCL that measured."""
    return nccl.get(collective, "") if LIBRARY.search(where.get("mpi", "")) else ""


def placement_of(measurement):
    """A list, where the ranks say on which GPU they were; the counts on GPUs, where only the
    devices are named, or NCCL; None where no GPU had a part in it."""
    gpus = [rank.get("gpu") for rank in measurement.ranks]
    if gpus and all(isinstance(gpu, int) for gpu in gpus):
        return [{"host": 0, "gpu": gpu} for gpu in gpus]
    placed = "placement" in (measurement.scenario or {})
    where = measurement.document.where
    if not placed and (where.get("devices") or LIBRARY.search(where.get("mpi", ""))):
        return {"hosts": str(measurement.parameters["placement"]), "on": "gpu"}
    return None


def options_for(options: dict, algorithm: str) -> dict:
    """The options without what NCCL's programs alone have."""
    return {key: value for key, value in options.items()
            if key != "gpus_per_thread" or algorithm == "nccl"}


def library_for(library: dict, measurement):
    """The library as it was told to move messages; None where that is as it stands."""
    if measurement.extra.get("path") != "staged" or "gpu" not in library:
        return None
    changed = copy.deepcopy(library)
    changed["gpu"]["always_staged"] = True
    return changed


def refused(documents: list) -> list:
    """Cases that a library refused, in words."""
    return [f"not measured: {one.get('ranks')} ranks on {one.get('gpus')} "
            f"GPU{'s' * (one.get('gpus') != 1)}: {document.where.get('mpi') or 'the library'} "
            f"rejects ({one.get('why')})"
            for document in documents for one in document.extra.get("refused", [])]
