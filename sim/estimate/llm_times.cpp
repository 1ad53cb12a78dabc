// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/estimate/llm_times.hpp"

#include <algorithm>

#include "algorithms/training/llm/llm_parts.hpp"
#include "algorithms/training/training.hpp"

namespace ringscope {
namespace {

double seconds(Duration time) { return time.count(); }

/// One layer in one direction.
struct LayerTime {
  double busy = 0, tp = 0, cp = 0, ep = 0;
  double sum() const { return busy + tp + cp + ep; }
};

LayerTime operator+(const LayerTime& a, const LayerTime& b) {
  return {a.busy + b.busy, a.tp + b.tp, a.cp + b.cp, a.ep + b.ep};
}

/// A step with the times of its exchanges.
class Composition {
 public:
  Composition(const Scenario& scenario, GroupTimes& groups)
      : scenario_(scenario), step_(*scenario.job.training->llm), groups_(groups) {
    const auto tensor = static_cast<std::uint64_t>(step_.grid.size("tp"));
    if (tensor > 1) sum_ = sum_of(step_.activation, step_.gathered_by);
    if (step_.tensor_overlap) first_ = sum_of(step_.activation / tensor, step_.gathered_by);
    if (step_.tensor_overlap)
      others_ = sum_of(step_.activation - step_.activation / tensor, step_.gathered_by);
    forward_ = forward();
    backward_ = backward();
  }

  LlmTimes times();

 private:
  LayerTime half(Duration time) const {
    const double busy = seconds(time);
    return {busy, step_.tensor_overlap ? first_ + std::max(others_ - busy, 0.0) : sum_, 0, 0};
  }
  /// The allgather carries `bytes / gathered_by`.
  double sum_of(std::uint64_t bytes, unsigned gathered_by = 1);
  LayerTime forward();
  LayerTime backward();
  LayerTime ring(Duration block, bool back);
  double around(bool back);
  LayerTime experts(bool back);

  LlmTimes pipelined();
  LlmTimes sharded();
  /// Exposed exchange of a stage's gradients and parameters with ZeRO 0 or 1.
  double exposed(int stage, const StageTimes& times);
  double bucket(const Algorithm& half, std::uint64_t bytes, int buckets);

  double checks();
  double waits_for_input(double step_s) const;

  const Scenario& scenario_;
  const LlmStep& step_;
  GroupTimes& groups_;
  double sum_ = 0, first_ = 0, others_ = 0;  ///< sums of a tensor group: all, a part, the others
  LayerTime forward_, backward_;
};

double Composition::sum_of(std::uint64_t bytes, unsigned gathered_by) {
  const Halves halves = halves_of(tensor_exchange_of(step_));
  if (!step_.sequence_parallel)
    return groups_.collective("tensor", tensor_exchange_of(step_), bytes);
  return groups_.collective("tensor", *halves.allgather, bytes / gathered_by) +
         groups_.collective("tensor", *halves.reduce_scatter, bytes);
}

/// Collectives of a context group around attention.
double Composition::around(bool back) {
  const AroundAttention all = around_attention(step_, back);
  const auto takes = [&](const Algorithm* one, std::uint64_t bytes) {
    if (one == nullptr) return 0.0;
    if (one->collective == "alltoallv") one = find_algorithm("alltoall", one->name);
    return groups_.collective("context", *one, bytes);
  };
  return takes(all.before, all.bytes_before) + takes(all.behind, all.bytes_behind);
}

/// Keys go round while a block is computed; backward their gradients too, and back to their rank.
LayerTime Composition::ring(Duration block, bool back) {
  const int blocks = step_.grid.size("cp");
  if (blocks == 1) return {};
  if (step_.context_exchange != ContextExchange::ring)
    return {blocks * seconds(block), 0, around(back), 0};
  const double message = groups_.round("context", step_.keys), one = seconds(block);
  const double busy = blocks * one, each = std::max(one, message);
  const double all = back ? each * blocks + message : each * (blocks - 1) + one;
  return {busy, 0, all - busy, 0};
}

LayerTime Composition::experts(bool back) {
  const Experts& experts = step_.experts;
  const std::string_view name = expert_exchange_of(step_).name;
  const Algorithm& exchange = *find_algorithm("alltoall", name);
  double most = 0, tensor = 0, exchanges = 0;
  for (const TokenExchange& each : exchanges_of(experts))
    exchanges += groups_.collective(name_of(each.group), exchange, each.most_bytes());
  for (const Pass& pass : experts.passes)
    most = std::max(most, seconds(back ? pass.backward : pass.forward));
  if (step_.grid.size("tp") > 1)
    tensor = sum_of(experts.dispatch.back().most_bytes() * unsigned(step_.grid.size("tp"))) +
             (back ? 0 : sum_);
  return {most, tensor, 0, exchanges};
}

LayerTime Composition::forward() {
  const bool apart = step_.grid.size("cp") > 1 || step_.experts.ranks > 1;
  const LayerTime ring_time = ring(step_.attention_block.forward, false);
  LayerTime attention = half(step_.attention.forward);
  if (apart) attention.tp = step_.experts.ranks > 1 ? 0 : sum_;
  const LayerTime mlp = step_.experts.ranks > 1 ? experts(false) : half(step_.mlp.forward);
  return attention + ring_time + mlp;
}

LayerTime Composition::backward() {
  const LayerTime mlp = step_.experts.ranks > 1 ? experts(true) : half(step_.mlp.backward);
  return mlp + ring(step_.attention_block.backward, true) + half(step_.attention.backward);
}

double Composition::bucket(const Algorithm& half, std::uint64_t bytes, int buckets) {
  return groups_.collective("data", half, bytes / unsigned(buckets));
}

// Buckets are exchanged one after the other, each when its layer has been passed.
double Composition::exposed(int stage, const StageTimes& times) {
  if (ranks_of_data(step_) == 1) return 0;
  const std::uint64_t sparse = step_.experts.ranks == 1 ? 0 : step_.experts.gradients[stage];
  const std::uint64_t gradients = step_.gradients[stage] - sparse;
  const std::uint64_t parameters = std::min(step_.parameters[stage], gradients);
  const double of_experts = groups_.collective("expert data", exchange_of(step_), sparse);
  if (step_.zero == 0)
    return of_experts + groups_.collective("data", exchange_of(step_), gradients);
  const Halves halves = halves_of(exchange_of(step_));
  int buckets = 0;
  for (int part = 0; part < step_.parts; ++part) buckets += step_.layers(stage, part);
  const double gather =
      bucket(*halves.allgather, parameters, step_.overlap_parameters ? buckets : 1);
  const double scatter =
      bucket(*halves.reduce_scatter, gradients, step_.overlap_gradients ? buckets : 1);
  double late = of_experts, at = 0;
  for (int part = 0; part < step_.parts && step_.overlap_parameters; ++part)
    for (int layer = 0; layer < step_.layers(stage, part); ++layer) {
      at += gather;
      late = std::max(late, of_experts + at - times.first_start[part] - layer * forward_.sum());
    }
  if (!step_.overlap_gradients) return late + scatter + (step_.overlap_parameters ? 0 : gather);
  at = 0;
  for (int part = step_.parts - 1; part >= 0; --part)
    for (int left = step_.layers(stage, part) - 1; left >= 0; --left)
      at = std::max(at, times.last_end[part] - left * backward_.sum()) + scatter;
  return late + std::max(0.0, at - times.end) + (step_.overlap_parameters ? 0 : gather);
}

LlmTimes Composition::pipelined() {
  const int stages = step_.grid.size("pp");
  Pipeline pipeline{stages, step_.parts, step_.micro_batches, step_.schedule, {}, {}, {}};
  for (int stage = 0; stage < stages; ++stage)
    pipeline.messages.push_back(groups_.message(
        "pipeline", step_.sent > 0 ? step_.sent : step_.activation, stage, (stage + 1) % stages));
  for (int stage = 0; stage < stages; ++stage) {
    pipeline.forward.emplace_back();
    pipeline.backward.emplace_back();
    for (int part = 0; part < step_.parts; ++part) {
      const int layers = step_.layers(stage, part);
      const bool end = stage + 1 == stages && part + 1 == step_.parts;
      pipeline.forward[stage].push_back(layers * forward_.sum() +
                                        (end ? seconds(step_.head.forward) : 0));
      pipeline.backward[stage].push_back(layers * backward_.sum() +
                                         step_.repeated_layers(stage, part) * forward_.sum() +
                                         (end ? seconds(step_.head.backward) : 0));
    }
  }
  const Table<StageTimes> times = pipeline_times(pipeline);
  LlmTimes sum;
  for (int stage = 0; stage < stages; ++stage) {
    const double exchange = exposed(stage, times[stage]);
    const double update = step_.updates.empty() ? 0 : seconds(step_.updates[stage]);
    sum.step_s = std::max(sum.step_s, times[stage].end + exchange + update);
    sum.dp_s += exchange / stages;
    sum.update_s += update / stages;
    sum.pp_s += times[stage].sent / stages;
  }
  const double layers = 1.0 * step_.all_layers() / stages * step_.micro_batches;
  const double repeats = 1.0 * step_.all_repeated() / stages * step_.micro_batches;
  const LayerTime both = forward_ + backward_;
  sum.busy_s = layers * both.busy + 1.0 * step_.micro_batches / stages *
                                        seconds(step_.head.forward + step_.head.backward);
  sum.repeated_s = repeats * forward_.busy;
  sum.tp_s = layers * both.tp + repeats * forward_.tp;
  sum.cp_s = layers * both.cp + repeats * forward_.cp;
  sum.ep_s = layers * both.ep + repeats * forward_.ep;
  return sum;
}

/// Units of ZeRO 2 or 3: passes of the device, and its second stream, which gathers units ahead and
/// reduces those that backward has passed, in the order of llm_sharded.cpp.
class ShardedPasses {
 public:
  struct Unit {
    double gather = 0, scatter = 0, forward = 0, backward = 0;
  };

  ShardedPasses(std::vector<Unit> units, int micro_batches, int prefetch, bool gathers)
      : units_(std::move(units)),
        end_(2 * std::ssize(units_) * micro_batches),
        ahead_(prefetch),
        gathers_(gathers),
        passed_(int(end_ + 1)),
        gathered_(int(end_)) {}

  /// End of the last pass or exchange; `busy` gets the time of the passes.
  double end(double& busy) {
    double now = 0;
    for (int pass = 0; pass < end_; ++pass) {
      gather_until(pass + 1);
      const Unit& unit = unit_of(pass);
      const double takes = is_backward(pass) ? unit.backward : unit.forward;
      now = std::max(now, gathered_[pass]) + takes;
      busy += takes;
      passed_[pass + 1] = now;
      if (!is_backward(pass)) continue;
      gather_until(pass + ahead_ + 2);
      stream_ = std::max(stream_, now) + unit.scatter;
    }
    return std::max(now, stream_);
  }

 private:
  bool is_backward(int pass) const { return pass / std::ssize(units_) % 2 == 1; }
  const Unit& unit_of(int pass) const {
    const auto units = std::ssize(units_), there = pass % (2 * units);
    return *(units_.begin() + (there < units ? there : 2 * units - 1 - there));
  }
  void gather_until(std::ptrdiff_t until) {
    for (; gathers_ && next_ < std::min(until, end_); ++next_) {
      const double before = passed_[std::max(next_ - ahead_, 0)];
      stream_ = std::max(stream_, before) + unit_of(next_).gather;
      gathered_[next_] = stream_;
    }
  }

  std::vector<Unit> units_;
  std::ptrdiff_t end_;
  int ahead_, next_ = 0;
  bool gathers_;
  double stream_ = 0;
  Table<double> passed_, gathered_;
};

LlmTimes Composition::sharded() {
  const Halves halves = halves_of(exchange_of(step_));
  const bool gathers = step_.zero == 3;
  const std::string_view kind = shard_of(step_) < ranks_of_data(step_) ? "shard" : "data";
  double replicas = 0, all_gathers = 0;
  int layers_before = 0;
  std::vector<ShardedPasses::Unit> units;
  for (const ParameterUnit& unit : step_.units) {
    const bool layer = unit.part == ParameterUnit::Part::layer,
               head = unit.part == ParameterUnit::Part::head;
    ShardedPasses::Unit times;
    times.gather = groups_.collective(kind, *halves.allgather, unit.bytes);
    times.scatter = groups_.collective(kind, *halves.reduce_scatter, unit.gradients);
    if (head) times.forward = seconds(step_.head.forward);
    if (head) times.backward = seconds(step_.head.backward);
    if (layer) times.forward = forward_.sum();
    if (layer) times.backward = backward_.sum();
    if (layer && layers_before++ >= step_.all_layers() - step_.repeated)
      times.backward += forward_.sum();
    all_gathers += times.gather;
    if (kind == "shard")
      replicas += groups_.collective("replica", exchange_of(step_),
                                     unit.gradients / unsigned(shard_of(step_)));
    units.push_back(times);
  }
  LlmTimes times;
  double busy = 0;
  ShardedPasses passes(std::move(units), step_.micro_batches, step_.prefetch, gathers);
  times.dp_s = passes.end(busy) + replicas - busy + (gathers ? 0 : all_gathers);
  times.update_s = step_.updates.empty() ? 0 : seconds(step_.updates[0]);
  times.step_s = busy + times.dp_s + times.update_s;
  const double layers = 1.0 * step_.all_layers() * step_.micro_batches;
  const double repeats = 1.0 * step_.repeated * step_.micro_batches;
  times.repeated_s = repeats * forward_.busy;
  times.tp_s = layers * (forward_.tp + backward_.tp) + repeats * forward_.tp;
  times.cp_s = layers * (forward_.cp + backward_.cp) + repeats * forward_.cp;
  times.busy_s = busy - times.repeated_s - times.tp_s - times.cp_s;
  return times;
}

/// Sums of a number over each kind of groups that have different gradients.
double Composition::checks() {
  double sum = 0;
  for (const auto& [kind, ranks] : checked_groups(step_))
    sum += step_.checks * groups_.collective(kind, exchange_of(step_), check_bytes);
  return sum;
}

/// A host prepares the next batches beside a step; most wait for the one with most ranks.
double Composition::waits_for_input(double step_s) const {
  const Training& job = *scenario_.job.training;
  if (job.input.rate == 0) return 0;
  std::map<int, int> ranks;
  int most = 0;
  for (const Location& at : scenario_.placement.ranks) most = std::max(most, ++ranks[at.host]);
  return std::max(0.0, most * job.batch / job.input.rate - step_s);
}

LlmTimes Composition::times() {
  LlmTimes times = step_.zero >= 2 ? sharded() : pipelined();
  times.host = step_.host;
  times.checks_s = checks();
  times.step_s += times.checks_s + times.host.sum();
  times.input_s = waits_for_input(times.step_s);
  times.step_s += times.input_s;
  const double left = times.step_s - times.busy_s - times.repeated_s - times.tp_s - times.cp_s -
                      times.ep_s - times.pp_s - times.dp_s - times.checks_s - times.update_s -
                      times.input_s - times.host.sum();
  times.bubble_s = left > 1e-9 * times.step_s ? left : 0;
  if (step_.slowest == 1) return times;
  for (double* part : {&times.busy_s, &times.repeated_s, &times.update_s}) {
    times.slowest_s += *part - *part / step_.slowest;
    *part /= step_.slowest;
  }
  return times;
}

}  // namespace

LlmTimes llm_times(const Scenario& scenario, GroupTimes& groups) {
  return Composition(scenario, groups).times();
}

}  // namespace ringscope
