// SPDX-License-Identifier: LGPL-2.1-or-later
// NCCL's choice for a collective: algorithm, protocol and channels, by what it expects each to take
// (tuning.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/selectors/selector.hpp"
#include "nccl/choice/tuning.hpp"

namespace ringscope {

/// The collective of that name among those that NCCL chooses for.
std::optional<nccl::Function> nccl_function(std::string_view collective);

/// Where the library says what each protocol costs (`blocks`), channels of a kernel; elsewhere the
/// algorithm that comes nearest to one channel.
Choice nccl_choice(nccl::Function function, int ranks, std::size_t items, const Options& options);

/// "LL128, 24 channels", as NCCL chooses or as forced; empty where nothing says what blocks cost.
/// `items` are bytes of the whole vector.
std::string nccl_choice_text(std::string_view collective, int ranks, std::size_t items,
                             const Options& options);

/// Row of the table that NCCL prints with NCCL_DEBUG_SUBSYS=TUNING, and what follows from it.
struct NcclTuningRow {
  nccl::Function function = nccl::Function::allreduce;
  nccl::KernelChoice choice;
  double latency = 0, bandwidth = 0;  ///< us, GB/s
  std::vector<double> times{};        ///< us, of each size
  std::vector<bool> chosen{};         ///< of each size
};
/// All that NCCL weighs for ranks on hosts, by function and then in its own order.
std::vector<NcclTuningRow> nccl_tuning(int ranks, int nodes, const nccl::Platform& machine,
                                       std::span<const std::uint64_t> sizes);

/// True where the options force what NCCL has not for that collective, or not with that protocol,
/// or not on that machine.
bool is_forced_in_vain(std::string_view collective, int ranks, const Options& options);

/// Channels of rings and trees, or as many as are forced.
int nccl_channels(const Options& options);

/// The most threads that it may choose, of any size.
int nccl_threads(const Options& options);

/// Time of the host's thread that launches this kernel and those of its other GPUs, one after the
/// other: in a loop of calls it does that for the next call while this one runs.
Duration issue_time(const Options& options);

/// Runs what the selection chooses, and ends no sooner than the thread is through. Source:
/// nccl-tests, src/common.cu, BenchTime.
template <const Selection& selection>
Task at_the_pace_of_issues(Communicator comm, Workspace work, Options options) {
  const Duration issues = issue_time(options);
  const Algorithm& chosen = chosen_algorithm<selection>(comm.size(), work.data.size, options);
  co_await chosen.run(comm, work, options);
  if (issues.count() > 0) co_await comm.outlast(issues);
}

/// A selection at the pace at which a host's thread launches kernels.
template <const Selection& selection>
Algorithm paced_selector(std::vector<std::string_view> options, int (*threads)(const Options&)) {
  Algorithm nccl = selector<selection>(std::move(options));
  nccl.varies = Varies::steps;
  nccl.one_channel = true;
  nccl.threads_for = threads;
  nccl.run = at_the_pace_of_issues<selection>;
  return nccl;
}

}  // namespace ringscope
