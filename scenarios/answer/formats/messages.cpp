// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/formats/messages.hpp"

#include "scenarios/question/scenario.hpp"

namespace ringscope {
namespace {

/// Time that the library says, of a rank on cores or on a GPU.
Duration cost_of(const Library& library, bool gpu, const Operation& operation) {
  if (operation.range.size == 0) return {};
  const bool reduces = operation.verb == Verb::reduce;
  const ByteCost host_cost = reduces ? library.reduce_cost : library.copy_cost;
  const ByteCost gpu_cost = reduces ? library.gpu.reduce_cost : library.gpu.copy_cost;
  Seconds time = Bytes{operation.range.size} * (gpu ? gpu_cost : host_cost);
  if (gpu) time += library.gpu.launch;
  return Duration(time.count());
}

}  // namespace

traces::Trace messages_of(const Scenario& scenario, traces::Unordered unordered) {
  const Job& job = scenario.job;
  const auto* schedule = job.options.schedule;
  if (schedule != nullptr && schedule->trace != nullptr && schedule->trace->of_goal)
    return *schedule->trace;
  if (job.overlap)
    typed(scenario.name, "")
        .fail(
            "a graph of messages cannot say it: the job has 'overlap', and the engine that "
            "would drive it is the simulator's");
  const PlacedOptions options(job, scenario.placement);
  const int ranks = options.ranks();
  const std::size_t items = job.bytes.count;
  const std::size_t scratch = job.algorithm->scratch_items(ranks, items, *options);
  const Workspace work = {{Buffer::data, 0, items}, {Buffer::scratch, 0, scratch}};
  traces::Trace trace;
  for (int rank = 0; rank < ranks; ++rank) {
    const bool gpu = scenario.placement.ranks[rank].gpu >= 0;
    try {
      trace.ranks.push_back(traces::recorded(
          rank, ranks, [&](Communicator comm) { return job.algorithm->run(comm, work, *options); },
          [&](const Operation& operation) { return cost_of(scenario.library, gpu, operation); },
          unordered));
    } catch (const traces::NoGraph& none) {
      typed(scenario.name, "").fail(none.what());
    }
  }
  return trace;
}

}  // namespace ringscope
