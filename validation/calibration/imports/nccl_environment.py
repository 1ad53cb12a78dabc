# SPDX-License-Identifier: LGPL-2.1-or-later
"""Variables of the environment that explain a time of NCCL; of others nothing is kept.

Logs carry the whole environment of a job, with its tokens and paths: names are of a list, and
values are words and numbers without a slash.
"""

import re

ALLOWED = ("ALGO|PROTO|MIN_NCHANNELS|MAX_NCHANNELS|MIN_CTAS|MAX_CTAS|NTHREADS|BUFFSIZE|NET|"
           "NET_GDR_LEVEL|NET_GDR_READ|CROSS_NIC|PXN_DISABLE|NVLS_ENABLE|P2P_DISABLE|P2P_LEVEL|"
           "P2P_NET_CHUNKSIZE|SHM_DISABLE|IB_DISABLE|IB_HCA|IB_QPS_PER_CONNECTION|IB_TIMEOUT|"
           "IB_SPLIT_DATA_ON_QPS|IB_ADAPTIVE_ROUTING|IB_TC|SOCKET_IFNAME|SOCKET_NTHREADS|"
           "NSOCKS_PERTHREAD|COLLNET_ENABLE|LAUNCH_MODE|GRAPH_REGISTER|LOCAL_REGISTER|DEBUG")
SET = re.compile(rf"\b(NCCL_(?:{ALLOWED}))(?:=|\s+set (?:by environment )?to )\"?"
                 r"(=?[\w,^:.+-]{1,60})(?![\w/;=])")


def settings_in(texts: list) -> list:
    """"NAME=value" of each variable, by the last line that sets it."""
    found = {name: value.rstrip(".,;") for text in texts for name, value in SET.findall(text)}
    return [f"{name}={value}" for name, value in sorted(found.items())]
