# SPDX-License-Identifier: LGPL-2.1-or-later
"""A lab for the time of a command: the one that `up` made, or one that goes when the command ends,
however it ends."""

import contextlib
import math
import os
import shutil
import signal

from common.quantities import parse_quantity
from validation.lab import claim, hosts

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TOOLS = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux", "mount": "mount",
         "hostname": "hostname"}


class Interrupted(BaseException):
    """A signal ended the lab. No Exception: nothing below may take it for an error of its own."""

    def __init__(self, number: int):
        super().__init__(number)
        self.exit_code = 128 + number


def interrupt(number, _frame):
    ignore_endings()  # a second ^C does not stop the tearing down
    raise Interrupted(number)


def ignore_endings():
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)


def check_machine():
    """Raises LabError for what the lab cannot do without."""
    if os.geteuid() != 0:
        raise hosts.LabError("ringscope-lab needs root, to make network namespaces: "
                             "run it with sudo")
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            raise hosts.LabError(f"ringscope-lab needs the program '{tool}' "
                                 f"(Debian: apt-get install {package})")


@contextlib.contextmanager
def claimed():
    """Nobody else's lab, no ^C that leaves half of one; what a dead one left is removed first."""
    check_machine()
    with claim.claim():
        for number in ENDINGS:
            signal.signal(number, interrupt)
        if not claim.read_state().get("stays"):
            claim.clear()
        yield


def quantities(rate: str, latency: str):
    """(bytes/s, seconds)"""
    bandwidth = parse_quantity(rate, "bandwidth", "--rate")
    if bandwidth < 125e3:
        raise hosts.LabError(f'--rate: expected at least 1 Mbit/s, got "{rate}"')
    return bandwidth, parse_quantity(latency, "time", "--latency")


def make(count: int, rate: str, latency: str) -> dict:
    if not 1 <= count <= hosts.MOST_HOSTS:
        raise hosts.LabError(f"--hosts: expected 1 to {hosts.MOST_HOSTS}, got {count}")
    shaped = quantities(rate, latency)
    state = {"stays": False, "allowed_congestion_control": hosts.ALLOWED.read_text(),
             "hosts": count, "rate": rate, "latency": latency, "shaped": list(shaped)}
    claim.write_state(state)  # before anything is made: a dead lab's successor restores it
    hosts.build(count)
    hosts.shape(count, *shaped)
    return state


def up(count: int, rate: str, latency: str):
    """A lab that stays until `down`."""
    with claimed():
        if claim.read_state():
            raise hosts.LabError("the lab is up already: take it down first (ringscope-lab down)")
        try:
            claim.write_state(make(count, rate, latency) | {"stays": True})
        except BaseException:
            ignore_endings()
            claim.clear()
            raise


def down():
    with claimed():
        claim.clear()


class Session:
    """A lab that is there. Its rate may change from one job to the next."""

    def __init__(self, state: dict):
        self.state = state
        self.hosts = state["hosts"]

    def shape(self, rate: str = "", latency: str = ""):
        """Whatever is empty is as the lab was made."""
        shaped = list(quantities(rate or self.state["rate"], latency or self.state["latency"]))
        if shaped != self.state["shaped"]:
            hosts.shape(self.hosts, *shaped)
            self.state["shaped"] = shaped
            claim.write_state(self.state)


@contextlib.contextmanager
def session(count: int, rate: str = "", latency: str = ""):
    """At least `count` hosts, shaped as asked or as `up` did it."""
    with claimed():
        state = claim.read_state()
        stays = bool(state)
        try:
            if not stays:
                state = make(count, rate or "unlimited", latency or "0 s")
            if state["hosts"] < count:
                raise hosts.LabError(f"the lab that is up has {state['hosts']} hosts, and {count} "
                                     "are requested: take it down first (ringscope-lab down)")
            opened = Session(state)
            opened.shape(rate, latency)
            yield opened
        finally:
            ignore_endings()
            if not stays:
                claim.clear()


def describe() -> str:
    """Output of `status`."""
    state = claim.read_state()
    owner = claim.owner()
    if not state:
        return f"no lab ({f'process {owner} has just begun one' if owner else 'nothing is left'})"
    rate, latency_s = state["shaped"]
    shown = "unshaped" if math.isinf(rate) else f"{rate * 8e-6:g} Mbit/s each way"
    delay = f", {latency_s * 1e3:g} ms added" if latency_s else ""
    if owner:
        whose = f"in use by process {owner}"
    elif state["stays"]:
        whose = "stays until `ringscope-lab down`"
    else:
        whose = "left by a killed ringscope-lab: the next one removes it, or `down`"
    return f"{state['hosts']} hosts, {shown}{delay}; {whose}"
