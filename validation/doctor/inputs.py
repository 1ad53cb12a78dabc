# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scene that a log and a described cluster make together."""

import re
from typing import NamedTuple

from common.programs import InputError
from common.quantities import parse_quantity
from validation.doctor import curve as curve_
from validation.doctor.scenario import parts
from validation.doctor.scenario.scene import Scene, counts_of, ranks_of, uses_gpus
from validation.yaml_files import tables_of

GENERATIONS, FITTED = tables_of(__file__).values()
MODELS = re.compile("|".join(GENERATIONS), re.IGNORECASE)
# GPUs of the machines that spreads were measured on (validation/published/nccl/machines.md).
KINDS = re.compile(r"\b(A[18]00|H[18]00|G?H200|G?B[23]00)")
VERSION = re.compile(r"NCCL (\d+)\.(\d+)")
OLDEST, NEWEST = (2, 10), (2, 31)  # of NCCL's tables that the simulator has
KNOWN_HOSTS = ("custom", "numa", "pcie_tree", "simple")  # types of hosts whose GPUs a Scene counts
SCALED = "scaled from data sheet"
FAST = 40e9 / 8  # bytes per second: from there on a NIC is taken to bypass the kernel


class Chosen(NamedTuple):
    """`family` is the error model's."""

    library: dict
    name: str
    family: str
    notes: list


def memory_of(cluster: dict) -> float:
    """Bandwidth of a GPU's memory; 0 where it is not said."""
    host = cluster.get("host") or {}
    gpus = [host.get("gpu") or {}] + list(host.get("gpus") or [])
    return max((parse_quantity(str(gpu["memory_bandwidth"]), "bandwidth")
                for gpu in gpus if isinstance(gpu, dict) and "memory_bandwidth" in gpu), default=0)


def gpu_library(devices: str, cluster: dict) -> str:
    memory = memory_of(cluster)
    by_memory = ("nccl_h100" if memory > 2.5e12 else
                 "nccl_a100" if memory > 1.2e12 or not memory else "nccl_v100_pcie")
    name = next((name for pattern, name in GENERATIONS.items()
                 if re.search(pattern, devices, re.IGNORECASE)), by_memory)
    linked = any(map((cluster.get("host") or {}).get, ("nvlink", "nvswitch", "nvswitches")))
    return "nccl_v100_nvlink" if name == "nccl_v100_pcie" and linked else name


def nccl_version(where: dict, blocks: dict):
    if found := VERSION.search(where.get("mpi", "")):
        version = min(max((int(found[1]), int(found[2])), OLDEST), NEWEST)
        blocks["nccl"] = f"{version[0]}.{version[1]:02d}"


def between_hosts(cluster: dict) -> str:
    """The library, of those that move messages, that is most like a cluster's."""
    link = (cluster.get("link") or {}).get("bandwidth", "1 Gbit/s")
    return "rdma" if parse_quantity(str(link), "bandwidth") >= FAST else "openmpi_tcp"


def scaled_note(name: str, devices: list) -> str:
    shown = ", ".join(dict.fromkeys(devices)) or "this GPU"
    chosen = "" if MODELS.search(" ".join(devices)) else ", chosen by the memory bandwidth"
    return (f"no profile was fitted to {shown}: the costs of {name}{chosen} are scaled from data "
            "sheets")


def library_for(curve: curve_.Curve, cluster: dict, on_gpus: bool, said: str,
                fitted: dict) -> Chosen:
    """As --library says; else the cluster's own, if it was calibrated; else of ours the nearest."""
    if fitted and not said:
        return Chosen(fitted, "the calibrated library", "fitted", [])
    notes, family, devices = [], "illustrative", curve.where.get("devices") or []
    by_nccl = on_gpus and any(point.job["algorithm"] == "nccl" for point in curve.points)
    name = said or (gpu_library(" ".join(devices), cluster) if by_nccl else
                    "cuda_pinned" if on_gpus else between_hosts(cluster))
    library = parts.resolved("library", name)
    if said or by_nccl:
        family = family_of(name, curve.where, curve) if on_gpus else family
    else:
        notes.append(f"assumed library: '{name}', with illustrative costs" + (
            "" if on_gpus else "; --library, or a cluster from `ringscope calibrate`, reduces the "
            "error"))
    if by_nccl and not said:
        nccl_version(curve.where, library["blocks"])
        if family == SCALED:
            notes.append(scaled_note(name, devices) +
                         ", so the error is large" * (curve.points[0].family == SCALED))
    return Chosen(library, name, family, notes)


def family_of(name: str, where: dict, curve: curve_.Curve) -> str:
    devices = " ".join(where.get("devices") or [])
    scaled = name in ("nccl_h200", "nccl_v100_nvlink") or \
        name in FITTED and devices and not re.search(FITTED[name], devices)
    other = scaled and devices and not KINDS.search(devices)
    for point in curve.points:
        if other or name in FITTED and point.job["algorithm"] != "nccl":
            point.family = SCALED  # no spread is of such GPUs, or of messages in place of channels
    if scaled or name not in FITTED:
        return SCALED if scaled else "illustrative"
    between = any(len(counts_of(point.placement)) > 1 for point in curve.points)
    return "nccl, between hosts" if between else "nccl"


def grown(cluster: dict, curve: curve_.Curve, notes: list) -> dict:
    """A star with as many hosts as the log has; cores for all ranks."""
    used = max(len(counts_of(point.placement)) for point in curve.points)
    hosts = cluster.get("hosts")
    many = len(hosts) if isinstance(hosts, list) else hosts
    if cluster.get("network") == "star" and isinstance(many, int) and many < used:
        notes.append(f"the log has {used} hosts, the cluster {many}: {used} hosts are simulated")
        cluster = {**cluster, "hosts": used}
    return cluster


def algorithms_of(cluster: str) -> dict:
    """{collective: what its calibration found the library to choose}"""
    found = parts.load(parts.path_of("cluster", cluster)).get("calibration")
    known = found.get("algorithms") if isinstance(found, dict) else None
    return dict(known) if isinstance(known, dict) else {}


def replace_placement(curve: curve_.Curve, placement):
    """Puts the ranks of each collective where the user places them, on GPUs if the log is of GPUs.
    Raises InputError where no point has as many ranks."""
    ranks = ranks_of(placement)
    fitting = [point for point in curve.points if not is_pair(point)
               and ranks_of(point.placement) == ranks]
    if not fitting:
        counts = sorted({ranks_of(point.placement) for point in curve.points if not is_pair(point)})
        raise InputError(f"--placement: expected {' or '.join(map(str, counts)) or 'no'} ranks, as "
                         f"the log's collectives have, got {ranks}")
    for point in fitting:
        named = placement if isinstance(placement, dict) else {"hosts": placement}
        on_gpus = uses_gpus(point.placement) and not isinstance(placement, list)
        point.placement = {"on": "gpu", **named} if on_gpus else placement
        shown = named.get("hosts", "")
        point.series = re.sub(r"\bon \S+( listed)?", f"on {shown}"
                              if isinstance(shown, str) else "as listed", point.series)


def is_pair(point: curve_.Point) -> bool:
    """True of a copy between two listed places, which no placement of a job moves."""
    return isinstance(point.placement, list) and point.job["collective"] in ("pingpong", "exchange")


def check_places(curve: curve_.Curve, cluster: dict, name: str):
    """Raises InputError where the log has GPUs that the hosts of the cluster lack."""
    scene = Scene(cluster, {}, [])
    if scene.type not in KNOWN_HOSTS or "unlike" in cluster:
        return
    for point in curve.points:
        if not uses_gpus(point.placement):
            continue
        if isinstance(point.placement, list):
            last = max(one["gpu"] for one in point.placement if "gpu" in one)
            used, words = last + 1, f"has GPU {last}"
        else:
            counts = counts_of(point.placement)
            used, words = max(counts), f"is of {max(counts)} GPUs on each of {len(counts)} hosts"
        if used > scene.gpus:
            got = f"{scene.gpus} on each (0 to {scene.gpus - 1})" if scene.gpus else "no GPUs"
            raise InputError(f"{name}: expected hosts of at least {used} GPUs, because the log "
                             f"{words} ({point.series}), got {got}")


def scene_of(curve: curve_.Curve, cluster: str, library: str, placement) -> tuple:
    """(Scene, Chosen)"""
    found = parts.load(parts.path_of("cluster", cluster))
    fitted = {}
    if {"cluster", "library"} <= found.keys():
        fitted = parts.resolved("library", cluster)
    described = parts.network(cluster)
    if placement is not None:
        replace_placement(curve, placement)
    on_gpus = any(uses_gpus(point.placement) for point in curve.points)
    chosen = library_for(curve, described, on_gpus, library, fitted)
    kind, link = curve.where.get("link_kind"), described.get("link")
    fast = link and parse_quantity(str(link.get("bandwidth", "1 Gbit/s")), "bandwidth") >= FAST
    if kind and link and not link.get("kind") and not (fast and "socket" in kind):
        described = {**described, "link": {**link, "kind": kind}}
        chosen.notes.append(f"the network is {kind}, as the log's INFO lines say")
    kind = (described.get("link") or {}).get("kind")
    if kind and not fitted:
        chosen = chosen._replace(library=parts.with_transport(chosen.library, kind))
    described = grown(described, curve, chosen.notes)
    check_places(curve, described, cluster)
    asks = [{"placement": point.placement, "job": point.job}
            | ({"over": point.over} if point.over else {}) for point in curve.points]
    return Scene(described, chosen.library, asks), chosen
