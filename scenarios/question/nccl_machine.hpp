// A job's machine as NCCL's search describes it, and the rings that it finds.
#pragma once

#include <memory>
#include <optional>

#include "algorithms/channels/nccl_tuning.hpp"
#include "scenarios/library/library.hpp"
#include "scenarios/question/known_parts.hpp"
#include "topologies/nccl/channels.hpp"
#include "topologies/placement/placement.hpp"

namespace ringscope {

struct NcclParts {
  /// Null where the library does not say what its blocks cost, or a rank is not on a GPU.
  std::shared_ptr<const nccl::Machine> machine;
  /// Null where a rank is not on a GPU, or two ranks share one, which NCCL refuses.
  std::shared_ptr<const nccl::JobChannels> rings;
};

/// `file`: of the rings that NCCL built, in place of a search. Throws InputError.
NcclParts nccl_parts(const Topology& topology, const Placement& placement, const Library& library,
                     const std::optional<Value>& file, KnownParts& known);

}  // namespace ringscope
