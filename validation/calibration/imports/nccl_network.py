# SPDX-License-Identifier: LGPL-2.1-or-later
"""The network that lines of NCCL_DEBUG=INFO name, as `link.kind` of a cluster has it.

Sources of their forms: NCCL 2.16 to 2.30, src/transport/net_ib.cc and net_socket.cc; aws-ofi-nccl,
src/nccl_ofi_net.c; the names of Google's plug-ins, FasTrak (TCPXO) and GPUDirectTCPX.
"""

import re

from validation.yaml_files import tables_of

# {pattern: kind}
PLUGINS, GENERATIONS, SOCKETS = tables_of(__file__).values()


def first(table, text: str) -> str:
    return next((kind for one, kind in table.items() if re.search(one, text, re.IGNORECASE)), "")


def kind_of(texts: list, devices: list) -> str:
    """"" where the lines do not tell."""
    text = "\n".join(line for line in texts if "NCCL INFO" in line)
    used = re.findall(r"Using network (\S+)", text)[:1]
    if used == ["Socket"]:
        return first(SOCKETS, text)
    if kind := first(PLUGINS, text):
        return first(GENERATIONS, " ".join(devices)) if kind == "efa" else kind
    ports = re.findall(r"\[\d+\] ?\w\S*?:\d+/(IB|RoCE)", text)  # after "NET/IB : Using"
    if ports:
        return "roce" if 2 * ports.count("RoCE") > len(ports) else "infiniband"
    return "" if used else first(SOCKETS, text)
