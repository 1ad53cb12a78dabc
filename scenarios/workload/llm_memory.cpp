// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/llm_memory.hpp"

#include <fmt/format.h>

namespace ringscope {
namespace {

std::string gigabytes(double bytes) { return fmt::format("{:.4g} GB", bytes / 1e9); }

/// Whole units that FSDP keeps beside its parts are as large as the largest one.
double largest_unit(const Cut& cut) {
  return std::max({cut.layer_parameters(), cut.embedding_parameters(), cut.head_parameters()});
}

std::string_view advice(const Cut& cut) {
  if (cut.expert == 1 && cut.model.experts > 1 && cut.data > 1) return ", or ep";
  if (cut.zero == 0 && cut.data > 1) return ", or zero: 1, 2 or 3";
  if (cut.zero < 3 && cut.data > 1 && cut.stages == 1) return ", or zero: 3";
  return "";
}

}  // namespace

/// Adam keeps two moments of 4 bytes, and a copy of the parameters of 4 bytes where these have
/// fewer. ZeRO cuts the optimiser's, then the gradients, then the parameters: arXiv:1910.02054,
/// section 3; whole units come and go: arXiv:2304.11277, section 3.2.1.
StageMemory memory_of(const Cut& cut, int stage) {
  const double parameters = cut.parameters(stage);
  const double weights = parameters * cut.element, unit = largest_unit(cut) * cut.element;
  const double of_experts = cut.expert > 1 ? cut.layers() * cut.expert_parameters() : 0;
  const double optimised =
      cut.zero == 0 ? parameters
                    : (parameters - of_experts) / cut.shard + of_experts / cut.shard * cut.expert;
  const double optimiser = optimised * (cut.element < 4 ? 12 : 8);
  const double gradients = cut.zero >= 2 ? weights / cut.shard + unit : weights;
  const double kept = cut.zero == 3 ? weights / cut.shard + (cut.prefetch + 1) * unit : weights;
  const double activations = cut.in_flight(stage) * cut.layers() *
                             activation_bytes(cut.model, cut.sequences(), cut.tensor, cut.element,
                                              cut.sequence_parallel, cut.most_load());
  return {stage, kept, gradients, optimiser, activations};
}

StageMemory most_memory(const Cut& cut) {
  StageMemory most = memory_of(cut, 0);
  for (int stage = 1; stage < cut.stages; ++stage)
    if (const StageMemory one = memory_of(cut, stage); one.sum() > most.sum()) most = one;
  return most;
}

void require_memory(const Value& place, const Cut& cut) {
  const auto has = static_cast<double>(cut.gpu.memory);
  for (int stage = 0; stage < cut.stages && cut.gpu.memory > 0; ++stage) {
    const StageMemory needs = memory_of(cut, stage);
    if (needs.sum() <= has) continue;
    place.fail(fmt::format(
        "a GPU of stage {} needs {}, and {} has {}: parameters {} + gradients {} + optimiser {} + "
        "activations {} ({:.4g} of {} micro-batches at once); more tp or pp takes less{}",
        stage, gigabytes(needs.sum()), cut.gpu.name, gigabytes(has), gigabytes(needs.parameters),
        gigabytes(needs.gradients), gigabytes(needs.optimiser), gigabytes(needs.activations),
        cut.in_flight(stage), cut.micro_batches, advice(cut)));
  }
}

}  // namespace ringscope
