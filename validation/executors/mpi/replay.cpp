// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/replay.hpp"

#include <climits>

#include "algorithms/loopback/loopback.hpp"
#include "validation/executors/measurement.hpp"
#include "validation/executors/mpi/layout.hpp"

namespace ringscope::mpi {
namespace {

constexpr std::string_view allreduce_call = "MPI_Allreduce";
constexpr std::string_view preparing = "the preparation of a case",
                           starting = "the start of a repetition",
                           ending = "the end of a repetition";

/// The host of each rank, named by its lowest rank. Collective.
std::vector<int> hosts_of(MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int lowest = rank_of(comm);
  MPI_Bcast(&lowest, 1, MPI_INT, 0, host);
  MPI_Comm_free(&host);
  Table<int> hosts(size_of(comm));
  MPI_Allgather(&lowest, 1, MPI_INT, hosts.data(), 1, MPI_INT, comm);
  return hosts;
}

/// Data that each rank must hold at the end. Rank 0 asks the loopback executor and tells the
/// others.
std::vector<float> expected_data(const Scenario& scenario, MPI_Comm comm, std::size_t items,
                                 const Options& options) {
  std::vector<float> mine(items);
  const int count = static_cast<int>(items);
  if (rank_of(comm) != 0) {
    MPI_Recv(mine.data(), count, MPI_FLOAT, 0, 0, comm, MPI_STATUS_IGNORE);
    return mine;
  }

  const Job& job = scenario.job;
  const auto ranks = static_cast<int>(scenario.placement.ranks.size());
  const LoopbackResult result = run_loopback(*job.algorithm, ranks, items, options, initial_item);
  for (int rank = 1; rank < ranks; ++rank)
    MPI_Send(result.data[rank].data(), count, MPI_FLOAT, rank, 0, comm);
  return result.data.front();
}

/// Also inside MPI's own collective, and of the process's cores.
struct SpentHere : Spent {
  double call_s = 0, cpu_s = 0;
};

/// The repetitions of one case on one rank.
class Repetitions {
 public:
  Repetitions(const Scenario& scenario, MPI_Comm comm, MpiExecutor& executor, Vectors& vectors,
              const ReplayOptions& options)
      : scenario_(scenario),
        comm_(comm),
        executor_(executor),
        vectors_(vectors),
        options_(options),
        start_(comm, options.start),
        hosts_(hosts_of(comm)),
        job_options_(in_items(scenario.job.options)) {
    job_options_.given.hosts = &hosts_;
    const std::size_t items = scenario.job.bytes.count / item_bytes;
    const std::size_t scratch =
        scenario.job.algorithm->scratch_items(executor.size(), items, job_options_);
    work_ = {{Buffer::data, 0, items}, {Buffer::scratch, 0, scratch}};
    vectors.data.resize(items);
    vectors.scratch.assign(scratch, 0);
    expected_ = expected_data(scenario, comm, items, job_options_);
  }

  CaseSamples run() {
    const auto told = [this](int number) {
      MPI_Bcast(&number, 1, MPI_INT, 0, comm_);
      return number;
    };
    result_.stopped_by = repeat(
        options_.repetitions, result_.samples_s, now_s,
        [this](bool warmup) { repeat_once(warmup); }, told);
    result_.start = start_.mode();
    if (result_.start == StartMode::clock)
      result_.start_spread_s = spread_of(std::move(delays_s_)).median_s;
    result_.ranks = gather_entries();
    return std::move(result_);
  }

 private:
  void repeat_once(bool warmup) {
    for (std::size_t item = 0; item < vectors_.data.size(); ++item)
      vectors_.data[item] = initial_item(executor_.rank(), item);
    executor_.reset();
    executor_.enter(starting);
    const StartMode mode = start_.mode();
    start_.wait();
    const double cpu = process_cpu_s(), started = now_s();
    run_once();
    const double ended = now_s(), cpu_s = process_cpu_s() - cpu;
    const Timed timed = start_.end(ended);
    check();
    if (warmup) return;
    if (timed.missed)
      ++result_.missed_starts;
    else
      keep(timed, ended - started, cpu_s);
    if (start_.mode() == mode) return;
    // The two ways do not give the same samples: begin again with the other.
    result_.samples_s.clear();
    spent_ = {};
  }

  void run_once() {
    if (options_.call.empty()) {
      executor_.run(scenario_.job.algorithm->run(Communicator(executor_), work_, job_options_));
      executor_.enter(ending);
      return;
    }
    executor_.enter(allreduce_call);
    MPI_Allreduce(MPI_IN_PLACE, vectors_.data.data(), static_cast<int>(vectors_.data.size()),
                  MPI_FLOAT, MPI_SUM, comm_);
  }

  void keep(const Timed& timed, double own_s, double cpu_s) {
    result_.samples_s.push_back(timed.seconds);
    delays_s_.push_back(timed.latest_s);
    spent_.add(executor_.seconds(), executor_.phases());
    if (!options_.call.empty()) spent_.call_s += own_s;
    spent_.cpu_s += cpu_s;
  }

  void check() const {
    check_result(scenario_.name, executor_.rank(), vectors_.data, expected_,
                 [this](std::size_t item) {
                   return options_.call.empty() ? executor_.last_writer(item) : options_.call;
                 });
  }

  Json own_entry() const {
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(host, &length);
    const auto count = static_cast<double>(result_.samples_s.size());
    Json seconds = spent_.seconds_json(result_.samples_s.size());
    if (!options_.call.empty()) seconds[options_.call] = spent_.call_s / count;
    Json entry = {{"rank", executor_.rank()},
                  {"host", host},
                  {"seconds", seconds},
                  {"cpu_s", spent_.cpu_s / count}};
    if (options_.phases) entry["phases"] = spent_.phases_json(result_.samples_s.size());
    return entry;
  }

  /// Every rank's own, on rank 0.
  Json gather_entries() const {
    Json entries = Json::array();
    for (const std::string& text : gather(comm_, own_entry().dump()))
      entries.push_back(Json::parse(text));
    return entries;
  }

  const Scenario& scenario_;
  MPI_Comm comm_;
  MpiExecutor& executor_;
  Vectors& vectors_;
  const ReplayOptions& options_;
  Start start_;
  std::vector<int> hosts_;
  Options job_options_;
  Workspace work_{};
  std::vector<float> expected_;
  CaseSamples result_;
  std::vector<double> delays_s_;
  SpentHere spent_;
};

}  // namespace

void check_replayable(const Scenario& scenario, int ranks, const ReplayOptions& options) {
  const std::ptrdiff_t wanted = std::ssize(scenario.placement.ranks);
  const Value* job = scenario.resolved.find("job");
  if (wanted != ranks)
    scenario.resolved.fail(
        "the scenario places {} ranks, and this MPI job has {}: start it with mpirun -n {}{}",
        wanted, ranks, wanted,
        ranks == 1 ? ", of the MPI library it is built with: another library's mpirun starts jobs "
                     "of one rank each"
                   : "");
  const std::uint64_t bytes = scenario.job.bytes.count;
  check_one_job_of_floats(scenario);
  if (scenario.job.overlap || scenario.job.algorithm->nonblocking > 0)
    job->fail(
        "a non-blocking collective of ours cannot be replayed: its steps are no calls of MPI");
  if (bytes / item_bytes > INT_MAX)
    job->fail("MPI counts at most {} floats in a call, got {}", INT_MAX, bytes / item_bytes);
  const std::string_view collective = scenario.job.algorithm->collective;
  if (!options.call.empty() && collective != "allreduce")
    job->fail("expected the collective allreduce, for --call {}, got {}", options.call, collective);
}

CaseSamples replay(const Scenario& scenario, MPI_Comm comm, MpiExecutor& executor, Vectors& vectors,
                   const ReplayOptions& options) {
  executor.enter(preparing);
  return Repetitions(scenario, comm, executor, vectors, options).run();
}

}  // namespace ringscope::mpi
