// The communicators of a job's groups of ranks, each as NCCL builds it for that group.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/channels/nccl_groups.hpp"
#include "scenarios/question/nccl_machine.hpp"

namespace ringscope {

struct NcclGroups {
  nccl::Groups known;                                           ///< what algorithms are told
  std::vector<std::shared_ptr<const nccl::JobChannels>> found;  ///< of each of them
  std::vector<std::shared_ptr<const nccl::Machine>> machines;   ///< likewise, kept for `known`
  std::vector<std::shared_ptr<const std::vector<int>>> likes;   ///< likewise
};

/// True where each rank has a GPU of its own and the library says what blocks cost: then a group's
/// collectives are NCCL's.
bool has_nccl_groups(const Placement& placement, const Library& library);

/// Searches for the channels of each group, once for groups on hosts that are alike.
std::shared_ptr<const NcclGroups> nccl_groups(const Topology& topology, const Placement& placement,
                                              const Library& library,
                                              const std::vector<RankGroup>& groups,
                                              KnownParts& known);

}  // namespace ringscope
