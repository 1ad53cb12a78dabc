# SPDX-License-Identifier: LGPL-2.1-or-later
"""Order on the wire: do messages of one pair, above the eager limit, go together or in turn?"""

from typing import NamedTuple

import numpy as np

IN_TURN, TOGETHER = 0.3, 0.7  # where the first one ends: 0 as if alone, 1 with the last
ENOUGH = 2.0  # times one alone: where the last is no later, latencies hide the wire
ODD = 1.1  # times the last: a first that is later is of another run, and tells nothing
UNSURE = 0.3  # standard deviation of a share that tells nothing


class Order(NamedTuple):
    """`word`: shared or fifo, None where the data do not tell; `why`: from what."""
    word: str
    why: str
    keys: list = []  # of the points used
    eager_together: str = ""  # what speaks against eager messages in order, as the model has them


class Turn(NamedTuple):
    """Messages of one size: one alone, the first and the last of `messages` at once."""
    size: float
    messages: int
    alone: object  # Point
    first: object
    last: object

    @property
    def doubt(self):
        """Why the times tell nothing; "" where they do."""
        if self.last.seconds < ENOUGH * self.alone.seconds:
            return f"less than {ENOUGH:g} times one alone"
        if self.first.seconds > ODD * self.last.seconds:
            return "the first after the last: medians of different runs, measure again"
        spread = np.hypot(self.first.spread * self.first.seconds,
                          self.last.spread * self.last.seconds)
        if spread > UNSURE * (self.last.seconds - self.alone.seconds):
            return "times of one case spread by as much as the first and the last may differ"
        return ""

    @property
    def share(self):
        return ((self.first.seconds - self.alone.seconds)
                / (self.last.seconds - self.alone.seconds))

    def in_words(self):
        return (f"the first of {self.messages} concurrent messages of {self.size:.0f} bytes "
                f"arrived after {self.first.seconds * 1e3:.4g} ms and the last after "
                f"{self.last.seconds * 1e3:.4g} ms, one alone after "
                f"{self.alone.seconds * 1e3:.4g} ms")


def turns(points, way):
    """One for each size of which all three were measured, ascending."""
    found = {}
    for point in points.of_probe("turns", way=way):
        count = int(point.parameters["messages"])
        name = "alone" if count == 1 else point.parameters["until"]
        found.setdefault(point.size, {})[name] = point
        found[point.size]["messages"] = max(count, found[point.size].get("messages", 1))
    return [Turn(size, **some) for size, some in sorted(found.items())
            if {"alone", "first", "last"} <= set(some)]


def fit_order(points, way, eager_limit):
    """The order of `way`, or None where nothing was measured of it."""
    found = turns(points, way)
    if not found:
        return None
    eager = [one for one in found if one.size <= eager_limit and not one.doubt]
    large = [one for one in found if one.size > eager_limit]
    order = word_of([one for one in large if not one.doubt])
    if not large:
        order = Order(None, "no turns were measured above the eager limit")
    elif order is None:
        order = Order(None, f"{large[-1].in_words()}: {large[-1].doubt}")
    together = eager and np.median([one.share for one in eager]) > TOGETHER
    return order._replace(
        keys=[point.key for one in found for point in (one.alone, one.first, one.last)],
        eager_together=eager[-1].in_words() if together else "")


def word_of(large):
    """By the longest messages, of which pieces matter least; None of no sizes."""
    if not large:
        return None
    words = ["fifo" if one.share < IN_TURN else "shared" if one.share > TOGETHER else None
             for one in large]
    why = large[-1].in_words()
    if words[-1] is None:
        return Order(None, f"{why}: neither in order nor together")
    others = [f"{one.size:.0f}" for one, word in zip(large, words) if word != words[-1]]
    if others:
        why += f"; messages of {', '.join(others)} bytes do not say the same"
    return Order(words[-1], why)
