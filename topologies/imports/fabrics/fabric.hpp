// SPDX-License-Identifier: LGPL-2.1-or-later
// A fabric as an import understood it, and what it had to guess.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/imports/imported_host.hpp"
#include "topologies/imports/imports.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

// Slurm's lists of names: "n[01-03,7],gpu[1-2]-[a,b]".

/// The names in the order in which the list has them; "n[01-03]" is n01, n02, n03. Throws
/// InputError at the list's place.
std::vector<std::string> names_of_hostlist(const Value& list);

// The fabric.

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

// Switches above switches above hosts, as schedulers describe a network: who is below whom, but not
// by how many cables, nor how fast.

class SwitchTree {
 public:
  /// Adds a switch. Throws at `name` where there is one of that name.
  void add(const Value& name);
  /// True if a switch of that name was added.
  bool has(const std::string& name) const { return switches_.contains(name); }
  /// Hangs a host, or another switch, below a switch that was added. `place` is where the file says
  /// so. Throws where the host hangs there already, where no host may have such a name, or where
  /// the file has too many of them.
  void add_host(const std::string& above, const std::string& name, const Place& place);
  void add_child(const std::string& above, const std::string& name, const Place& place);

  /// Uplinks in proportion to the hosts below them. Where nothing joins all of them, a switch above
  /// does, with a note. Throws where a switch is below itself, or named nowhere.
  Fabric fabric() const;

 private:
  struct Child {
    std::string name;
    Place place;
  };
  struct Switch {
    Place place;
    std::vector<Child> children;
    std::set<std::string> hosts;
  };
  class Shares;

  /// Throws at `place` beyond the hosts and switches below others that a file may have.
  void count_one(const Place& place);

  std::vector<std::string> names_;  ///< in the order of the file
  std::map<std::string, Switch> switches_;
  std::size_t below_ = 0;  ///< hosts and switches below switches
};

/// Items of `list`, at least one. Throws where there is none; `what` names one.
const std::vector<Value>& items_of(const Value& list, std::string_view what);

// Descriptions of networks that other programs write.

/// Labels of nodes for what holds them, which a user names beside those that are known.
using FabricLabels = std::vector<std::string>;

/// Throws InputError.
using ReadFabric = Fabric(const std::shared_ptr<const Source>& source, const FabricLabels& labels);

/// A format: fabrics/<name>.cpp, its reader's name below, and a row in fabrics.cpp.
using FabricFormat = Format<ReadFabric>;

ReadFabric read_ec2, read_ibnetdiscover, read_kubernetes, read_nvidia_smi_q, read_slurm_conf,
    read_slurm_yaml, read_topograph;
std::span<const FabricFormat> fabric_formats();

/// The fabric that a file describes, in the format named by `as`, or, where that is empty, the one
/// that recognises the text. Throws InputError, for an `as` at the place "--format", for labels of
/// a file without nodes that have some at "--label".
Fabric read_fabric(const std::string& path, const std::string& as, const FabricLabels& labels = {});
/// The same of a text.
Fabric parse_fabric(const Source& source, const std::string& as, const FabricLabels& labels = {});

// Hosts by labels for what holds each of them, such as a zone, a block or an NVLink domain.

struct LabelledHost {
  std::string name;
  Place place{};
  std::vector<std::string> values{};  ///< of each label; "": it has none
  int cpus = 0, gpus = 0;             ///< 0: not known
};

/// A switch for each value of a label, where that tells some of the hosts below one switch apart
/// and keeps others together. Labels are outside those that come after, and those that refine them;
/// one switch is above all. Throws InputError for a name that no host may have, or two hosts have.
Fabric fabric_of_labels(const std::vector<std::string>& labels,
                        const std::vector<LabelledHost>& hosts);

}  // namespace ringscope
