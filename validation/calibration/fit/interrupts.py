# SPDX-License-Identifier: LGPL-2.1-or-later
"""The least time between two interrupts of a host's NIC, from the step where messages get a second
packet.

An adapter that has interrupted waits some time before it does so again. In a ping-pong of one
packet each interrupt comes long after the last; of two packets the first one interrupts and the
second waits. So the curve rises there by that time, once, and no longer message pays it again.
"""

import numpy as np

PACKET = 1448  # bytes of a message in one Ethernet packet; of the step's far side, at most four
STEP = 0.5  # of the time below the step, at least
FLAT = 0.25  # of the step: the most that the curve rises up to four times as long messages


def interval_of(sizes, seconds):
    """(seconds, least, most), or None where no such step is seen: less what bytes take, by the
    slope after it, and by that before it."""
    below, above = sizes[sizes <= PACKET], sizes[sizes > PACKET]
    if len(below) < 2 or len(above) < 2 or above[0] > 4 * PACKET:
        return None
    last, first = len(below) - 1, len(below)
    step, apart = seconds[first] - seconds[last], sizes[first] - sizes[last]
    beyond = int(np.searchsorted(sizes, 4 * sizes[first], side="right")) - 1
    rise = seconds[beyond] - seconds[first]
    if step < STEP * seconds[last] or rise > FLAT * step or beyond == first:
        return None
    after = rise / (sizes[beyond] - sizes[first])
    before = (seconds[last] - seconds[0]) / (sizes[last] - sizes[0])
    least, most = (step - max(before, after) * apart, step - min(before, after) * apart)
    value = step - after * apart
    if value > 2 * seconds[0]:  # the ping-pong of one packet would have waited, too
        return None
    return float(value), float(least), float(most)


def fit_interrupts(fitted, sizes, seconds):
    """Sets `interrupt_interval` of a transport that the system's calls drive."""
    found = interval_of(sizes, seconds) if fitted.transport.driver == "caller" else None
    if found is None:
        return
    fitted.transport.interrupt_interval, low, high = found
    fitted.evidence["interrupt_interval"] = "the step of ping_pong from one packet to two"
    fitted.brackets["interrupt_interval"] = (low, high)


def without_interrupts(loop, fit, search):
    """The fit to collectives by `search(loop)` without the interval, and that gone, if it scores
    better than `fit`, which has it: then the ping-pong's step is something else, for which no round
    of a collective waits."""
    network = loop.result.transports["network"]
    told = network.transport
    if not told.interrupt_interval or loop.left <= 0:
        return fit
    network.change(interrupt_interval=0.0)
    other = search(loop)
    if other.score >= fit.score:
        network.transport = told
        return fit
    network.evidence.pop("interrupt_interval")
    network.brackets.pop("interrupt_interval")
    loop.result.notes.append("the ping-pong's step at its second packet is no interrupt's: the "
                             "collectives do better without one")
    return other
