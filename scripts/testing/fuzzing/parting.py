# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two runs that rounding alone parts: the same events in the same order, apart by more and more.

Max-min sharing magnifies what differs. A transfer that runs alone until four others join it has a
fifth of its rate from then on: where these come later by d, it ends earlier by 4 d. What others
begin when it ends, they begin earlier by that, and so on: from message to message the last digit of
a rate may grow by such factors. Two runs of which one has all rates three times as high (each of
them rounded) are so a billionth apart after some hundreds of messages that share links.

That is what sharing is, and no fault. A fault is what parts at once: an order that hangs on the
last digits of two dates, or a time that does not scale. What grows does so in steps, and until it
has come to the width of an instant (sim/kernel/kernel.hpp) the order of all events is the same.
"""

import csv
import io
import json

ROUNDING = 1e-14  # what the dates may differ by from the start, relative to the date
INSTANT = 1e-12  # from here on two events may change places, and then anything may follow
MOST_AT_ONCE = 1000  # times as far apart as before, from one event of any rank to the next
WHAT = ("rank", "activity", "phase", "step", "peer", "cause")


def apart(a, b):
    return abs(a - b) / max(abs(a), abs(b), 1e-300)


def rows_of(timeline, trace=None):
    """The rows of `ringscope run --timeline`; with those of --trace also the messages: a rank's row
    tells nothing of what its other threads exchange while it waits for them."""
    rows = list(csv.DictReader(io.StringIO(timeline)))
    return rows + (messages_of(trace) if trace else [])


def messages_of(trace):
    """Begin or end of each message as a row, of each thread that sends or receives. The critical
    path has arrows, too: by its end it may come from anywhere."""
    events = [one for one in json.loads(trace)["traceEvents"]
              if one["ph"] in ("s", "f") and one["name"] == "message"]
    return [{"rank": f"{one['ph']} {one['pid']} {one['tid']}", "activity": "message", "phase": "",
             "step": "", "peer": "", "cause": "", "start_s": one["ts"] * 1e-6,
             "end_s": one["ts"] * 1e-6}
            for one in sorted(events, key=lambda one: one["ts"])]


def begins_at_once(ours, theirs, faster, parted):
    """Fault of two timelines, the second of rates `faster` times as high; None where
    rounding grows step by step, to what has parted the ends."""
    dates, changed = dates_of(ours, theirs, faster)
    before = ROUNDING
    for date, difference in dates:
        if date >= changed:
            break
        if difference > MOST_AT_ONCE * before:
            return f"at {date} s dates are {difference:.1e} apart, and before that {before:.1e}"
        before = max(before, difference)
        if before >= INSTANT:
            return None
    if changed < float("inf"):
        return f"at {changed} s the order changes, with dates {before:.1e} apart"
    return f"the ends are {parted:.1e} apart, all dates of the timeline at most {before:.1e}"


def by_rank(rows):
    """The rows of each rank's streams in their order: one with more of them shifts no other's."""
    ranks = {}
    for row in rows:
        ranks.setdefault((row["rank"], row.get("stream")), []).append(row)
    return ranks


def dates_of(ours, theirs, faster):
    """(date, how far apart) of all events in their order; the date from which on they are other
    events, infinite where there is none."""
    dates, changed = [], float("inf")
    theirs = by_rank(theirs)
    for rank, rows in by_rank(ours).items():
        others = theirs.get(rank, [])
        if len(rows) != len(others):
            changed = min(changed, float(rows[-1]["end_s"]))
        for one, other in zip(rows, others):
            if any(one[key] != other[key] for key in WHAT):
                changed = min(changed, float(one["start_s"]))
                break
            for key in ("start_s", "end_s"):
                date = float(one[key])
                dates.append((date, apart(date, faster * float(other[key]))))
    return sorted(dates), changed
