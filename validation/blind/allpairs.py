# SPDX-License-Identifier: LGPL-2.1-or-later
"""MSCCL programs in which each of eight GPUs exchanges directly with all others."""

import itertools

RANKS = 8
STEP = ('<step s="{}" type="{}" srcbuf="{}" srcoff="{}" dstbuf="{}" dstoff="{}" cnt="{}" '
        'depid="{}" deps="{}" hasdep="{}"/>')
ALGO = ('<algo name="{program}" proto="{protocol}" nchannels="{0}" nchunksperloop="{1}" ngpus="8" '
        'coll="{3}" inplace="1" outofplace="0" minBytes="0" maxBytes="0">{2}</algo>')


class Block:
    """Steps of a thread block that serves one peer; `first` is the instance's first block."""

    def __init__(self, first: int):
        self.first, self.steps = first, []

    def add(self, kind: str, source: tuple, into: tuple, count: int, after=(-1, -1),
            signals: bool = False):
        """`after`: (the peer whose block it waits for, step there)"""
        after = (after[0] + self.first if after[0] >= 0 else -1, after[1])
        self.steps.append(STEP.format(len(self.steps), kind, *source, *into, count, *after,
                                      int(signals)))


def gathers(block: Block, rank: int, peer: int, own):
    """One step: its own chunk to the peer, the peer's from it."""
    if peer != rank:
        block.add("s", ("o", own(rank)), ("o", own(rank)), 1)
        block.add("r", ("o", own(peer)), ("o", own(peer)), 1)


def reduces(block: Block, rank: int, peer: int, own):
    """Two steps: parts of all peers come to scratch, and each of eight blocks sums an eighth of
    them; then the sum goes to the peer."""
    part, others = lambda r: RANKS * own(r), [r for r in range(RANKS) if r != rank]
    if peer != rank:
        block.add("s", ("i", part(peer)), ("s", part(rank)), RANKS)
        block.add("r", ("i", part(rank)), ("s", part(peer)), RANKS, signals=True)
    for r in others:
        block.add("re", ("s", part(r) + peer), ("i", part(rank) + peer), 1,
                  (-1, -1) if r == peer else (r, 1), r == others[-1])
    if peer != rank:
        for r in sorted({*range(RANKS)} - {peer}):
            block.add("nop", ("i", 0), ("i", 0), 0, (r, len(others) + (1 if r != rank else -1)))
        block.add("s", ("i", part(rank)), ("i", part(rank)), RANKS)
        block.add("r", ("i", part(peer)), ("i", part(peer)), RANKS)


def program(collective: str, protocol: str, instances: int) -> str:
    """A channel for each peer, `instances` times."""
    reduced, gpus = collective == "allreduce", []
    chunks = RANKS * instances * (RANKS if reduced else 1)
    for rank in range(RANKS):
        blocks = []
        for i, peer in itertools.product(range(instances), range(RANKS)):
            block = Block(RANKS * i)
            (reduces if reduced else gathers)(block, rank, peer, lambda r: r * instances + i)
            who = peer if peer != rank else -1
            if block.steps:
                blocks.append(f'<tb id="{len(blocks)}" send="{who}" recv="{who}" '
                              f'chan="{RANKS * i + (rank ^ peer)}">{"".join(block.steps)}</tb>')
        i, o = (chunks, 0) if reduced else (0, chunks)
        gpus.append(f'<gpu id="{rank}" i_chunks="{i}" o_chunks="{o}" s_chunks="{i}">'
                    + "".join(blocks) + "</gpu>")
    return ALGO.format(RANKS * instances, chunks, "".join(gpus), collective,
                       program="allpairs", protocol=protocol)
