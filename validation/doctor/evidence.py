# SPDX-License-Identifier: LGPL-2.1-or-later
"""Causes that lines of a log state or contradict, whatever program printed them.

Sources of the forms: NCCL 2.16 to 2.30 (src/transport, src/graph, src/init.cc), lspci, ibstat,
ethtool, dmesg, nvidia-smi. Lines that begin with "#@" are remarks of whoever filed the log.
"""

import re
from typing import NamedTuple

from common.quantities import parse_quantity
from validation.calibration.imports.source import bytes_of
from validation.doctor.scenario.scene import Scene

SET = r" set by environment to "
# (cause, pattern, strong): a weak statement gives way to a contradiction in another line.
STATES = (
    ("tcp", r"via NET/Socket|Using network Socket|NET/IB : No device found|NCCL_IB_DISABLE"
     + SET + "1|NCCL_NET" + SET + r"\W*Socket", True),
    ("gpudirect-off", r"\bno GDR\b|GPU Direct RDMA Disabled|NCCL_NET_GDR_LEVEL" + SET +
     r"(?:LOC|0)\b|nv(?:idia)?[_-]?peer_?mem\W.*\b(?:not|missing|failed|no such)\b|"
     r"FATAL.*nvidia[_-]peermem|\bGDR 0\b", True),
    ("gpudirect-off", r"via NET/(?:IB|AWS Libfabric|OFI|Libfabric)/\d+(?!.*GDRDMA)", True),
    ("acs-on", r"ACSCtl:.*SrcValid\+|\bACS(?: is)? (?:enabled|on)\b|"
     r"\b(?:intel|amd)_iommu=on\b(?!.*iommu=pt)|\bIOMMU(?: is)?:? (?:enabled|on)\b|"
     r"iommu: Default domain type: Translated", True),
    ("no-peer-access", r"NCCL_P2P_DISABLE" + SET + r"1|NCCL_P2P_LEVEL" + SET + r"LOC|"
     r"\bP2P is disabled\b|peer access is not supported", True),
    ("no-peer-access", r"via SHM/", False),
    ("few-channels", r"\busing 0*[1-4] (?:coll )?channels\b|NCCL_MAX_(?:N?CHANNELS|CTAS)" + SET
     + r"[1-4]\b", True),
    ("few-channels", r"\b0?[12] coll channels", False),
    ("pxn-off", r"NCCL_PXN_DISABLE" + SET + r"1|\bPXN(?: is)?:? (?:disabled|off|0)\b", True),
    ("topology-file", r"NCCL_TOPO_FILE" + SET + r"\S+|Loading topology file|"
     r"Could not open XML topology file", False),
    ("transport-timer", r"WARN.*\btimed? ?out\b|retry counter exceeded|status=12\b", True),
    ("registration-missing", r"(?:ibv_reg_mr|reg_mr|fi_mr_reg)\S* failed|"
     r"max locked memory.*[\s)]64\b|RLIMIT_MEMLOCK", True),
    ("two-ranks-one-gpu", r"Duplicate GPU detected", True),
    ("pcie-lower", r"LnkSta:.*downgraded", True),
    ("gpu-slow", r"(?:HW|Thermal|Power Brake) Slowdown\s*: Active", True),
    ("link-slow", r"(?:symbol_?error\w*|link_?downed\w*)\W+[1-9]\d\d", False),
    ("nvls-off", r"NCCL_NVLS_ENABLE" + SET + r"0|NVLS multicast support is not available", True),
    ("protocol-forced", r"NCCL_PROTO" + SET + r"\S+", True),
    ("algorithm-forced", r"NCCL_ALGO" + SET + r"\S+", True),
    ("starved-threads", r"\bnr_throttled [1-9]|\btaskset -c \S+", True),
)
DENIES = (
    ("tcp", r"via NET/(?!Socket)\S|Using network (?!Socket)\S"),
    ("gpudirect-off", r"via NET/.*/GDRDMA|GPU Direct RDMA Enabled"),
    ("no-peer-access", r"via P2P/"),
    ("few-channels", r"\b(?:[89]|[1-9]\d) coll channels"),
    ("nvls-off", r"NVLS multicast support is available"),
    ("acs-on", r"iommu: Default domain type: Passthrough|\biommu=(?:pt|off)\b"),
)
DEVICE = re.compile(r"^.*\bRank +(\d+) .*\bon +(\S+) +device +(\d+) +\[(\S+)\].*$", re.M)
RATE = re.compile(r"\brate: *(\d+)(?: Gb/sec)?\b|\bspeed: *(\d+)Mb/s|<net .*\bspeed=\"(\d+)\"",
                  re.I)
LOWER = (0.2, 0.75)  # of the link's rate: less is another network's, more is rounding
LONGEST = 110


SEEN = "the measured times"


class Line(NamedTuple):
    """A line of a log about a cause."""

    cause: str
    path: str
    number: int
    text: str
    strong: bool = True

    @property
    def shown(self) -> str:
        return f'{self.path}:{self.number}: "{self.text}"' if self.number else \
            f"{self.path} ({self.text})"

    def document(self) -> dict:
        return {"path": self.path, "line": self.number, "text": self.text}


def line_at(cause: str, path: str, text: str, place: int, strong: bool = True) -> Line:
    begin = text.rfind("\n", 0, place) + 1
    whole = " ".join(text[begin:].split("\n", 1)[0].split())
    return Line(cause, path, text.count("\n", 0, begin) + 1, whole[:LONGEST], strong)


def matches(table, path: str, text: str) -> dict:
    """{cause: the first Line of its first pattern that occurs}"""
    found: dict = {}
    for cause, pattern, *strong in table:
        if cause not in found and (match := re.search(pattern, text, re.IGNORECASE)):
            found[cause] = line_at(cause, path, text, match.start(), *strong)
    return found


def shared_gpu(path: str, text: str) -> dict:
    """Two ranks of one run that have one bus id. A short one lacks the PCIe domain, and proves
    it only with the same number of the device, beside other bus ids."""
    seen: dict = {}
    for match in DEVICE.finditer(text):
        rank, host, device, bus = match.groups()
        if rank in (one for key in seen for one in seen[key]):
            seen = {}  # another run
        key = (host, bus) if ":" in bus else (host, bus, device)
        others = len({one[1] for one in seen}) > 1
        if key in seen and (":" in bus or others):
            return {"two-ranks-one-gpu": line_at("two-ranks-one-gpu", path, text, match.start())}
        seen.setdefault(key, set()).add(rank)
    return {}


def lower_rates(path: str, text: str, link: float) -> dict:
    """NICs that came up at a lower rate than the cluster's cables."""
    rates = [(float(found[1]) * 1e9 if found[1] else float(found[2] or found[3]) * 1e6, found)
             for found in RATE.finditer(text)]
    low = [found for rate, found in rates if LOWER[0] < rate / 8 / link < LOWER[1]]
    full = any(rate / 8 / link >= LOWER[1] for rate, _ in rates)
    cause = "nic-relinked" if full else "link-slow"
    return {cause: line_at(cause, path, text, low[0].start())} if low else {}


def text_of(path: str) -> str:
    """The lines of a log; "" of standard input and of documents."""
    if path == "-" or path.endswith(".json"):
        return ""
    return re.sub(r"(?m)^#@.*$", "", bytes_of(path).decode("utf-8", errors="replace"))


def seen(points: list, causes: list) -> dict:
    """{cause: a Line without number} of what the times themselves show."""
    return {one.name: Line(one.name, SEEN, 0, words) for one in causes
            if (words := one.seen(points))}


def read(paths: list, scene: Scene) -> tuple:
    """({cause: Line that states it}, {cause: Line that contradicts it})"""
    stated, struck = {}, {}
    link = parse_quantity(str((scene.cluster.get("link") or {}).get("bandwidth", "unlimited")),
                          "bandwidth")
    for path in paths:
        text = text_of(path)
        stated = (shared_gpu(path, text) | lower_rates(path, text, link)
                  | matches(STATES, path, text) | stated)
        struck = matches(DENIES, path, text) | struck
    if not scene.between_hosts or "socket" in str((scene.cluster.get("link") or {}).get("kind")):
        for cause in ("tcp", *["gpudirect-off"] * (not scene.between_hosts)):
            stated.pop(cause, None)
    stated = {name: line for name, line in stated.items() if line.strong or name not in struck}
    return stated, {name: line for name, line in struck.items() if name not in stated}
