// SPDX-License-Identifier: LGPL-2.1-or-later
// Values that no description of a machine holds, the source of ours, and notes on them.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  std::string name;
  Bandwidth memory;       ///< all channels of a package, as fast as they ever are
  Bandwidth socket_link;  ///< all links between two packages, each direction
  std::string source;
};

/// Processor by CPUID's vendor ("GenuineIntel"), family and model; "a processor that is not in the
/// table" where it is not.
AssumedCpu assumed_cpu(std::string_view vendor, int family, int model);

/// The share of its peak that a memory controller delivers to programs.
inline constexpr Assumed<double> assumed_memory_share = {
    0.8, "STREAM results (cs.virginia.edu/stream): 75 to 85 % of the channels' peak"};

/// A lane's bandwidth by its transfers per second ("8 GT/s" is 8e9): the rate of the generation.
Assumed<Bandwidth> assumed_pcie_lane(double transfers_per_second);
/// The share of a PCIe link's signalled bytes that is payload. 16 lanes of 8 GT/s in 128b/130b code
/// signal 15.754 GB/s.
inline constexpr Assumed<double> assumed_pcie_share = {
    12.0 / (16 * 8.0 / 8 * 128 / 130),
    "NCCL, src/graph/topo.h: PCI_BW is 12 GB/s of the 15.75 that 16 lanes of 8 GT/s signal"};
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
inline constexpr Assumed<Bandwidth> assumed_port = {
    Bandwidth{12.5e9}, "NCCL, src/graph/topo.h: NET_BW represents 100 Gbit/s"};

/// Latency of a link between a domain and what hangs off it.
inline constexpr Assumed<Seconds> assumed_root_latency = {
    Seconds(0.25e-6),
    "Neugebauer et al., SIGCOMM 2018: half of the 0.5 us of a small read over PCIe"};
/// Latency of a link below a PCIe switch.
inline constexpr Assumed<Seconds> assumed_switch_latency = {
    Seconds(0.15e-6), "Broadcom PEX8700 product briefs: up to 150 ns through a switch"};
/// Latency of a link between two NUMA domains.
inline constexpr Assumed<Seconds> assumed_socket_latency = {
    Seconds(0.06e-6),
    "Intel Memory Latency Checker on two sockets: remote memory is some 60 ns farther"};
/// Latency of a route over NVLink from GPU to GPU.
inline constexpr Assumed<Seconds> assumed_nvlink_latency = {
    Seconds(0.6e-6), "NCCL, src/graph/tuning.cc: hwLat, NVLink, ring, LL"};
/// Latency of a route from NIC to NIC through one switch.
inline constexpr Assumed<Seconds> assumed_cable_latency = {
    Seconds(0.6e-6), "NVIDIA ConnectX-5 and ConnectX-6 product briefs: 0.6 us"};
/// Latency of one switch more on a route between NICs.
inline constexpr Assumed<Seconds> assumed_hop_latency = {
    Seconds(0.13e-6), "NVIDIA Quantum QM8700 product brief: 130 ns from port to port"};

/// Notes on what an import guessed and omitted, for the head of the YAML that it writes.
struct Noted {
  std::vector<std::string> notes;  ///< "guessed: ..., because ...", "omitted: ..."

  /// Adds a note, as fmt::format() makes it, once.
  template <typename... Parts>
  void note(fmt::format_string<Parts...> text, Parts&&... parts) {
    std::string made = fmt::format(text, std::forward<Parts>(parts)...);
    if (std::ranges::find(notes, made) == notes.end()) notes.push_back(std::move(made));
  }
};

}  // namespace ringscope
