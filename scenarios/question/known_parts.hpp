// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts that the scenarios of a study have in common, read once.
#pragma once

#include <initializer_list>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "nccl/search/job_channels.hpp"
#include "scenarios/library/library.hpp"
#include "topologies/cluster.hpp"

namespace ringscope {

/// The same bytes for trees of the same content, in whatever order the keys of their maps stand.
/// Top-level keys in `without` are ignored.
std::string canonical(const Value& value, std::initializer_list<std::string_view> without = {});

/// Clusters, libraries and NCCL's channels by what was asked for. Of each the last few are kept.
/// Not for several threads at once.
class KnownParts {
 public:
  /// Results of read_cluster() and read_library(); valid until the next call.
  const Cluster& cluster(const Value& value);
  const Library& library(const Value& value);
  /// Result of nccl::channels_of_host().
  const nccl::HostChannels& channels(const nccl::HostGraph& host);

 private:
  std::unordered_map<std::string, Cluster> clusters_;
  std::unordered_map<std::string, Library> libraries_;
  std::list<nccl::HostShare::Search> searches_;
};

}  // namespace ringscope
