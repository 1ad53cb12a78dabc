# SPDX-License-Identifier: LGPL-2.1-or-later
"""The network that lines of NCCL_DEBUG=INFO name, as `link.kind` of a cluster has it.

Sources of their forms: NCCL 2.16 to 2.30, src/transport/net_ib.cc and net_socket.cc; aws-ofi-nccl,
src/nccl_ofi_net.c; the names of Google's plug-ins, FasTrak (TCPXO) and GPUDirectTCPX.
"""

import re

PLUGINS = ((r"NET/FasTrak|Using network FasTrak", "tcpxo"),
           (r"NET/GPUDirectTCPX|Using network GPUDirectTCPX", "tcpx"),
           (r"OFI Selected provider is cxi", "slingshot"), (r"OFI Selected provider is efa", "efa"))
GENERATIONS = ((r"A100", "efa_p4d"), (r"H[12]00", "efa_p5"), (r"B[23]00", "efa_p6"))  # AWS's hosts
SOCKETS = ((r"NET/Socket : Using \[0\]hsn", "slingshot_socket"),
           (r"NET/Socket: Using [1-9]\d* threads", "sockets"),
           (r"NET/Socket : Using|Using network Socket|via NET/Socket", "socket"))


def first(table, text: str) -> str:
    return next((kind for one, kind in table if re.search(one, text, re.IGNORECASE)), "")


def kind_of(texts: list, devices: list) -> str:
    """"" where the lines do not tell."""
    text = "\n".join(line for line in texts if "NCCL INFO" in line)
    used = re.findall(r"Using network (\S+)", text)[:1]
    if used == ["Socket"]:
        return first(SOCKETS, text)
    if kind := first(PLUGINS, text):
        return first(GENERATIONS, " ".join(devices)) if kind == "efa" else kind
    ports = re.findall(r"\[\d+\]\S+?:\d+/(IB|RoCE)", text)  # after "NET/IB : Using"
    if ports:
        return "roce" if 2 * ports.count("RoCE") > len(ports) else "infiniband"
    return "" if used else first(SOCKETS, text)
