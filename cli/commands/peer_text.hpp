// SPDX-License-Identifier: LGPL-2.1-or-later
// The peer matrices of a host's GPUs, as text and as CSV.
#pragma once

#include <string>

#include "sim/machine/peer_matrix.hpp"
#include "topologies/graph/topology.hpp"

namespace ringscope {

/// Peer access as TensorFlow logs it: a row of Y and N for each GPU of the host.
std::string print_access(const Topology& topology, const Host& host);

/// Bandwidths one way and both ways, and latencies, with peer access as the host grants it, and
/// without.
std::string print_peers(const PeerMatrix& granted, const PeerMatrix& staged);

/// `metric,src,dst,value`, as validation/published/p2p-gtx1080ti-x4.csv has it.
std::string peers_csv(const PeerMatrix& matrix);

}  // namespace ringscope
