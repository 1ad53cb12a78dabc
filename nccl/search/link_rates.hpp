// SPDX-License-Identifier: LGPL-2.1-or-later
// Rates that a search has left on each link of a host.
#pragma once

#include "base/table.hpp"
#include "nccl/search/host_graph.hpp"

namespace ringscope::nccl {

class LinkRates {
 public:
  explicit LinkRates(const HostGraph& graph);

  /// Takes the rate off every link of a path from a node; nothing where one of them lacks it.
  /// Source of what is added: NCCL 2.31, src/graph/search.cc. An Intel processor cuts what passes
  /// between the PCIe slots of a socket into packets so short that it takes a fifth more of them;
  /// before the A100, data that a GPU reads takes an eighth of the link back.
  bool take(const LinkPath& path, int start, Rate rate);
  void give_back(const LinkPath& path, int start, Rate rate);

 private:
  bool move(const LinkPath& path, std::size_t links, int start, Rate rate);

  const HostGraph& graph_;
  Table<Rate> left_;
};

}  // namespace ringscope::nccl
