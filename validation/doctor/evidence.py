# SPDX-License-Identifier: LGPL-2.1-or-later
"""Causes that lines of a log state or contradict, whatever program printed them.

evidence.yaml lists their forms. Lines that begin with "#@" are remarks of whoever filed the log.
"""

import re
from typing import NamedTuple

from common.quantities import parse_quantity
from validation.calibration.imports import logs, source
from validation.calibration.imports.source import without_secrets
from validation.doctor.scenario.scene import Scene
from validation.yaml_files import tables_of

LINES, *TABLES = tables_of(__file__).values()
SET, GIVEN, DEVICE, RATE = LINES.values()
# (cause, pattern, strong): a weak statement gives way to a contradiction in another line.
STATES, DENIES = ([(one["cause"], re.sub(SET, lambda found: GIVEN.replace("{0}", found[1]),
                                         "|".join(one["any"])), one.get("strong", True))
                   for one in table] for table in TABLES)
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
    whole = without_secrets(" ".join(text[begin:].split("\n", 1)[0].split()))
    return Line(cause, path, text.count("\n", 0, begin) + 1, whole[:LONGEST], strong)


def matches(table, path: str, text: str) -> dict:
    """{cause: the first Line of its first pattern that occurs}"""
    found: dict = {}
    for cause, pattern, strong in table:
        if cause not in found and (match := re.search(pattern, text, re.IGNORECASE)):
            found[cause] = line_at(cause, path, text, match.start(), strong)
    return found


def shared_gpu(path: str, text: str) -> dict:
    """Two ranks of one run that have one bus id. A short one lacks the PCIe domain, and proves
    it only with the same number of the device, beside other bus ids."""
    seen: dict = {}
    for match in re.finditer(DEVICE, text):
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
             for found in re.finditer(RATE, text)]
    low = [found for rate, found in rates if LOWER[0] < rate / 8 / link < LOWER[1]]
    full = any(rate / 8 / link >= LOWER[1] for rate, _ in rates)
    cause = "nic-relinked" if full else "link-slow"
    return {cause: line_at(cause, path, text, low[0].start())} if low else {}


def text_of(path: str) -> str:
    """The lines of a log; "" of standard input and of documents."""
    return "" if logs.is_document(path) else re.sub(r"(?m)^#@.*$", "", source.text_of(path))


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
        for cause in ("tcp", "gpudirect-off"):
            stated.pop(cause, None)
    if "tcp" in stated:  # sockets have no GPUDirect
        stated.pop("gpudirect-off", None)
    stated = {name: line for name, line in stated.items() if line.strong or name not in struck}
    return stated, {name: line for name, line in struck.items() if name not in stated}
