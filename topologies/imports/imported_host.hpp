// SPDX-License-Identifier: LGPL-2.1-or-later
// One host as an import understood it, and what it had to guess.
#pragma once

#include <fmt/core.h>
#include <hwloc.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topologies/input/units.hpp"

namespace ringscope {

// Values that no description of a machine holds, the source of ours, and notes on them.

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

// The host itself.

/// The components and links that host type `custom` takes. Components are named by kind and index:
/// numa0, pcie0, gpu0, nic0, nvswitch0.
struct ImportedHost : Noted {
  struct Domain {
    int cores = 0;
    int socket = 0;
    Bandwidth memory_bandwidth;
    Bytes memory{};  ///< 0: not known
  };
  struct Device {
    std::string label;  ///< as the file calls it: "0000:34:00.0", "mlx5_0"
    Bytes memory{};     ///< GPUs; 0: not known
  };
  struct Link {
    std::string from, to;
    Bandwidth bandwidth;
    Seconds latency{};
  };

  std::vector<Domain> domains;
  std::vector<Device> switches, gpus, nics, nvswitches;
  std::vector<Link> links;
  std::vector<std::string> unknown;  ///< the devices whose link's speed the file does not say
  int compute_capability = 0;        ///< of the GPUs, which tells the PCIe's generation; 0: unknown
  std::optional<Bandwidth> port;     ///< the fastest network port's, where the file says it
  std::string network;               ///< kind of the cables' network; "": not known

  /// Index of the GPU with that label; -1 where there is none.
  int gpu_index(const std::string& label) const;
};

/// A PCI device or bridge that the file tells of, with what is below it.
struct PciDevice {
  enum class Kind { bridge, gpu, nic };
  Kind kind = Kind::bridge;
  std::string label;
  std::optional<Bandwidth> link;  ///< of the link above it; nothing: the file does not say
  Bytes memory{};                 ///< of a GPU; 0: not known
  std::optional<Bandwidth> port;  ///< of a NIC
  std::vector<PciDevice> below;
};

/// True if it is a GPU or a NIC, or there is one below.
bool leads_anywhere(const PciDevice& device);
/// Hangs a device, and all below it, off a component. A bridge with one thing below is a part of
/// its link and narrows it; one with several is a PCIe switch; one with nothing is left out.
/// Throws std::length_error beyond 1024 links of a machine.
void hang(const PciDevice& device, const std::string& parent, ImportedHost& machine,
          std::optional<Bandwidth> above = {});

/// Location of a domain: domains of one package are nearer to each other.
struct DomainPlace {
  int package = 0;
  double share = 1;  ///< packages that the domain spans: 0.5 where two share one
  AssumedCpu cpu;
};

/// Sets the domains' sockets and memory bandwidths, and links every two; `places` has one entry per
/// domain. Throws std::length_error beyond 64 of them.
void link_domains(const std::vector<DomainPlace>& places, ImportedHost& machine);

/// Sets the kind of network by the NICs' names, where they tell one kind. EFA's generation follows
/// from the GPUs' compute capability; 0: not known.
void name_network(int compute_capability, ImportedHost& machine);

/// Completes the machine after all else: adds a NIC where there is none, as the network has to plug
/// in somewhere, and notes which links' speeds were not known.
void complete(ImportedHost& machine);

/// Bandwidth of cables where neither the file nor --link says it; leaves a note.
Bandwidth guessed_cable(Noted& of);

/// First lines of a cluster's YAML: the command that wrote it, and the notes.
std::string yaml_head(std::string_view command, const std::string& origin, const Noted& of);

/// The cluster of `hosts` such machines on one switch, as YAML that read_cluster() takes; the notes
/// stand at its head, and what is assumed of the cable joins them. The cable is as fast as `link`,
/// or as the fastest port, or as is assumed.
std::string cluster_yaml(ImportedHost& machine, const std::string& origin, int hosts,
                         std::optional<Bandwidth> link);

// The NVLinks of a machine, whose two ends may both report them.

class NvLinks {
 public:
  /// Adds a link between two GPUs, each direction; the other end may report the same pair again.
  void add(int gpu, int other, Bandwidth bandwidth);
  /// Adds a link into the switch that all NVSwitches of the machine are taken for.
  void add_to_switch(int gpu, Bandwidth bandwidth);

  bool empty() const { return pairs_.empty() && to_switch_.empty(); }
  /// Adds them to the machine, with what is guessed of them.
  void connect(ImportedHost& machine) const;

 private:
  std::map<std::pair<int, int>, Bandwidth> pairs_;
  std::map<int, Bandwidth> to_switch_;
};

// The I/O objects of a topology that libhwloc has loaded.

/// The domain, as "numa0", that a device with that label hangs off, by the object that is around it
/// and no I/O.
using DomainOf = std::function<std::string(hwloc_obj_t around, const std::string& label)>;

/// Adds GPUs, NICs, the PCIe switches above them, and NVLinks.
void hang_devices(hwloc_topology_t topology, const DomainOf& domain_of, ImportedHost& machine);

}  // namespace ringscope
