# SPDX-License-Identifier: LGPL-2.1-or-later
"""The hosts of the lab: network namespaces on one bridge, every link shaped in both directions.

A token bucket stands where a cable would begin: at each host's end and at each port of the switch.
A bucket lets 1448 of 1514 bytes be payload (0.9565 of the rate), and forgets what it did not use
beyond its depth: short messages after a pause travel faster than the link.
"""

import contextlib
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import time

from common.programs import InputError

PREFIX = "ringscope-"
SWITCH = PREFIX + "switch"
MOST_HOSTS = 250
LEAST_SEGMENT, MOST_SEGMENT = 4096, 65536  # bytes
SEGMENT_S, DEPTH_S = 0.2e-3, 0.3e-3  # at the link's rate; less starves it between two timers
ALLOWED = pathlib.Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
AVAILABLE = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
NAMES = pathlib.Path("/etc/netns")  # `ip netns exec` lays what it finds there over /etc


class LabError(InputError):
    """The machine does not do what the lab asks of it."""


def call(*words) -> str:
    """Runs a command, away from the terminal's ^C, and returns what it printed."""
    ran = subprocess.run(words, check=False, capture_output=True, text=True, start_new_session=True)
    if ran.returncode != 0:
        raise LabError(f"'{' '.join(words)}' failed: {(ran.stderr or ran.stdout).strip()}")
    return ran.stdout


def namespace(host: int) -> str:
    return f"{PREFIX}host{host}"


def address(host: int) -> str:
    return f"10.77.0.{host + 1}"


def existing() -> list:
    """Our namespaces, whoever left them."""
    words = [line.split()[0] for line in call("ip", "netns", "list").splitlines() if line.strip()]
    return [name for name in words if name.startswith(PREFIX)]


# Building


def build(hosts: int):
    """Namespaces, cables and names, not shaped yet."""
    # A namespace may choose cubic only where everybody may. BBR shares a token bucket badly.
    if "cubic" in AVAILABLE.read_text().split() and "cubic" not in ALLOWED.read_text().split():
        ALLOWED.write_text(ALLOWED.read_text().strip() + " cubic")
    listed = "".join(f"{address(host)} host{host}\n" for host in range(hosts))
    call("ip", "netns", "add", SWITCH)
    call("ip", "-n", SWITCH, "link", "add", "bridge", "type", "bridge")
    call("ip", "-n", SWITCH, "link", "set", "bridge", "up")
    for host in range(hosts):
        own = namespace(host)
        (NAMES / own).mkdir(parents=True)
        (NAMES / own / "hosts").write_text(f"127.0.0.1 localhost\n{listed}")
        call("ip", "netns", "add", own)
        configure(own)
        call("ip", "link", "add", "eth0", "netns", own, "type", "veth",
             "peer", "name", f"port{host}", "netns", SWITCH)
        call("ip", "-n", own, "link", "set", "lo", "up")
        call("ip", "-n", own, "addr", "add", f"{address(host)}/24", "dev", "eth0")
        call("ip", "-n", own, "link", "set", "eth0", "up")
        call("ip", "-n", SWITCH, "link", "set", f"port{host}", "master", "bridge", "up")


def configure(own: str):
    """No connection learns from an earlier one, and nothing but ours is on the wire."""
    congestion = "cubic" if "cubic" in ALLOWED.read_text().split() else "reno"
    settings = {"ipv4/tcp_congestion_control": congestion, "ipv4/tcp_no_metrics_save": "1"}
    if os.path.exists("/proc/sys/net/ipv6"):
        settings["ipv6/conf/all/disable_ipv6"] = settings["ipv6/conf/default/disable_ipv6"] = "1"
    lines = [f"echo {value} > /proc/sys/net/{key}" for key, value in settings.items()]
    call("ip", "netns", "exec", own, "sh", "-ec", "; ".join(lines))


def shape(hosts: int, rate: float, latency_s: float):
    """`rate` in bytes/s (infinite: as fast as the machine copies) for every link, each way;
    `latency_s` from host to host."""
    for host in range(hosts):
        shape_end(namespace(host), "eth0", rate, latency_s)
        shape_end(SWITCH, f"port{host}", rate, 0)


def shape_end(where: str, device: str, rate: float, latency_s: float):
    subprocess.run(["tc", "-n", where, "qdisc", "del", "dev", device, "root"], check=False,
                   capture_output=True, start_new_session=True)
    add = ["tc", "-n", where, "qdisc", "add", "dev", device]
    place = ["root"]
    if latency_s > 0:
        try:
            call(*add, "root", "handle", "1:", "netem", "delay", f"{latency_s * 1e6:.0f}us",
                 "limit", "100000")
        except LabError as error:
            raise LabError("--latency needs the kernel's netem (CONFIG_NET_SCH_NETEM), which this "
                           f"one seems not to have: {error}") from None
        place = ["parent", "1:1"]
    # The kernel hands over segments of up to 64 KiB as one packet. Two of them fill a small
    # window, and a bucket must hold one: short ones keep both directions busy at once, and the
    # bucket, whose content travels faster than the link, shallow.
    segment = int(min(MOST_SEGMENT, max(LEAST_SEGMENT, rate * SEGMENT_S)))
    call("ip", "-n", where, "link", "set", "dev", device, "gso_max_size", str(segment))
    if math.isinf(rate):
        return
    depth = max(2 * segment, rate * DEPTH_S)
    # A shorter queue drops packets, and a timeout costs 200 ms.
    queue = 256 * 1024 + rate * 5e-3
    call(*add, *place, "tbf", "rate", f"{rate * 8:.0f}bit", "burst", f"{depth:.0f}",
         "limit", f"{queue:.0f}")


# Watching


def wire(hosts: int) -> list:
    """Bytes that each host has put on its cable and taken from it, headers included, packets that
    a full queue dropped, and segments that TCP sent again, as it also does where a busy machine
    answers late."""
    counted = []
    for host in range(hosts):
        link = json.loads(call("ip", "-j", "-s", "-n", namespace(host), "link", "show", "eth0"))[0]
        queues = [queue for ends in ((namespace(host), "eth0"), (SWITCH, f"port{host}"))
                  for queue in json.loads(call("tc", "-j", "-s", "-n", ends[0], "qdisc", "show",
                                               "dev", ends[1]) or "[]")]
        counted.append({"sent_bytes": link["stats64"]["tx"]["bytes"],
                        "received_bytes": link["stats64"]["rx"]["bytes"],
                        "drops": sum(queue.get("drops", 0) for queue in queues),
                        "sent_again": sent_again(host)})
    return counted


def sent_again(host: int) -> int:
    """Segments of TCP that a host has sent once more; /proc/net/snmp has names, then values."""
    counts = call("ip", "netns", "exec", namespace(host), "grep", "^Tcp:", "/proc/net/snmp")
    names, values = (line.split() for line in counts.splitlines())
    return int(values[names.index("RetransSegs")])


def processes() -> list:
    """Ids of all processes inside our namespaces."""
    return [int(word) for name in existing() for word in call("ip", "netns", "pids", name).split()]


# Tearing down


def kill_processes(patience_s: float = 0, spared=()):
    """Ends what runs inside our namespaces, after waiting for it to end by itself."""
    def others():
        return [process for process in processes() if process not in spared]

    ends = time.monotonic() + patience_s
    while (left := others()) and time.monotonic() < ends:
        time.sleep(0.02)
    last = time.monotonic() + 10
    while left and time.monotonic() < last:
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.02)
        left = others()
    if left:
        raise LabError(f"cannot end the processes {left} of the lab")


def tear_down():
    """Removes all namespaces of ours, whoever built them, and what runs in them."""
    kill_processes()
    for name in existing():
        call("ip", "netns", "del", name)
    for folder in NAMES.glob(PREFIX + "*"):
        shutil.rmtree(folder)
    if NAMES.is_dir() and not any(NAMES.iterdir()):
        NAMES.rmdir()
