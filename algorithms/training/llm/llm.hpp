// SPDX-License-Identifier: LGPL-2.1-or-later
// A training step of a large language model as its ranks see it: data from a scenario.
#pragma once

#include <cstdint>
#include <memory>

#include "algorithms/alltoall/pair_sizes.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/steps/grid.hpp"
#include "algorithms/training/reported_step.hpp"
#include "base/table.hpp"

namespace ringscope {

/// Order in which a pipeline's stage takes its micro-batches forward and backward.
enum class PipelineSchedule : std::uint8_t { gpipe, one_f_one_b, interleaved };

/// Exchange of keys and values in a context group: algorithms/training/llm/llm_context.cpp.
enum class ContextExchange : std::uint8_t { ring, allgather, alltoall };

/// Time of one micro-batch on one rank.
struct Pass {
  Duration forward{}, backward{};
  std::size_t bytes = 0;  ///< of memory that forward moves; backward moves them twice
};

/// Parameters that ZeRO 2 and 3 exchange at once: FSDP's unit.
struct ParameterUnit {
  enum class Part : std::uint8_t { embedding, layer, head };
  Part part = Part::layer;
  std::uint64_t bytes = 0, gradients = 0;  ///< of one rank's parameters, and of their gradients
};

/// All-to-alls of tokens in an expert group, or in each group that it consists of.
struct TokenExchange {
  enum class Group : std::uint8_t { all, rail, host };  ///< rail: one place on each host
  /// Bytes that the ranks of a group send.
  struct Sizes {
    std::shared_ptr<const PairSizes> pairs;  ///< kept by all
    std::uint64_t bytes = 0;                 ///< of the vector of the rank that sends most
  };
  Group group = Group::all;
  int ranks = 1;       ///< of a group
  Table<Sizes> sizes;  ///< of each group; one: of all

  std::uint64_t most_bytes() const {
    return std::ranges::max_element(sizes, {}, &Sizes::bytes)->bytes;
  }
};

/// Experts of each layer, cut over the ranks of a data group: tokens go to those whom the router
/// chose, and what these make of them comes back.
struct Experts {
  int ranks = 1;  ///< that share a layer's experts: ep; 1: each rank has all
  int hosts = 1;  ///< over which a token goes to a host once, and on from there
  std::vector<TokenExchange> dispatch, combine;  ///< to the experts, and back
  Table<Pass> passes;                            ///< of a layer's experts, by rank
  Table<std::uint64_t> gradients;       ///< bytes of each stage on one rank, the last ones it has
  const Algorithm* exchange = nullptr;  ///< an alltoallv with one thread; null: posted
};

/// Layers that so many lack to be cut into equal parts.
inline int lacking_layers(int layers, int parts) { return (parts - layers % parts) % parts; }

/// Choices of a job that its program follows.
struct LlmPlan {
  int parts = 1;  ///< of a stage's layers, which an interleaved pipeline takes by turns
  int fewer_at_first = 0, fewer_at_last = 0;  ///< layers that the first and last part of all lack
  int micro_batches = 1;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  bool sequence_parallel = false;
  int zero = 0;      ///< stage of ZeRO: 1 cuts the update, 2 the gradients, 3 the parameters too
  int shard = 0;     ///< ranks of a data group among which ZeRO 2 and 3 cut; 0: all of them
  int prefetch = 1;  ///< ZeRO 3: units that are gathered before they are needed
  ContextExchange context_exchange = ContextExchange::ring;
};

struct LlmStep : LlmPlan {
  Grid grid;                        ///< tp, cp, dp and pp
  int part_layers = 0;              ///< of each part of a stage, but for those that the ends lack
  int repeated = 0;                 ///< layers of each part whose forward backward repeats
  bool overlap_gradients = false;   ///< ZeRO 1: reduce-scatters beside the last micro-batch
  bool overlap_parameters = false;  ///< ZeRO 1: allgathers beside the first micro-batch
  bool tensor_overlap = false;      ///< exchanges of a tensor group beside the products
  Table<ParameterUnit> units;       ///< ZeRO 2 and 3: in the order of forward
  Pass attention, mlp;              ///< the two halves of a layer
  Pass attention_block;             ///< of the ring: queries of a rank, keys of one of its ranks
  std::uint64_t keys = 0;           ///< with cp: bytes of a rank's keys and values
  std::uint64_t queries = 0;        ///< ... of its queries, and of what attention makes of them
  Pass head;                        ///< of the last stage, beside its layers
  std::uint64_t activation = 0;     ///< bytes between two layers, of a micro-batch
  unsigned gathered_by = 1;         ///< allgathers of a tensor group carry this part of it
  std::uint64_t sent = 0;           ///< bytes of it that a rank sends to the next stage; 0: all
  Table<std::uint64_t> parameters, gradients;  ///< bytes of each stage on one rank
  Table<Duration> updates;                     ///< of each stage, beside the option's
  int checks = 0;      ///< numbers summed over all gradients before the update: norm, overflows
  HostWork host;       ///< after each step
  double slowest = 1;  ///< time of the slowest GPU by their mean, in all passes and updates
  double tokens = 1;   ///< of a sequence
  double flops_per_token = 0;  ///< of forward and backward, without what is repeated
  double peak_flops = 0;       ///< of a GPU
  double spread = 0;           ///< 90 % of measured steps are within this factor; 0: unsaid
  Experts experts;
  StageMemory memory;                          ///< of the stage that needs most
  double gpu_memory = 0;                       ///< bytes of a GPU; 0: unsaid
  const Algorithm* tensor_exchange = nullptr;  ///< an allreduce with one thread; null: the ring
  const Algorithm* exchange = nullptr;         ///< of the gradients; null: the ring

  /// Layers of a part of a stage.
  int layers(int stage, int part) const {
    const bool first = stage == 0 && part == 0;
    const bool last = stage + 1 == grid.size("pp") && part + 1 == parts;
    return part_layers - (first ? fewer_at_first : 0) - (last ? fewer_at_last : 0);
  }
  /// Layers of a part whose forward backward repeats.
  int repeated_layers(int stage, int part) const { return std::min(repeated, layers(stage, part)); }
  int all_repeated() const {
    int sum = 0;
    for (int stage = 0; stage < grid.size("pp"); ++stage)
      for (int part = 0; part < parts; ++part) sum += repeated_layers(stage, part);
    return sum;
  }
  int all_layers() const {
    return part_layers * parts * grid.size("pp") - fewer_at_first - fewer_at_last;
  }
};

}  // namespace ringscope
