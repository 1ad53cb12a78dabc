// SPDX-License-Identifier: LGPL-2.1-or-later
// Values that no description of a machine holds, and the source of ours.
#pragma once

#include <string_view>

#include "topologies/input/units.hpp"

namespace ringscope {

/// A value out of the table, and who published it.
template <typename Quantity>
struct Assumed {
  Quantity value{};
  std::string_view source;
};

/// Properties known from a processor's name. Bandwidths are of a whole package.
struct AssumedCpu {
  std::string_view name;
  Bandwidth memory;       ///< all channels of a package, as fast as they ever are
  Bandwidth socket_link;  ///< all links between two packages, each direction
  std::string_view source;
};

/// Processor by CPUID's vendor ("GenuineIntel"), family and model; "a processor that is not in the
/// table" where it is not.
const AssumedCpu& assumed_cpu(std::string_view vendor, int family, int model);

/// The share of its peak that a memory controller delivers to programs.
Assumed<double> assumed_memory_share();

/// A lane's bandwidth by its transfers per second ("8 GT/s" is 8e9): the rate of the generation.
Assumed<Bandwidth> assumed_pcie_lane(double transfers_per_second);
/// The share of a PCIe link's signalled bytes that is payload.
Assumed<double> assumed_pcie_share();
/// The link of a device whose description names no speed: 16 lanes of the generation that GPUs of
/// this compute capability have; 0: not known.
Assumed<Bandwidth> assumed_pcie_link(int compute_capability = 0);
/// Compute capability of a GPU with that many NVLinks: 70, 80, 90 or later; 0: not known.
Assumed<int> assumed_capability(int nvlinks);
/// Bytes that one NVLink carries in each direction, as nccl::nvlink_rate() takes them, by the GPU's
/// compute capability (70 is 7.0); 0: not known.
Assumed<Bandwidth> assumed_nvlink(int compute_capability);
/// The same of one xGMI link between AMD's GPUs, of MI300X or of the generation before.
Assumed<Bandwidth> assumed_xgmi(bool is_mi300x);
/// A network port that names no speed.
Assumed<Bandwidth> assumed_port();

Assumed<Seconds> assumed_root_latency();    ///< of a link between a domain and what hangs off it
Assumed<Seconds> assumed_switch_latency();  ///< of a link below a PCIe switch
Assumed<Seconds> assumed_socket_latency();  ///< of a link between two NUMA domains
Assumed<Seconds> assumed_nvlink_latency();  ///< of a way over NVLink from GPU to GPU
Assumed<Seconds> assumed_cable_latency();   ///< of a way from NIC to NIC through one switch
Assumed<Seconds> assumed_hop_latency();     ///< of one switch more on a way between NICs

}  // namespace ringscope
