// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/loopback/loopback.hpp"

#include <fmt/format.h>

#include "algorithms/loopback/loopback_rank.hpp"

namespace ringscope {
namespace {

std::string describe(const std::vector<LoopbackDeadlock::Blocked>& blocked) {
  std::string text = "deadlock:";
  std::string_view separator = " ";
  for (const LoopbackDeadlock::Blocked& one : blocked) {
    text += fmt::format("{}rank {}", separator, one.rank);
    if (one.thread != 0) text += fmt::format(" (thread {})", one.thread);
    text += fmt::format(" waits for {}", one.waits_for);
    if (!one.phase.empty()) text += fmt::format(" ({}, step {})", one.phase, one.step);
    separator = "; ";
  }
  return text;
}

void check(const Algorithm& algorithm, int ranks, const Options& options) {
  if (ranks < algorithm.least_ranks)
    throw std::invalid_argument(fmt::format("{}/{} needs at least {} ranks, got {}",
                                            algorithm.collective, algorithm.name,
                                            algorithm.least_ranks, ranks));
  if (options.segment < 1) throw std::invalid_argument("a segment has at least 1 item");
  if (options.rounds < 1) throw std::invalid_argument("a pattern has at least 1 round");
}

}  // namespace

LoopbackDeadlock::LoopbackDeadlock(std::vector<Blocked> blocked)
    : std::runtime_error(describe(blocked)), blocked_(std::move(blocked)) {}

LoopbackResult run_loopback(const Algorithm& algorithm, int ranks, std::size_t items,
                            const Options& options, const InitialItem& initial,
                            const LoopbackOptions& how) {
  check(algorithm, ranks, options);
  const std::size_t scratch_items = algorithm.scratch_items(ranks, items, options);
  loopback::World world(ranks, items, scratch_items, initial, how);
  return world.run(algorithm, options);
}

}  // namespace ringscope
