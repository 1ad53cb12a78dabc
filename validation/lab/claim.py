# SPDX-License-Identifier: LGPL-2.1-or-later
"""One lab at a time, and what is known of it: who has it, whether it stays, what to restore.

The claim is a socket with a name and no file: the kernel gives it up with the process that holds
it, however that ends, and tells who that is. What a killed lab left is thereby known as such: there
is a state, and nobody claims it, and it was not meant to stay.
"""

import json
import pathlib
import shutil
import socket
import struct

from common.programs import write_text
from validation.lab import cpu, hosts

FOLDER = pathlib.Path("/run/ringscope-lab")
STATE = FOLDER / "state.json"
SCRATCH = FOLDER / "tmp"  # of the launchers and the ranks
SOCKET = "\0ringscope-lab"


def owner() -> int:
    """The id of the process that has the lab now; 0 where nobody has."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(SOCKET)
        except OSError:
            return 0
        credentials = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return struct.unpack("3i", credentials)[0]


def claim() -> socket.socket:
    """Holds the lab until closed. Raises LabError naming who holds it now."""
    server = socket.socket(socket.AF_UNIX)
    try:
        server.bind(SOCKET)
    except OSError:
        server.close()
        raise hosts.LabError(f"another ringscope-lab is at work: process {owner()}; there is one "
                             "lab per machine") from None
    server.listen()
    return server


def read_state() -> dict:
    """{} where there is no lab."""
    try:
        return json.loads(STATE.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def write_state(state: dict):
    SCRATCH.mkdir(parents=True, exist_ok=True)
    write_text(str(STATE), json.dumps(state) + "\n")


def clear():
    """Removes every trace of a lab: needs the claim."""
    hosts.tear_down()
    cpu.remove_groups()
    allowed = read_state().get("allowed_congestion_control")
    if allowed:
        hosts.ALLOWED.write_text(allowed)
    if FOLDER.exists():
        shutil.rmtree(FOLDER)
