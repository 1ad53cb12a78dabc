# SPDX-License-Identifier: LGPL-2.1-or-later
"""A library profile from fitted costs of NCCL's protocols."""

import textwrap

from validation.calibration.nccl.form import FLAGS, PROTOCOLS, Costs

# Latencies that no published curve here tells, as NCCL's own table has them for a hop between
# hosts, s (2.30.7, src/graph/tuning.cc, ring, NET).
BETWEEN = {"LL": 2.7e-6, "LL128": 4.0e-6, "Simple": 14.0e-6}
# Share of data in PCIe's bytes: a packet has 128 B, a header and a frame of 24 B, and 16 B to
# acknowledge and to grant one that comes the other way (PCI Express Base Specification). NCCL
# counts on 12.0 of 15.75 GB/s (2.29.2, src/graph/topo.h).
OVER_PCIE = 128 / (128 + 24 + 16)

WIDTH = 98  # columns of a comment's text


def digits(value: float) -> str:
    return f"{value:.4g}"


def protocol_of(costs: Costs, name: str) -> dict:
    of = costs.of[name]
    pcie = of.get("pcie", 1) * FLAGS[name] * OVER_PCIE
    far = digits(of.get("between", BETWEEN[name]) * 1e6)
    cables = digits(of.get("cables", 1) * FLAGS[name])
    found = {"start": f"{digits(of['start'] * 1e6)} us", "hop": f"{digits(of['hop'] * 1e6)} us",
             "carries": digits(of["carries"]), "carries_over_pcie": digits(pcie),
             **{key: f"{digits(of[key] / 1e9)} GB/s" for key in ("block", "copy", "gpu")}}
    if (far, cables) != (digits(BETWEEN[name] * 1e6), digits(FLAGS[name])):  # not the transport's
        found |= {"hop_between_hosts": f"{far} us", "carries_between_hosts": cables}
    return found


def blocks_of(costs: Costs, settings: dict) -> dict:
    """The map `blocks` of a library."""
    return {"launch": f"{digits(costs.launch * 1e6)} us", **settings,
            **{name: protocol_of(costs, name) for name in PROTOCOLS}}


def library_of(costs: Costs, settings: dict) -> dict:
    return {"base": "cuda_pinned", "transport": "infiniband", "blocks": blocks_of(costs, settings)}


def yaml_of(head: str, about: str, library: dict) -> str:
    """`head`: the comment above."""
    text = textwrap.wrap(head, WIDTH, break_on_hyphens=False)
    lines = [*(f"# {line}" for line in text), f"about: {about}", f"base: {library['base']}",
             f"transport: {library['transport']}", "blocks:"]
    for key, value in library["blocks"].items():
        if not isinstance(value, dict):
            lines.append(f"  {key}: {value}")
            continue
        lines += [f"  {key}:"] + [f"    {name}: {one}" for name, one in value.items()]
    return "\n".join(lines) + "\n"
