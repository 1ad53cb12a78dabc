# SPDX-License-Identifier: LGPL-2.1-or-later
"""The network that lines of NCCL_DEBUG=INFO name, as `link.kind` of a cluster has it.

Sources of their forms: NCCL 2.16 to 2.30, src/transport/net_ib.cc and net_socket.cc; aws-ofi-nccl,
src/nccl_ofi_net.c; the names of Google's plug-ins, FasTrak (TCPXO) and GPUDirectTCPX.
"""

import re
from collections import Counter

PLUGINS = ((r"NET/FasTrak|Using network FasTrak", "tcpxo"),
           (r"NET/GPUDirectTCPX|Using network GPUDirectTCPX", "tcpx"),
           (r"NET/OFI Selected provider is cxi", "slingshot"))
EFA = r"NET/OFI Selected provider is efa"
GENERATIONS = ((r"A100", "efa_p4d"), (r"H[12]00", "efa_p5"), (r"B[23]00", "efa_p6"))  # AWS's hosts
PORT = re.compile(r"\[\d+\]\S+?:\d+/(IB|RoCE)")
SOCKET = r"NET/Socket : Using|Using network Socket|via NET/Socket"
SLINGSHOT = r"NET/Socket : Using \[0\]hsn"
THREADS = r"NET/Socket: Using [1-9]\d* threads"


def kind_of(texts: list, devices: list) -> str:
    """"" where the lines do not tell."""
    text = "\n".join(line for line in texts if "NCCL INFO" in line)
    if "Using network Socket" not in text:
        for pattern, kind in PLUGINS:
            if re.search(pattern, text, re.IGNORECASE):
                return kind
        if re.search(EFA, text, re.IGNORECASE):
            return next((kind for pattern, kind in GENERATIONS
                         if re.search(pattern, " ".join(devices))), "")
        lines = [line for line in text.splitlines() if "NET/IB : Using" in line]
        if ports := Counter(port for line in lines for port in PORT.findall(line)):
            return {"IB": "infiniband", "RoCE": "roce"}[ports.most_common(1)[0][0]]
    if not re.search(SOCKET, text) or re.search(r"Using network (?!Socket)", text):
        return ""
    return ("slingshot_socket" if re.search(SLINGSHOT, text) else
            "sockets" if re.search(THREADS, text) else "socket")
