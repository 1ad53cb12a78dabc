#include "sim/simulation.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "algorithms/host_order.hpp"
#include "algorithms/overlapped.hpp"
#include "sim/deadlock.hpp"
#include "sim/measurement.hpp"
#include "sim/recorder.hpp"
#include "sim/steady_state.hpp"

namespace ringscope {
namespace sim {
namespace {

/// Everything that lives as long as the run of one case.
class Simulation {
 public:
  Simulation(const Scenario& scenario, const RunOptions& options)
      : scenario_(&scenario),
        options_(&options),
        recorder_(options.record ? std::make_unique<Recorder>(make_kernel(options.kernel))
                                 : nullptr),
        kernel_(recorder_ ? recorder_->take_kernel() : make_kernel(options.kernel)),
        ledger_(*kernel_, scenario.speedup),
        paths_(options.path_limit),
        machine_(scenario, ledger_),
        mpi_(machine_, ledger_, paths_),
        noises_(scenario.job.noise, machine_.ranks()),
        ready_(*kernel_),
        options_of_job_(scenario.job.options),
        by_host_(machine_.ranks(), &machine_.hosts()) {
    options_of_job_.hosts = &machine_.hosts();
    options_of_job_.by_host = &by_host_;
    run_ = {.machine = &machine_,
            .ledger = &ledger_,
            .paths = &paths_,
            .mpi = &mpi_,
            .ready = &ready_,
            .noises = &noises_,
            .phases = {},
            .observed = {},
            .spans = options.record_spans ? &spans_ : nullptr};
    if (options.record_chain) mpi_.received = &received_;
    if (may_skip()) run_.steady = &steady_;
    for (int rank = 0; rank < machine_.ranks(); ++rank)
      ranks_.push_back(std::make_unique<RankThread>(run_, rank));
  }

  Measurement repeat(int repetition) {
    const double start = kernel_->now();
    begin(repetition);
    if (options_->progress) watch(repetition);
    kernel_->run();
    if (run_.unfinished > 0)
      throw DeadlockError(describe_deadlock(*scenario_, kernel_->now(), ranks_));
    Measurement result = measure(run_, ranks_, start, used_before_);
    result.skipped = steady_.skipped();
    if (recorder_) result.recording = recorder_->take(ledger_);
    return result;
  }

 private:
  bool may_skip() const;
  void begin(int repetition);
  Task text_of(const Job& job, Communicator comm, Workspace work) const;
  void watch(int repetition);

  const Scenario* scenario_;
  const RunOptions* options_;
  std::unique_ptr<Recorder> recorder_;  ///< null: nothing is recorded
  std::unique_ptr<Kernel> kernel_;
  Ledger ledger_;
  Paths paths_;
  Machine machine_;
  Mpi mpi_;
  Noises noises_;
  ReadyQueue ready_;
  Options options_of_job_;
  HostGroups by_host_;
  Run run_;
  std::vector<Span> spans_;
  std::vector<MessageSpan> received_;
  std::vector<std::unique_ptr<RankThread>> ranks_;
  SteadyState steady_{run_, ranks_};
  std::vector<double> used_before_;  ///< of each resource, when the repetition began
};

// Never with noise, nor where each step is to be seen.
bool Simulation::may_skip() const {
  const Noise& noise = scenario_->job.noise;
  const auto& transports = scenario_->library.transports;
  const bool steady = noise.spread == 0 && noise.every.count() == 0 && noise.stragglers.empty() &&
                      std::all_of(transports.begin(), transports.end(),
                                  [](const Transport& t) { return t.jitter.is_zero(); });
  const bool shown = options_->record || options_->record_spans || options_->record_chain;
  return options_->skip && kernel_->can_skip() && steady && !shown;
}

void Simulation::begin(int repetition) {
  const Job& job = scenario_->job;
  const auto items = static_cast<std::size_t>(job.bytes.count);
  const std::size_t scratch =
      job.algorithm->scratch_items(machine_.ranks(), items, options_of_job_);
  // One stream of random numbers per repetition, whatever the number of repetitions.
  const std::uint64_t seed =
      job.seed + static_cast<std::uint64_t>(repetition) * 0x9e3779b97f4a7c15u;
  std::mt19937_64 random(seed);
  mpi_.seed(~seed);  // not the skews' stream
  noises_.seed(seed ^ 0x5851f42d4c957f2du);
  paths_.restart(kernel_->now());
  run_.phases.clear();
  run_.observed.clear();
  spans_.clear();
  received_.clear();
  steady_.restart();
  mpi_.traffic = {};
  used_before_.clear();
  for (int id = 0; id < ledger_.resource_count(); ++id) used_before_.push_back(ledger_.used(id));
  run_.unfinished = machine_.ranks();
  if (recorder_) recorder_->restart(job, machine_.ranks());
  for (const auto& rank : ranks_) {
    rank->reset();
    // 53 random bits: the same number on every machine, unlike std::uniform_real_distribution.
    const double late = static_cast<double>(random() >> 11) * 0x1p-53 * job.skew.count();
    const Workspace work = {{Buffer::data, 0, items}, {Buffer::scratch, 0, scratch}};
    Executor& executor = recorder_ ? recorder_->in_front_of(*rank) : *rank;
    rank->begin(text_of(job, Communicator(executor), work), late);
  }
}

Task Simulation::text_of(const Job& job, Communicator comm, Workspace work) const {
  if (!job.overlap) return job.algorithm->run(comm, work, options_of_job_);
  return overlapped(comm,
                    job.algorithm->run(comm.beside(Beside::nonblocking), work, options_of_job_),
                    *job.overlap);
}

void Simulation::watch(int repetition) {
  const Job& job = scenario_->job;
  const auto items = static_cast<std::size_t>(job.bytes.count);
  const Cost cost = job.algorithm->cost(machine_.ranks(), items, options_of_job_);
  const double all = static_cast<double>(cost.messages) * job.repetitions;
  const double before = static_cast<double>(cost.messages) * repetition;
  mpi_.watch = [this, before, all](std::uint64_t messages) {
    // The declared number may be the least.
    options_->progress(std::min(1.0, (before + static_cast<double>(messages)) / all));
  };
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace
}  // namespace sim

Report simulate(const Scenario& scenario, const RunOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  sim::Simulation simulation(scenario, options);
  std::vector<sim::Measurement> measurements;
  for (int i = 0; i < scenario.job.repetitions; ++i) measurements.push_back(simulation.repeat(i));
  Report report = sim::report_of(scenario, std::move(measurements));
  report.kernel = options.kernel;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begun;
  report.wall_s = wall.count();
  report.peak_rss_bytes = sim::peak_rss_bytes();
  return report;
}

std::span<const std::string_view> kernel_names() { return sim::kernel_names(); }

}  // namespace ringscope
