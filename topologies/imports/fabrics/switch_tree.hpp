// SPDX-License-Identifier: LGPL-2.1-or-later
// Switches above switches above hosts, as schedulers describe a network: who is below whom, but not
// by how many cables, nor how fast.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/imports/fabrics/fabric.hpp"

namespace ringscope {

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

}  // namespace ringscope
