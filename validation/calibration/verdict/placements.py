# SPDX-License-Identifier: LGPL-2.1-or-later
"""Placements as reports write them: "4-3-1", "4x64-1 by node on numa", "2-1 listed"."""

import re
from typing import NamedTuple

from common.programs import InputError

TEXT = re.compile(r"(?P<counts>[0-9x-]+)( by (?P<map_by>slot|node|numa))?"
                  r"( on (?P<bind>core|numa|host))?(?P<listed> listed)?")
TERM = re.compile(r"(\d{1,7})(?:x(\d{1,7}))?")
MOST_RANKS = 1_000_000


class Placement(NamedTuple):
    """Ranks of each host; `value` is what a scenario says for it."""

    hosts: int
    used: int  # hosts that have ranks
    ranks: int
    most: int  # ranks of one host
    value: object
    listed: bool
    terms: list = []  # (ranks of a host, number of such hosts one after the other)


def parse(text: str, place: str) -> Placement:
    """Raises InputError at `place` where the text is no placement."""
    found = TEXT.fullmatch(text)
    terms = [TERM.fullmatch(term) for term in found["counts"].split("-")] if found else [None]
    if not all(terms):
        raise InputError(f'{place}: expected a placement such as "4-3-1" or "4x64-1", '
                         f'got "{text[:60]}"')
    counts = [(int(term[1]), int(term[2] or 1)) for term in terms]
    hosts = sum(times for _, times in counts)
    ranks = sum(count * times for count, times in counts)
    if not 1 <= ranks <= MOST_RANKS or hosts > MOST_RANKS:
        raise InputError(f'{place}: expected 1 to {MOST_RANKS} ranks, got {ranks} in "{text[:60]}"')
    rules = {key: found[key] for key in ("map_by", "bind") if found[key]}
    value = {"hosts": found["counts"], **rules} if rules else found["counts"]
    used = sum(times for count, times in counts if count > 0)
    return Placement(hosts, used, ranks, max(count for count, _ in counts), value,
                     bool(found["listed"]), counts)
