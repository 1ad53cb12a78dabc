# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time of each probe in the simulator's model, for one transport.

The forms are those of the rules' tests (sim/mpi/rules_*_test.cpp); closed_forms_test.py holds them
against the simulator itself. Sizes are arrays of bytes, times seconds.
"""

import dataclasses

import numpy as np

from validation.calibration.fit.segments import Sized, constant


@dataclasses.dataclass
class Transport:
    """A library profile's values for one way, and the wire below it. Of each latency segment the
    share `late` is the mean of a random time (jitter), which control messages have not."""
    latency: Sized = constant(0)
    send_overhead: Sized = constant(0)
    recv_overhead: Sized = constant(0)
    send_cost: float = 0.0  # s/B
    recv_cost: float = 0.0
    unexpected_cost: float = 0.0
    eager_limit: float = np.inf  # bytes
    driver: str = "caller"
    wire: float = 0.0  # s/B of one link, headers included; 0 inside a host
    message_gap: float = 0.0  # s, at its hosts' NICs
    interrupt_interval: float = 0.0  # s; longer than a ping-pong's legs, it shows in none
    connection_cost: float = 0.0  # s per message and open connection beyond one: shows in none
    eager_piece: float = np.inf  # bytes; inf: an eager message is copied whole before it is sent
    eager_room: float = np.inf  # bytes to a receiver that is not in MPI: shows in no form here
    late: tuple = ()  # of each latency segment; empty: nothing is

    def parts(self):
        """(latency that is always there, mean of what comes on top), both by size."""
        return self.latency.split(self.late)

    def eager(self, sizes):
        return np.asarray(sizes) <= self.eager_limit

    def moving(self):
        """Seconds per byte of a message after its handshake: nothing but the slowest counts."""
        if self.driver == "nic":
            return self.wire
        if self.driver == "receiver":
            return max(self.recv_cost, self.wire)
        return max(self.send_cost, self.recv_cost, self.wire)

    def sending(self, sizes):
        """CPU time per message at its sender."""
        in_handshake = self.send_cost if self.driver == "caller" else 0.0
        return self.send_overhead(sizes) + sizes * np.where(self.eager(sizes), self.send_cost,
                                                            in_handshake)

    def receiving(self, sizes):
        in_handshake = 0.0 if self.driver == "nic" else self.recv_cost
        return self.recv_overhead(sizes) + sizes * np.where(self.eager(sizes), self.recv_cost,
                                                            in_handshake)

    def handshake(self, sizes):
        """Time from the start of the send to that of the data."""
        latencies = 1 if self.driver == "receiver" else 2
        steady, jitter = self.parts()
        return (self.send_overhead(sizes) + self.recv_overhead(sizes) + latencies * steady(0.0)
                + jitter(sizes))

    def carried(self, sizes):
        """Time of an eager message's bytes, alone: copied, sent and copied, all but its first and
        its last piece at once."""
        piece = np.minimum(sizes, self.eager_piece)
        parts = (self.send_cost, self.wire, self.recv_cost)
        return piece * sum(parts) + (sizes - piece) * max(parts)

    def flight(self, sizes):
        """Wait of the receiver after the last byte has left."""
        after_handshake = 0.0 if self.driver == "receiver" else self.parts()[0](sizes)
        return np.where(self.eager(sizes), self.latency(sizes), after_handshake)


def ping_pong(way: Transport, sizes):
    eager = way.send_overhead(sizes) + way.carried(sizes) + way.recv_overhead(sizes)
    large = way.handshake(sizes) + sizes * way.moving()
    return way.message_gap + np.where(way.eager(sizes), eager, large) + way.flight(sizes)


def send_call(way, sizes):
    return way.send_overhead(sizes) + np.where(way.eager(sizes), sizes * way.send_cost, 0)


def send_complete(way, sizes):
    told = way.parts()[0](0.0) if way.driver == "receiver" else 0.0
    return np.where(way.eager(sizes), way.sending(sizes),
                    way.handshake(sizes) + sizes * way.moving() + told)


def recv_call(way, sizes):
    return way.recv_overhead(sizes) + sizes * (way.recv_cost + way.unexpected_cost)


def stream(way, sizes, window, pairs=1, directions=1):
    """Per message and pair. The slowest stage takes every message, the others one of a window;
    `pairs` (an array too) share the wire, both directions of a pair share its two cores."""
    send, receive = way.sending(sizes), way.receiving(sizes)
    both = np.asarray(directions) == 2
    wire = (sizes * way.wire + way.message_gap) * pairs
    cores = np.where(both, send + receive, np.maximum(send, receive))
    slowest = np.maximum(cores, wire)
    hidden = sizes * (way.send_cost + way.wire + way.recv_cost) - way.carried(sizes)
    first = np.where(way.eager(sizes), send + receive + wire - slowest - hidden,
                     way.handshake(sizes))
    answer = ping_pong(way, np.zeros_like(sizes))
    return slowest + (first + way.flight(sizes) + answer) / window
