#include "validation/mpi/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "algorithms/loopback.hpp"
#include "validation/check.hpp"

namespace ringscope::mpi {
namespace {

constexpr std::size_t item_bytes = sizeof(float);

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// The same options in floats: a scenario counts bytes.
Options in_items(Options options) {
  options.segment = std::max<std::size_t>(1, options.segment / item_bytes);
  options.item_bytes = item_bytes;
  return options;
}

/// What each rank must hold at the end. Rank 0 asks the loopback executor and tells the others.
std::vector<float> expected_data(const Scenario& scenario, MPI_Comm comm, std::size_t items) {
  std::vector<float> mine(items);
  const int count = static_cast<int>(items);
  if (rank_of(comm) != 0) {
    MPI_Recv(mine.data(), count, MPI_FLOAT, 0, 0, comm, MPI_STATUS_IGNORE);
    return mine;
  }
  const Job& job = scenario.job;
  const auto ranks = static_cast<int>(scenario.placement.ranks.size());
  const LoopbackResult result =
      run_loopback(*job.algorithm, ranks, items, in_items(job.options), initial_item);
  for (int rank = 1; rank < ranks; ++rank)
    MPI_Send(result.data[static_cast<std::size_t>(rank)].data(), count, MPI_FLOAT, rank, 0, comm);
  return result.data.front();
}

void check(std::span<const float> got, std::span<const float> expected, int rank,
           const Whereabouts& where) {
  const std::ptrdiff_t wrong = first_difference(got, expected);
  if (wrong < 0) return;
  const auto item = static_cast<std::size_t>(wrong);
  throw WrongResult(
      fmt::format("wrong result: rank {}, item {} is {}, expected {} (after {}, step {})", rank,
                  item, got[item], expected[item], where.phase, where.step));
}

std::vector<RankSamples> gather(MPI_Comm comm, RankSamples mine) {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0, ranks = 0;
  MPI_Get_processor_name(name, &length);
  MPI_Comm_size(comm, &ranks);
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<char> names(count * sizeof name);
  std::vector<double> seconds(count * verb_names.size());
  MPI_Gather(name, sizeof name, MPI_CHAR, names.data(), sizeof name, MPI_CHAR, 0, comm);
  MPI_Gather(mine.seconds.data(), verb_names.size(), MPI_DOUBLE, seconds.data(), verb_names.size(),
             MPI_DOUBLE, 0, comm);
  std::vector<RankSamples> all(count);
  for (std::size_t rank = 0; rank < count; ++rank) {
    all[rank].host = &names[rank * sizeof name];
    std::copy_n(&seconds[rank * verb_names.size()], verb_names.size(), all[rank].seconds.begin());
  }
  return all;
}

}  // namespace

void check_replayable(const Scenario& scenario, int ranks) {
  const std::size_t wanted = scenario.placement.ranks.size();
  const Value* job = scenario.resolved.find("job");
  if (wanted != static_cast<std::size_t>(ranks))
    scenario.resolved.fail(
        fmt::format("the scenario places {} ranks, and this MPI job has {}: "
                    "start it with mpirun -n {}",
                    wanted, ranks, wanted));
  const std::uint64_t bytes = scenario.job.bytes.count;
  if (bytes % item_bytes != 0)
    job->fail(fmt::format("expected a whole number of floats of 4 B to replay, got {} B", bytes));
  if (bytes / item_bytes > INT_MAX)
    job->fail(
        fmt::format("MPI counts at most {} floats in a call, got {}", INT_MAX, bytes / item_bytes));
}

CaseSamples replay(const Scenario& scenario, MPI_Comm comm, MpiExecutor& executor, Vectors& vectors,
                   const ReplayOptions& options) {
  const Job& job = scenario.job;
  const Options job_options = in_items(job.options);
  const std::size_t items = job.bytes.count / item_bytes;
  const std::size_t scratch = job.algorithm->scratch_items(executor.size(), items, job_options);
  const std::vector<float> expected = expected_data(scenario, comm, items);
  const Workspace work{{Buffer::data, 0, items}, {Buffer::scratch, 0, scratch}};
  vectors.scratch.assign(scratch, 0);
  vectors.data.resize(items);
  CaseSamples result;
  RankSamples mine;
  for (int i = -options.warmups; i < options.repetitions; ++i) {
    for (std::size_t item = 0; item < items; ++item)
      vectors.data[item] = initial_item(executor.rank(), item);
    executor.reset();
    // The second barrier starts from ranks that have all left the first: they are closer together.
    MPI_Barrier(comm);
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    executor.run(job.algorithm->run(Communicator(executor), work, job_options));
    const double elapsed = MPI_Wtime() - start;
    double slowest = 0;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    check(vectors.data, expected, executor.rank(), executor.whereabouts());
    if (i < 0) continue;
    result.samples_s.push_back(slowest);
    for (std::size_t verb = 0; verb < verb_names.size(); ++verb)
      mine.seconds[verb] += executor.seconds()[verb] / options.repetitions;
  }
  result.ranks = gather(comm, mine);
  return result;
}

}  // namespace ringscope::mpi
