# SPDX-License-Identifier: LGPL-2.1-or-later
"""Progress: the part of a transfer that is left when an end of it has computed meanwhile."""

import dataclasses

import numpy as np

from validation.calibration.fit import closed_forms

HIDDEN, LEFT = 0.3, 0.7  # shares of a transfer
NONE = 0.05  # of a message: so little is what the model is off by


@dataclasses.dataclass
class Progress:
    """`mode`: caller, thread or nic; `buffer`: bytes that the OS moves without its process;
    `rts_data`: bytes that travel before the receiver has answered."""
    mode: str
    evidence: str = ""
    assumed: str = ""
    buffer: float = 0.0
    bracket: tuple = None
    buffer_evidence: str = ""
    rts_data: float = 0.0
    rts_bracket: tuple = None
    rts_doubt: str = ""  # why the measurement does not tell rts_data


def overlaps(points, network, side, tests):
    """[(point, share of the transfer that its computation did not hide)], large messages only:
    eager ones are sent before they are waited for."""
    found = []
    sizes, seconds = points.curve("ping_pong", way="network")
    for point in points.of_probe("overlap", way="network", side=side, tests=tests):
        whole = float(closed_forms.send_complete(network, np.array([point.size]))[0])
        if len(sizes) and sizes[0] <= point.size <= sizes[-1]:
            whole = float(np.interp(point.size, sizes, seconds))
        hidden_at_most = min(whole, point.parameters["compute_s"])
        if point.size > network.eager_limit and hidden_at_most > 0.05 * point.seconds:
            left = point.seconds - point.parameters["compute_s"] - (whole - hidden_at_most)
            found.append((point, left / hidden_at_most, whole))
    return found


def in_words(found, side, tests):
    point, share, whole = max(found, key=lambda one: one[0].size)
    computed = point.parameters["compute_s"]
    return (f"{side} of {point.size:.0f} bytes, {'with' if tests else 'without'} MPI_Test: "
            f"{computed * 1e3:.4g} ms of computing and {whole * 1e3:.4g} ms of transfer took "
            f"{point.seconds * 1e3:.4g} ms, {max(0, share):.0%} of what could be hidden was not")


def fit_progress(points, network, kind) -> Progress:
    """The mode from the sender's side, where buffers hide nothing; the receiver's says how much
    the OS takes in."""
    without = {side: overlaps(points, network, side, False) for side in ("sender", "receiver")}
    tested = {side: overlaps(points, network, side, True) for side in ("sender", "receiver")}
    if not without["sender"] and not without["receiver"]:
        return Progress("caller", assumed="no overlap was measured for messages above the eager "
                                          "limit: Open MPI and MPICH leave progress to the caller")
    words = "; ".join([in_words(found, side, False) for side, found in without.items() if found]
                      + [in_words(found, side, True) for side, found in tested.items() if found])
    share = {side: float(np.median([one[1] for one in found])) for side, found in without.items()
             if found}
    if all(one < HIDDEN for one in share.values()) and "sender" in share:
        progress = Progress("nic" if kind == "rdma" else "thread", words)
    elif share.get("sender", 0.0) > LEFT or share.get("receiver", 0.0) > LEFT:
        progress = Progress("caller", words)
    else:
        progress = Progress("caller", words + "; between the modes: taken for the caller's")
    if progress.mode == "caller" and kind == "tcp":
        set_buffer(progress, without["receiver"])
        set_rts_data(progress, without["sender"], network.eager_limit)
    return progress


def set_rts_data(progress, sending, eager_limit):
    """Bytes in flight while the sender computed went before the answer: libraries send at most an
    eager message's worth with the RTS; a token bucket's content comes on top. A measurement whose
    times spread by more than a quarter of that cannot tell it from nothing."""
    moved = [(point.size * (1 - share), uncertain(point, whole)) for point, share, whole in sending
             if share > LEFT]
    if not moved or not np.isfinite(eager_limit):
        return
    told = [size for size, deviation in moved if deviation < eager_limit / 4]
    if np.median(told or [size for size, _ in moved]) >= eager_limit / 2:
        progress.rts_data = float(eager_limit)
        progress.rts_bracket = (float(min(eager_limit, *told)) if told else 0.0, float(eager_limit))
    elif max(told, default=0.0) >= eager_limit / 2:  # some sizes contradict the others
        progress.rts_bracket = (0.0, float(eager_limit))
    if not told:
        least = min(deviation for _, deviation in moved)
        progress.rts_doubt = (
            f"{progress.rts_data:.0f} B or not: times of overlap at the sender spread by what "
            f"{least:.0f} bytes take at least, an eager message has {eager_limit:.0f}")


def uncertain(point, whole) -> float:
    """Bytes by which what the computation hid may be off: one standard deviation of the time."""
    hidden_at_most = min(whole, point.parameters["compute_s"])
    return point.size * point.spread * point.seconds / hidden_at_most


def set_buffer(progress, receiving):
    """Share that came in while the receiver computed. The largest message that hardly came tells;
    those that came as a whole give a lower bound, which the others may contradict."""
    moved = [(point.size, point.size * (1 - share)) for point, share, _ in receiving]
    if not moved:
        return
    part = [bytes_moved for size, bytes_moved in moved if bytes_moved < LEFT * size]
    whole = [size for size, bytes_moved in moved if bytes_moved >= LEFT * size]
    progress.buffer = max(0.0, float(np.median(part))) if part else float(max(whole))
    if progress.buffer < NONE * max(size for size, _ in moved):
        progress.buffer = 0.0
    low = min(max(0.0, min(part)), progress.buffer) if part else max(whole)
    progress.bracket = (low, max(0.0, progress.buffer, *(bytes_moved for _, bytes_moved in moved))
                        if part else np.inf)
    progress.buffer_evidence = "overlap at the receiver, without MPI_Test"
    if not part:
        progress.buffer_evidence += ": at least that, all of it came"
