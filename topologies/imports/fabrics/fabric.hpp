// SPDX-License-Identifier: LGPL-2.1-or-later
// A fabric as an import understood it, and what it had to guess.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topologies/imports/assumed.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

struct Fabric : Noted {
  struct Nic {
    std::string adapter;                 ///< as the file calls it: "mlx5_0"
    std::size_t leaf = 0;                ///< index into `switches`
    std::optional<Bandwidth> bandwidth;  ///< of its cable; nothing: the file does not say
  };
  struct Host {
    std::string name;
    std::vector<Nic> nics;  ///< at least one
  };
  /// Cables between two switches, alike. `from` is as near to the hosts as `to`, or nearer.
  struct Trunk {
    std::size_t from = 0, to = 0;  ///< indices into `switches`
    int cables = 1;
    std::optional<Bandwidth> bandwidth;  ///< of each; nothing: in proportion to `share`
    double share = 1;                    ///< cables of hosts that one of these stands for
  };

  std::vector<std::string> switches;
  std::vector<Host> hosts;
  std::vector<Trunk> trunks;
  int inner_adapters = 0;  ///< adapters inside switches, which are no host's
};

/// Level of each switch: 1 where hosts are plugged in, n + 1 above level n; 0 of those that no
/// trunk joins with a host.
std::vector<int> levels_of(const Fabric& fabric);

/// Names for what the file calls so, each with what a name may hold, no two alike.
class FabricNames {
 public:
  /// `wanted`, or where that is taken, `wanted` with `otherwise` behind it.
  std::string add(std::string_view wanted, std::string_view otherwise);

 private:
  std::set<std::string> taken_;
};

/// How the YAML of a fabric shall be written, beyond what the file says.
struct FabricOptions {
  std::string origin = {};             ///< name of the file
  std::optional<Bandwidth> link = {};  ///< of cables whose rate the file does not say
  double oversubscription = 1;         ///< of switches whose uplinks the file does not count
  int cores = 64;                      ///< of each host
  std::string host = {};               ///< a cluster whose hosts these are like; empty: none
  bool adapters = false;               ///< every adapter a host of its own
};

/// The cluster as YAML that read_cluster() takes; the notes stand at its head, and what is assumed
/// joins them.
std::string fabric_yaml(Fabric& fabric, const FabricOptions& options);

}  // namespace ringscope
