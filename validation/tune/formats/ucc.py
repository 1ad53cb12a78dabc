# SPDX-License-Identifier: LGPL-2.1-or-later
"""UCC over UCX (TL UCP): its algorithms, and the scores of UCC_TL_UCP_TUNE.

Source: src/components/tl/ucp of UCC: the names and the default selections in allreduce.c and .h,
bcast.h and alltoall.h; a token is COLLECTIVE:FROM-TO:MEMORY:[TEAM SIZES]:SCORE:@ALGORITHM. UCC's
k-nomial exchanges have a radix of their own choice; those of the simulator have two.
"""

from validation.tune.formats.format import Target, format_of
from validation.tune.formats.way import Choice, ways_of

WAYS = ways_of("ucc")
NAMES = {"broadcast": "bcast"}
SHORT = {"allreduce": 4 << 10, "broadcast": 32 << 10}  # from there on the second of the ways


def own_of(collective: str):
    """UCC's default: latency below a size, bandwidth from there on; a broadcast on two ranks is
    always the first."""
    short, long = [Choice(way) for way in WAYS if way.collective == collective][:2]

    def own(ranks: int, size: int) -> Choice:
        two = collective == "broadcast" and ranks == 2
        return short if two or size < SHORT[collective] else long
    return own


def write(decided: list, target: Target) -> str:
    tokens = [f"{NAMES.get(one.collective, one.collective)}:{part.first}-{part.last + 1}:host:"
              f"[{target.ranks}-{target.ranks}]:inf:@{part.choice.way.says}"
              for one in decided for part in one.entries]
    line = f"UCC_TL_UCP_TUNE={'#'.join(tokens)}\n" if tokens else ""
    return f"# {target.said}\n{line}"


FORMAT = format_of("ucc", WAYS, {name: own_of(name) for name in SHORT}, write)
