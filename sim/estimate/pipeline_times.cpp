// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/estimate/llm_times.hpp"

#include <algorithm>
#include <vector>

#include "algorithms/steps/interleaved_order.hpp"

namespace ringscope {
namespace {

constexpr double not_yet = -1;

struct PassOf {
  bool back = false;
  int part = 0, micro_batch = 0;
};

std::vector<PassOf> order_of(const Pipeline& pipeline, int stage) {
  const InterleavedOrder order = {pipeline.stages, pipeline.parts, pipeline.micro_batches, stage};
  const bool interleaved = pipeline.schedule == PipelineSchedule::interleaved;
  const int all = order.passes();
  const auto pass = [&](bool back, int number) {
    if (!interleaved) return PassOf{back, 0, number};
    return PassOf{back, order.part(back, number), order.micro_batch(number)};
  };
  int ahead = interleaved ? order.warm_up() : std::min(all, pipeline.stages - 1 - stage);
  if (pipeline.schedule == PipelineSchedule::gpipe) ahead = all;
  std::vector<PassOf> passes;
  for (int i = 0; i < ahead; ++i) passes.push_back(pass(false, i));
  for (int i = 0; i < all - ahead; ++i) {
    passes.push_back(pass(false, ahead + i));
    passes.push_back(pass(true, i));
  }
  for (int i = all - ahead; i < all; ++i) passes.push_back(pass(true, i));
  return passes;
}

/// Ends of passes, as far as they are known.
class Ends {
 public:
  explicit Ends(const Pipeline& pipeline)
      : pipeline_(pipeline),
        ends_(2 * pipeline.stages * pipeline.parts * pipeline.micro_batches, not_yet) {}

  double& of(int stage, const PassOf& pass) {
    const int at =
        ((stage * pipeline_.parts + pass.part) * pipeline_.micro_batches + pass.micro_batch) * 2 +
        (pass.back ? 1 : 0);
    return ends_[at];
  }

  /// When what the pass needs is there; `not_yet` if nobody knows.
  double ready(int stage, const PassOf& pass) {
    const int last = pipeline_.stages - 1, end = pass.back ? last : 0;
    const int step = pass.back ? 1 : -1, parts_end = pass.back ? pipeline_.parts - 1 : 0;
    if (stage == end && pass.part == parts_end)
      return pass.back ? of(stage, {false, pass.part, pass.micro_batch}) : 0;
    PassOf before = pass;
    int from = stage + step;
    if (stage == end) {
      from = last - end;
      before.part += step;
    }
    const double there = of(from, before);
    if (there == not_yet || from == stage) return there;
    return there + pipeline_.messages[pass.back ? stage : from];
  }

 private:
  const Pipeline& pipeline_;
  Table<double> ends_;
};

bool sends(const Pipeline& pipeline, int stage, const PassOf& pass) {
  return pass.back ? stage > 0 || pass.part > 0
                   : stage + 1 < pipeline.stages || pass.part + 1 < pipeline.parts;
}

}  // namespace

Table<StageTimes> pipeline_times(const Pipeline& pipeline) {
  const bool waits = pipeline.schedule != PipelineSchedule::interleaved;
  Ends ends(pipeline);
  Table<StageTimes> times(pipeline.stages);
  Table<std::vector<PassOf>> orders(pipeline.stages);
  Table<std::size_t> done(pipeline.stages);
  for (int stage = 0; stage < pipeline.stages; ++stage) {
    orders[stage] = order_of(pipeline, stage);
    times[stage].first_start = times[stage].last_end = Table<double>(pipeline.parts);
  }
  for (bool more = true; more;) {
    more = false;
    for (int stage = 0; stage < pipeline.stages; ++stage) {
      StageTimes& own = times[stage];
      for (std::size_t& next = done[stage]; next < orders[stage].size(); ++next) {
        const PassOf pass = orders[stage][next];
        const double ready = ends.ready(stage, pass);
        if (ready == not_yet) break;
        const double start = std::max(ready, own.end);
        const auto& takes = pass.back ? pipeline.backward : pipeline.forward;
        ends.of(stage, pass) = own.end = start + takes[stage][pass.part];
        if (!pass.back && pass.micro_batch == 0) own.first_start[pass.part] = start;
        if (pass.back) own.last_end[pass.part] = own.end;
        if (waits && sends(pipeline, stage, pass)) {
          const double message = pipeline.messages[pass.back ? stage - 1 : stage];
          own.end += message;
          own.sent += message;
        }
        more = true;
      }
    }
  }
  return times;
}

}  // namespace ringscope
