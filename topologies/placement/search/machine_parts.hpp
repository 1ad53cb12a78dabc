// SPDX-License-Identifier: LGPL-2.1-or-later
// A machine taken to pieces for the search of its symmetries: kinds of hosts, and the network that
// joins them, each host one node of it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/table.hpp"
#include "topologies/placement/search/symmetry.hpp"

namespace ringscope {

class MachineParts {
 public:
  MachineParts(const Topology& topology, const SymmetryRules& rules);

  /// Hosts of one kind have the same components and links in the same order, and the same mark.
  int kind_of(int host) const { return kinds_[host]; }
  /// True if each way between two bins that a message can take is the only one with the fewest
  /// links. Looked at for some of the bins where that says it of all; false when in doubt.
  bool only_routes() const;
  std::unique_ptr<PointSymmetry> symmetry_of_hosts() const;
  /// Interchanges only hosts of one kind with equal cables to the same switches.
  std::unique_ptr<PointSymmetry> symmetry_on_switches() const;
  /// Symmetry among the bins of one host, by their indices in it.
  std::shared_ptr<const PointSymmetry> symmetry_inside(int host) const;

 private:
  int number_of(const std::string& words) const;  ///< a colour
  std::string component_words(Vertex vertex) const;
  std::string link_words(int id) const;
  std::string inside_words(int host) const;
  std::string outside_words(Vertex vertex) const;
  ColouredGraph inside_graph(int host) const;
  std::vector<Vertex> bins_in(int host) const;
  bool are_only_routes(Vertex from, Vertex to) const;
  void find_nodes();
  void find_cables();
  bool is_tree() const;
  std::vector<int> centre() const;
  ColouredTree tree() const;
  ColouredGraph network() const;
  std::string node_words(int node) const;

  const Topology* topology_;
  const SymmetryRules* rules_;
  mutable std::unordered_map<std::string, int> numbers_;
  Table<std::vector<Vertex>> parts_;    ///< of each host
  Table<int> kinds_;                    ///< of each host
  Table<int> node_;                     ///< of each component: its host's, or its own
  Table<std::string> outside_;          ///< of each node that is no host: its words
  Table<std::vector<int>> neighbours_;  ///< of each node: hosts first, then what is outside
  struct Cables {
    int count = 0;
    std::string words;
  };
  std::map<std::pair<int, int>, Cables> cables_;  ///< from node to node
};

}  // namespace ringscope
