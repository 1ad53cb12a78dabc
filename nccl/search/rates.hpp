// SPDX-License-Identifier: LGPL-2.1-or-later
// The figures by which NCCL weighs the parts of a host. It searches with round numbers of its own,
// not with what the links carry; a description has what they carry.
//
// Source of all of them: NCCL 2.22.3 and 2.31, src/graph/topo.h (links), xml.h (PCIe, 100 Mbit/s a
// lane), search.cc (steps).
#pragma once

#include <span>

#include "topologies/graph/topology.hpp"

namespace ringscope::nccl {

/// 10^9 bytes/s, as NCCL writes them.
using Rate = double;

inline constexpr Rate unlimited_rate = 5000;

/// Compute capability of the GPUs, 70 for 7.0: the youngest of V100 (70), A100 (80), H100 (90) and
/// B200 (100) that has no more NVLink or PCIe than the description gives a GPU of the host.
int generation_of(const Topology& topology, const Host& host);

/// One NVLink.
Rate one_nvlink(int generation);

/// As many whole links of the generation as are described.
Rate nvlink_rate(Bandwidth described, int generation);

/// The next slower PCIe link of 2^n lanes and its rate: 12 for a 3.0 x16, which carries 15.75.
Rate pcie_rate(Bandwidth described);

/// Between sockets NCCL uses rates of the processor's model. A description names none, so hosts
/// with PCIe 4.0 are taken for AMD's, 3.0 for Skylake, 5.0 for Sapphire Rapids.
struct Processor {
  bool amd = false;
  Rate socket_link = 0;
};
Processor processor_of(int generation);

/// Rates that the search tries for a channel, the fastest first: of one host alone, or of several.
std::span<const Rate> steps(int generation, bool several_hosts);

}  // namespace ringscope::nccl
