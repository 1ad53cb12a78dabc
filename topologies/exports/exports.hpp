// SPDX-License-Identifier: LGPL-2.1-or-later
// A topology as files that other programs read.
#pragma once

#include <string>
#include <string_view>

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// Graphviz, for `ringscope show --dot`: one box per host, links with bandwidth and latency.
std::string to_dot(const Topology& topology);

/// A SimGrid platform file, version 4.1: NUMA domains and GPUs are hosts, everything else routers.
std::string to_simgrid(const Topology& topology);

// Text inside XML and HTML.

/// The text with &, < and " as entities: for content, and for attributes in double quotes.
std::string escaped_markup(std::string_view text);

}  // namespace ringscope
