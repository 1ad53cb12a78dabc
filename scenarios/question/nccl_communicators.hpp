// SPDX-License-Identifier: LGPL-2.1-or-later
// NCCL's communicators of a job: of all its ranks, and of groups of them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/groups/on_group.hpp"
#include "nccl/choice/tuning.hpp"
#include "nccl/search/job_channels.hpp"
#include "scenarios/library/library.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "topologies/placement/placement.hpp"

namespace ringscope {

struct NcclParts {
  /// Null where the library does not say what its blocks cost, or a rank is not on a GPU.
  std::shared_ptr<const nccl::Platform> machine;
  /// Null where a rank is not on a GPU, or two ranks share one, which NCCL refuses.
  std::shared_ptr<const nccl::JobChannels> rings;
};

/// `file`: of the rings that NCCL built, in place of a search. Throws InputError.
NcclParts nccl_parts(const Topology& topology, const Placement& placement, const Library& library,
                     const std::optional<Value>& file, KnownParts& known);

/// The communicators of a job's groups of ranks, each as NCCL builds it for that group.
struct NcclGroups {
  KnownGroups known;                                            ///< what algorithms are told
  Table<std::shared_ptr<const nccl::JobChannels>> found;        ///< of each of them
  std::vector<std::shared_ptr<const nccl::Platform>> machines;  ///< of each, kept for `known`
  std::vector<std::shared_ptr<const std::vector<int>>> likes;   ///< of each, kept for `known`
};

/// True where each rank has a GPU of its own and the library says what blocks cost: then a group's
/// collectives are NCCL's.
bool has_nccl_groups(const Placement& placement, const Library& library);

/// True of the tree of a job whose kernels NCCL chooses.
bool is_by_nccl(const Value& job);

/// `placement`; but counts that say no more place the ranks of a job by NCCL on GPUs, where the
/// library knows its blocks.
Value on_gpus(const Value& placement, const Value& job, const Library& library,
              const Topology& topology);

/// Searches for the channels of each group, once for groups on hosts that are alike.
std::shared_ptr<const NcclGroups> nccl_groups(const Topology& topology, const Placement& placement,
                                              const Library& library,
                                              const std::vector<RankGroup>& groups,
                                              KnownParts& known);

}  // namespace ringscope
