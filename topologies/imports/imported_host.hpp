// SPDX-License-Identifier: LGPL-2.1-or-later
// One host as an import understood it, and what it had to guess.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/imports/assumed.hpp"

namespace ringscope {

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

}  // namespace ringscope
