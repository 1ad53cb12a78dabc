// SPDX-License-Identifier: LGPL-2.1-or-later
// The output of ibnetdiscover, as it stands there: nodes, and the cables between their ports.
//
//   Switch  65 "S-2c5eab0300b87b40"    # "MF0;leaf-04:MQM9701/U1" enhanced port 0 lid 73 lmc 0
//   [1]     "H-e09d7303007a4bd8"[1](e09d7303007a4bd8)    # "n1 mlx5_5" lid 647 4xNDR
//   Ca      1 "H-e09d7303007a4bd8"     # "n1 mlx5_5"
//   [1](e09d7303007a4bd8)  "S-2c5eab0300b87b40"[1]       # lid 647 lmc 0 "leaf-04" lid 73 4xNDR
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope {

struct IbNode {
  std::string id;  ///< "S-2c5eab0300b87b40"; H: an adapter, R: a router
  std::string description;
  Place place;  ///< of the description
};

struct IbCable {
  std::size_t node[2] = {};  ///< indices into the nodes
  int port[2] = {};
  Bandwidth bandwidth;
};

/// Each cable once, though both of its ends tell of it; nodes and cables in the order of the file.
struct IbListing {
  std::vector<IbNode> nodes;
  std::vector<IbCable> cables;
};

/// Throws InputError, also where the two ends of a cable contradict each other.
IbListing read_ib_listing(const std::shared_ptr<const Source>& source);

}  // namespace ringscope
