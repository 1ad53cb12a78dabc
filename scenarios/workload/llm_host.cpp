// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>

#include "scenarios/workload/llm_cut.hpp"
#include "scenarios/workload/options.hpp"

namespace ringscope {
namespace {

double steps_of(Fields& fields, const std::string& usual) {
  return static_cast<double>(fields.value_or("every", usual).integer(1, most_batch));
}

/// `takes`, or the bytes of a checkpoint at the `rate` of all GPUs together.
double checkpoint_s(Fields& fields, double bytes) {
  const Value *takes = fields.optional("takes"), *rate = fields.optional("rate");
  if ((takes == nullptr) == (rate == nullptr))
    fields.map().fail(
        "expected either 'takes', the time in which GPUs wait for a checkpoint, or 'rate', the "
        "bandwidth at which all GPUs together write its {:.4g} GB",
        bytes / 1e9);
  if (takes != nullptr) return takes->seconds().count();
  return bytes / rate->bandwidth().bytes_per_second;
}

}  // namespace

// Intervals: JobConfig of torchtitan (log_freq, gc_freq, checkpoint.interval). The others wait for
// a rank that collects, at the next exchange at the latest.
HostWork read_host_work(Fields& options, const Cut& cut) {
  HostWork work;
  work.overhead_s = options.value_or("step_overhead", "0 s").seconds().count();
  options.nested("logging", [&](Fields& fields) {
    work.logging_s = fields.required("takes").seconds().count() / steps_of(fields, "10");
  });
  options.nested("garbage_collection", [&](Fields& fields) {
    const double takes = fields.required("takes").seconds().count();
    const double share = 1 / steps_of(fields, "50");
    const bool together = fields.value_or("together", "true").boolean();
    const int ranks = cut.tensor * cut.data * cut.stages;
    work.collection_s = takes * (together ? share : 1 - std::pow(1 - share, ranks));
  });
  options.nested("checkpoint", [&](Fields& fields) {
    const double each = cut.element + (cut.element < 4 ? 12 : 8);
    const double every = steps_of(fields, "500");
    work.checkpoint_s =
        checkpoint_s(fields, static_cast<double>(cut.model.parameters()) * each) / every;
  });
  return work;
}

void read_llm_input(Fields& options, const Cut& cut, Training& training) {
  constexpr std::uint64_t bytes_of_token = 4;
  Input& input = training.input;
  input.record = bytes_of_token * cut.model.sequence / unsigned(training.replica);
  read_input(options, input);
  input.rate *= training.replica;
}

}  // namespace ringscope
