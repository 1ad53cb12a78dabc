# SPDX-License-Identifier: LGPL-2.1-or-later
"""MPICH: its algorithms, and the JSON of its selection.

Source: mpich_generic.json, the selection that MPICH 4.0.2 has built in (maint/tuning/coll/mpir/
generic.json), which is also what the simulator takes for its own choice. MPICH wants a whole file:
ours is that one, in which communicators of our number of ranks have a tree of their own.
"""

import json
import pathlib
import re

from common.programs import InputError
from validation.tune.formats.format import Target, format_of
from validation.tune.formats.way import Choice, ways_of
from validation.yaml_files import tables_of

BASE = pathlib.Path(__file__).with_name("mpich_generic.json")
SELECTION = BASE.read_text(encoding="utf-8")
FLOAT = 4  # bytes; numbers are taken for floats

WAYS = ways_of("mpich")
NAMES, STAND_IN, SIZES, ALWAYS = tables_of(__file__).values()


def holds(condition: str, ranks: int, sizes: dict, count: int) -> bool:
    """Whether a branch is taken: an MPI_COMM_WORLD, a sum of floats, buffers of their own."""
    if condition in ALWAYS or condition.endswith("=any"):
        return True
    if condition == "comm_size=pow2":
        return ranks & (ranks - 1) == 0
    if condition == "count<pow2":
        return count < 1 << (ranks.bit_length() - 1)
    found = re.fullmatch(r"(\w+)<(=?)(\d+)", condition)
    value = found and (sizes | {"comm_size": ranks}).get(found[1])
    return value is not None and value < int(found[3]) + bool(found[2])


def chosen(tree: dict, ranks: int, sizes: dict, count: int) -> str | None:
    """The algorithm at the end of the branches that hold."""
    for condition, below in tree.items():
        if condition.startswith("algorithm="):
            return condition.removeprefix("algorithm=")
        if holds(condition, ranks, sizes, count):
            return chosen(below, ranks, sizes, count)
    return None


def own_of(collective: str):
    def own(ranks: int, size: int) -> Choice:
        tree = json.loads(SELECTION)[f"collective={NAMES.get(collective, collective)}"]
        per_pair = SIZES[collective][1]
        sizes = {"avg_msg_size": size // ranks if per_pair else size, "total_msg_size": size}
        name = chosen(tree, ranks, sizes, size // FLOAT)
        name = STAND_IN.get(name, name)
        found = [way for way in WAYS if (way.collective, way.says) == (collective, name)]
        if not found:
            raise InputError(f"{BASE.name}: {collective}: expected an algorithm that the simulator "
                             f"has, got {name}")
        return Choice(found[0])
    return own


def branch(one, ranks: int, old: dict) -> dict:
    """Sizes with a choice of ours and, in between, what there was."""
    kind, per_pair = SIZES[one.collective]
    found = {}
    for part in one.ranges:
        below = old if part.choice is None else {f"algorithm={part.choice.way.says}": {}}
        limit = "=any" if part.last is None else \
            f"<={part.last // ranks if per_pair else part.last}"
        found[kind + limit] = below
    return {"is_commutative=yes": found, "is_commutative=no": old} \
        if one.collective == "allreduce" else found


def write(decided: list, target: Target) -> str:
    tree = json.loads(SELECTION)
    for one in decided:
        place = tree[f"collective={NAMES.get(one.collective, one.collective)}"]
        old = place["comm_type=intra"]
        if one.entries:
            place["comm_type=intra"] = {
                f"comm_size<={target.ranks - 1}": old,
                f"comm_size<={target.ranks}": branch(one, target.ranks, old),
                "comm_size=any": old}
    return json.dumps(tree, indent=1) + "\n"


FORMAT = format_of("mpich", WAYS, {name: own_of(name) for name in SIZES}, write)
