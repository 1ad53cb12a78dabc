# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows of a timeline: a rank each, or a stream of it; where those are too many, ranks that do the
same in one row, or neighbours in one row that shows what most of them do.
"""

import math
from collections import namedtuple

import numpy

from common.groups import grouped

Span = namedtuple("Span", "kind phase start end")
Row = namedtuple("Row", "label spans")
Lane = namedtuple("Lane", "rank number stream")  # in place of a rank that has several streams
Rows = namedtuple("Rows", "rows note")  # `note`: how ranks became rows, "" where each has its own

MOST_OWN = 32  # ranks up to here have a row each
MOST_ROWS = 64  # 6 inches of them: each is 14 pixels high
SLICES = 800  # moments of a row of neighbours: as many as a picture has pixels, or so
SAME = 1 / SLICES  # times nearer to each other than this share of the longest look the same


def end_of(ranks):
    return max(span.end for spans in ranks.values() for span in spans)


def rows_of(ranks):
    """`ranks`: {rank, or Lane: [Span in order of time]}."""
    own = [Row(name_of([rank]), ranks[rank]) for rank in sorted(ranks)]
    if len(ranks) <= MOST_OWN:
        return Rows(own, "")
    alike = folded(ranks)
    what = "streams" if any(stream_of(rank) for rank in ranks) else "ranks"
    if len(alike) < len(ranks) and len(alike) <= MOST_ROWS:
        return Rows(alike, f"{len(ranks)} {what}; those that do the same share a row")
    size = math.ceil(len(ranks) / MOST_ROWS)
    if size == 1:
        return Rows(own, "")
    return Rows(of_neighbours(ranks, size),
                f"{len(ranks)} {what}; a row shows what most of its {size} do")


def stream_of(rank):
    return rank.stream if isinstance(rank, Lane) else ""


def folded(ranks):
    """A row for each different life, in the order of its first rank; its times are that one's."""
    step = SAME * end_of(ranks) or 1.0
    alike = grouped(sorted(ranks), lambda rank: (stream_of(rank), tuple(
        (span.kind, span.phase, round(span.start / step), round(span.end / step))
        for span in ranks[rank])))
    return [Row(name_of(members), ranks[members[0]]) for members in alike.values()]


def name_of(members):
    """"5", "0-15" or "0 and 31 more", behind it the stream."""
    first, last = (rank.rank if isinstance(rank, Lane) else rank
                   for rank in (members[0], members[-1]))
    behind = f" {stream_of(members[0])}" if stream_of(members[0]) else ""
    if len(members) == 1:
        return f"{first}{behind}"
    if last - first == len(members) - 1:
        return f"{first}-{last}{behind}"
    return f"{first} and {len(members) - 1} more{behind}"


def of_neighbours(ranks, size):
    end = end_of(ranks)
    groups = []
    for stream in dict.fromkeys(stream_of(rank) for rank in sorted(ranks)):
        numbers = sorted(rank for rank in ranks if stream_of(rank) == stream)
        groups += [numbers[first:first + size] for first in range(0, len(numbers), size)]
    return [Row(name_of(group), most_of([ranks[rank] for rank in group], end)) for group in groups]


def most_of(lives, end):
    """Spans of what most of these ranks do at each moment; where they part evenly, of what the
    first of them does."""
    looks = list(dict.fromkeys([("idle", "")] + [(span.kind, span.phase)
                                                 for spans in lives for span in spans]))
    number = {look: i for i, look in enumerate(looks)}
    width = end / SLICES or 1.0
    changes = numpy.zeros((len(looks), SLICES + 1), int)
    for spans in lives:
        for span in spans:
            row = changes[number[span.kind, span.phase]]
            row[middle_after(span.start, width)] += 1
            row[middle_after(span.end, width)] -= 1
    counts = changes[:, :SLICES].cumsum(axis=1)
    counts[0] += len(lives) - counts.sum(axis=0)
    winners = counts.argmax(axis=0)
    borders = [0, *(numpy.flatnonzero(numpy.diff(winners)) + 1).tolist(), SLICES]
    return [Span(*looks[winners[first]], first * width, last * width)
            for first, last in zip(borders, borders[1:])]


def middle_after(time, width):
    """The first slice whose middle is not before that time."""
    return min(SLICES, max(0, math.ceil(time / width - 0.5)))
