// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/simulation.hpp"

#include <sys/resource.h>

#include "sim/folding.hpp"
#include "sim/insight/measurement.hpp"
#include "sim/insight/recorder.hpp"
#include "sim/insight/report_parts.hpp"
#include "sim/ranks/detours.hpp"
#include "sim/ranks/known_collectives.hpp"
#include "sim/ranks/neighbour_run.hpp"
#include "sim/ranks/rank_thread.hpp"

namespace ringscope {
namespace sim {
namespace {

/// Rounds that a background job may go through while the foreground job sends nothing.
constexpr int most_rounds_in_vain = 100'000;

/// A run cannot go on in which some ranks stand for others: what each waits for is to be told.
struct StuckWhileFolded {};

/// Everything that lives as long as the run of one case.
class Simulation {
 public:
  Simulation(const Scenario& scenario, const RunOptions& options, std::optional<Orbits> orbits)
      : scenario_(&scenario),
        options_(&options),
        recorder_(options.record
                      ? std::make_unique<Recorder>(make_kernel(options.kernel, options.tolerance))
                      : nullptr),
        kernel_(recorder_ ? recorder_->take_kernel()
                          : make_kernel(options.kernel, options.tolerance)),
        ledger_(*kernel_, scenario.speedup),
        paths_(options.path_limit),
        machine_(scenario, ledger_, orbits),
        mpi_(machine_, ledger_, paths_),
        own_(machine_.jobs().own()),
        simulated_(machine_.orbits().folded() ? machine_.orbits().simulated : own_),
        noises_(scenario.job.noise, own_, scenario.placement.ranks),
        noise_of_input_(sim::noise_of_input(scenario.job)),
        inputs_(noise_of_input_, own_),
        ready_(*kernel_),
        options_of_job_(scenario.job, scenario.placement) {
    run_ = {.machine = &machine_,
            .ledger = &ledger_,
            .paths = &paths_,
            .mpi = &mpi_,
            .ready = &ready_,
            .noises = &noises_,
            .inputs = &inputs_,
            .phases = {},
            .observed = {},
            .spans = options.record_spans ? &spans_ : nullptr,
            .prepared = {}};
    const ShownThreads shown = shown_threads(scenario.job);
    run_.shown_threads = shown.streams;
    run_.shown_at_work = shown.messages;
    name_groups(scenario.job, run_.groups);
    run_.alike_once =
        options.fold_channels && !options.shows_messages() && may_change_places(scenario);
    if (options.record_chain) mpi_.received = &received_;
    if (may_skip(scenario, options)) {
      run_.steps = &steady_;
      if (options.known_collectives && scenario.job.noise.spread <= 0 &&
          !scenario.job.noise.detours.any())
        run_.known = &known_;
    }
    for (int rank = 0; rank < machine_.orbits().simulated; ++rank)
      ranks_.push_back(std::make_unique<RankThread>(run_, rank));
    if (scenario.job.noise.detours.any()) {
      detours_ = std::make_unique<Detours>(scenario.job.noise, run_, own_ranks());
      run_.detours = detours_.get();
    }
    add_neighbours();
    if (options.fold_channels && !options.shows_messages())
      if (auto fold = channel_fold(scenario, *options_of_job_, machine_, ledger_, own_ranks()))
        machine_.fold_channels(std::move(*fold));
    if (options.every_so_often)
      kernel_->every_so_often(Callback::to<&Simulation::look_outside>(this));
  }

  Measurement repeat(int repetition) {
    if (repetition > 0) {
      ledger_.rewind();
      machine_.rewind();
    }
    const double start = start_ = kernel_->now();
    begin(repetition);
    if (options_->progress) watch(repetition);
    kernel_->run();
    if (run_.unfinished > 0) return stuck();
    if (!is_announced()) job_ended(0);
    known_.check();
    if (rounds_in_vain_ == most_rounds_in_vain) {
      if (!options_->keep_deadlock) throw DeadlockError(in_vain_text());
      measured_.deadlock = Deadlock{in_vain_text(), {}, {}};
    }
    for (const auto& neighbour : neighbours_)
      measured_.neighbours.push_back(neighbour->report(start));
    return std::move(measured_);
  }

 private:
  Measurement stuck();
  std::span<const std::unique_ptr<RankThread>> own_ranks() const {
    return {ranks_.data(), ranks_.data() + simulated_};
  }
  bool folded() const { return machine_.orbits().folded() || machine_.channel_fold().folded(); }
  /// True if events go on when the job has ended.
  bool is_announced() const { return !neighbours_.empty() || detours_ != nullptr; }
  void begin(int repetition);
  void add_neighbours();
  Task announced(Task text);
  bool another_round();
  void job_ended(std::uint64_t);
  static std::string in_vain_text();
  void watch(int repetition);
  void look_outside(std::uint64_t) { options_->every_so_often(); }

  const Scenario* scenario_;
  const RunOptions* options_;
  std::unique_ptr<Recorder> recorder_;  ///< null: nothing is recorded
  std::unique_ptr<Kernel> kernel_;
  Ledger ledger_;
  Paths paths_;
  Machine machine_;
  Mpi mpi_;
  const int own_;        ///< ranks of the foreground job
  const int simulated_;  ///< of these
  Noises noises_;
  const Noise noise_of_input_;
  Noises inputs_;
  ReadyQueue ready_;
  PlacedOptions options_of_job_;
  Run run_;
  std::vector<Span> spans_;
  std::vector<MessageSpan> received_;
  std::vector<std::unique_ptr<RankThread>> ranks_;  ///< of all jobs
  std::unique_ptr<Detours> detours_;                ///< null: none
  std::vector<std::unique_ptr<NeighbourRun>> neighbours_;
  SteadyState steady_{run_, ranks_};
  KnownCollectives known_{run_};
  double start_ = 0;           ///< of the repetition
  Table<double> used_before_;  ///< of each resource, by then
  Measurement measured_;       ///< of the repetition, taken when the job ends
  int left_ = 0;               ///< ranks of the job that have not ended
  int rounds_in_vain_ = 0;
  std::uint64_t messages_seen_ = 0;
};

Measurement Simulation::stuck() {
  if (folded()) throw StuckWhileFolded();
  Deadlock deadlock = describe_deadlock(*scenario_, machine_.jobs(), kernel_->now(), ranks_);
  if (!options_->keep_deadlock) throw DeadlockError(deadlock.text);
  for (const auto& rank : own_ranks()) rank->abandon();
  job_ended(0);
  measured_.deadlock = std::move(deadlock);
  return std::move(measured_);
}

void Simulation::begin(int repetition) {
  const Job& job = scenario_->job;
  const Workspace work = workspace(job, *options_of_job_, own_);
  // One stream of random numbers per repetition, whatever the number of repetitions.
  const std::uint64_t seed =
      job.seed + static_cast<std::uint64_t>(repetition) * 0x9e3779b97f4a7c15u;
  std::mt19937_64 random(seed);
  mpi_.seed(~seed);  // not the skews' stream
  noises_.seed(seed ^ 0x5851f42d4c957f2du);
  inputs_.seed(seed ^ stream_of_inputs);
  paths_.restart(kernel_->now());
  run_.phases.clear();
  run_.observed.clear();
  run_.prepared.clear();
  spans_.clear();
  received_.clear();
  steady_.restart();
  known_.restart();
  mpi_.traffic = {};
  used_before_.clear();
  for (int id = 0; id < ledger_.resource_count(); ++id) used_before_.push_back(ledger_.carried(id));
  run_.unfinished = left_ = simulated_;
  if (recorder_) recorder_->restart(job, own_);
  for (const auto& rank : own_ranks()) {
    rank->reset();
    const double late = start_delay(job, random);
    Executor& executor = recorder_ ? recorder_->in_front_of(*rank) : *rank;
    const Communicator comm = machine_.orbits().as_numbered(Communicator(executor));
    Task program = job_program(job, *options_of_job_, comm, work);
    rank->begin(is_announced() ? announced(std::move(program)) : std::move(program), late);
  }
  if (detours_) detours_->restart(~(seed ^ 0x5851f42d4c957f2du));
  rounds_in_vain_ = 0;
  messages_seen_ = 0;
  for (const auto& neighbour : neighbours_) neighbour->begin(seed);
}

void Simulation::add_neighbours() {
  int index = 0;
  for (const Neighbour& one : scenario_->neighbours) {
    const auto* first = ranks_.data() + machine_.jobs().first(index++);
    neighbours_.push_back(std::make_unique<NeighbourRun>(
        one, run_, NeighbourRun::Ranks(first, one.placement.ranks.size()),
        [this] { return another_round(); }));
  }
}

Task Simulation::announced(Task text) {
  co_await std::move(text);
  // Not from here: the last rank has yet to end.
  if (--left_ == 0) kernel_->after(0, Callback::to<&Simulation::job_ended>(this));
}

// Background jobs in a loop would go on for ever beside a job that is stuck.
bool Simulation::another_round() {
  if (left_ == 0 || rounds_in_vain_ == most_rounds_in_vain) return false;
  if (std::exchange(messages_seen_, mpi_.traffic.messages) != messages_seen_) rounds_in_vain_ = 0;
  return ++rounds_in_vain_ < most_rounds_in_vain;
}

std::string Simulation::in_vain_text() {
  return fmt::format(
      "background jobs ran {} rounds, and the foreground job sent nothing: set how often they run "
      "by their 'repeat'",
      most_rounds_in_vain);
}

// Background traffic after that is not the job's.
void Simulation::job_ended(std::uint64_t) {
  unfold(run_.observed, machine_.orbits());
  used_before_.resize(ledger_.resource_count());  // blocks come meanwhile
  measured_ = measure(run_, own_ranks(), start_, used_before_);
  measured_.skipped = steady_.skipped();
  measured_.skipped.messages += known_.messages();
  wait_for_likes(measured_.ranks, machine_.channel_fold(), own_ranks(), start_);
  unfold(measured_, machine_);
  if (recorder_) measured_.recording = recorder_->take(ledger_);
}

void Simulation::watch(int repetition) {
  const Job& job = scenario_->job;
  const auto items = static_cast<std::size_t>(job.bytes.count);
  const Cost cost = job.algorithm->cost(own_, items, *options_of_job_);
  const double each = static_cast<double>(cost.messages) / machine_.orbits().size() *
                      machine_.channel_fold().simulated_share();
  const double all = each * simulated_repetitions(*scenario_, *options_);
  const double before = each * repetition;
  if (repetition > 0) options_->progress(before / all);
  mpi_.watch = [this, before, all](std::uint64_t messages) {
    // The declared number may be the least, and one that is sent to many is received by each.
    constexpr double nearly_all = 0.99;
    options_->progress(std::min(nearly_all, (before + static_cast<double>(messages)) / all));
  };
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace
}  // namespace sim

namespace {

std::vector<sim::Measurement> measurements_of(const Scenario& asked, const RunOptions& options,
                                              std::optional<sim::Orbits> orbits) {
  const Scenario scenario = orbits ? sim::in_order(asked, *orbits) : asked;
  sim::Simulation simulation(scenario, options, orbits);
  std::vector<sim::Measurement> measurements;
  const int simulated = simulated_repetitions(scenario, options);
  for (int i = 0; i < simulated; ++i) {
    sim::Measurement measured = simulation.repeat(i);
    const bool stuck = measured.deadlock.has_value();
    if (stuck) measurements.clear();  // the report is to tell of this one
    measurements.push_back(std::move(measured));
    if (stuck) return measurements;
  }
  measurements.back().repeated = scenario.job.repetitions - simulated;
  return measurements;
}

}  // namespace

Report simulate(const Scenario& scenario, const RunOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  Report report = simulate(scenario, options, sim::alike_for(scenario, options));
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return report;
}

Report simulate(const Scenario& scenario, const RunOptions& options, sim::Alike alike) {
  const auto begun = std::chrono::steady_clock::now();
  std::vector<sim::Measurement> measurements;
  RunOptions whole = options;
  try {
    measurements = measurements_of(scenario, options, alike.orbits);
  } catch (const sim::StuckWhileFolded&) {
    alike = {{}, "it deadlocks, and each rank's state is reported", 0};
    whole.fold_channels = whole.known_collectives = false;
    measurements = measurements_of(scenario, whole, {});
  } catch (const sim::NotKnown&) {
    whole.known_collectives = false;
    return simulate(scenario, whole, std::move(alike));
  }
  Report report = sim::report_of(scenario, std::move(measurements));
  if (alike.orbits) report.simulated_ranks = alike.orbits->simulated;
  report.not_folded = alike.reason;
  report.uneven = alike.uneven;
  report.kernel = options.kernel;
  if (options.tolerance > 0) report.tolerance = options.tolerance;
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  report.peak_rss_bytes = sim::peak_rss_bytes();
  return report;
}

std::span<const std::string_view> kernel_names() { return sim::kernel_names(); }

}  // namespace ringscope
