// Parts that the scenarios of a study have in common, read once.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "scenarios/library/library.hpp"
#include "topologies/cluster.hpp"

namespace ringscope {

/// The same bytes for trees of the same content, in whatever order the keys of their maps stand.
/// Of the tree's own keys those in `without` do not count.
std::string canonical(const Value& value, std::initializer_list<std::string_view> without = {});

/// Clusters and libraries by what was asked for. Of each the last few are kept. Not for several
/// threads at once.
class KnownParts {
 public:
  /// Results of read_cluster() and read_library(); valid until the next call.
  const Cluster& cluster(const Value& value);
  const Library& library(const Value& value);

 private:
  std::unordered_map<std::string, Cluster> clusters_;
  std::unordered_map<std::string, Library> libraries_;
};

}  // namespace ringscope
