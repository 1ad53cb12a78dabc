#include "sim/deadlock.hpp"

#include <fmt/format.h>

#include <map>

namespace ringscope::sim {
namespace {

constexpr std::size_t most_named = 8;

std::string posting_text(const Mpi& mpi, int id) {
  const Posting& posting = mpi.request(id);
  const std::string size = to_text(Bytes{posting.bytes});
  if (posting.receive)
    return posting.peer == any_source
               ? fmt::format("waits for {} from any rank", size)
               : fmt::format("waits for {} from rank {}", size, posting.peer);
  return fmt::format("waits for rank {} to receive {}", posting.peer, size);
}

/// The ranks of a cycle in the wait-for graph, first one repeated at the end; empty when none.
std::vector<int> find_cycle(const std::map<int, std::vector<int>>& waits_for) {
  for (const auto& [start, peers] : waits_for) {
    std::vector<int> trail = {start};
    std::map<int, std::size_t> seen = {{start, 0}};
    for (int rank = start;;) {
      const auto found = waits_for.find(rank);
      if (found == waits_for.end() || found->second.empty()) break;
      rank = found->second.front();
      trail.push_back(rank);
      const auto [place, is_new] = seen.try_emplace(rank, trail.size() - 1);
      if (!is_new) return {trail.begin() + static_cast<std::ptrdiff_t>(place->second), trail.end()};
    }
  }
  return {};
}

}  // namespace

std::vector<RankThread::Blocked> RankThread::blocked() const {
  std::vector<Blocked> result;
  if (!finished_ && next_ < verbs_.size()) {
    const Pending& verb = verbs_[next_];
    std::vector<int> requests;
    for (const Request request : verb.operation.requests) requests.push_back(request.slot);
    for (const int request : {verb.request, verb.other_request})
      if (request >= 0) requests.push_back(request);
    Blocked blocked;
    for (const int request : requests) {
      if (is_complete(request)) continue;
      if (!blocked.text.empty()) blocked.text += " and ";
      blocked.text += posting_text(*run_->mpi, request);
      const int peer = run_->mpi->request(request).peer;
      if (peer != any_source) blocked.peers.push_back(peer);
    }
    if (verb.operation.verb == Verb::join)
      blocked.text = fmt::format("waits for its thread {}", verb.operation.thread.index);
    const Job& job = run_->machine->scenario().job;
    std::string where = fmt::format("{}/{}", job.algorithm->collective, job.algorithm->name);
    if (phase_ >= 0) where += fmt::format(", {}, step {}", mark_.phase, mark_.step);
    if (index_ > 0) where += fmt::format(", thread {}", index_);
    if (!blocked.text.empty()) {
      blocked.text += fmt::format(" ({})", where);
      result.push_back(std::move(blocked));
    }
  }
  for (const auto& other : others_)
    for (Blocked& blocked : other->blocked()) result.push_back(std::move(blocked));
  return result;
}

std::string describe_deadlock(const Scenario& scenario, double now,
                              const std::vector<std::unique_ptr<RankThread>>& ranks) {
  std::string text = fmt::format("deadlock at {}: ", to_short_text(Seconds(now)));
  std::map<int, std::vector<int>> waits_for;
  std::size_t count = 0;
  for (const auto& rank : ranks)
    for (const RankThread::Blocked& blocked : rank->blocked()) {
      for (const int peer : blocked.peers) waits_for[rank->rank()].push_back(peer);
      if (count++ < most_named)
        text += fmt::format("{}rank {} {}", count > 1 ? "; " : "", rank->rank(), blocked.text);
    }
  if (count > most_named) text += fmt::format("; and {} more", count - most_named);
  const std::vector<int> cycle = find_cycle(waits_for);
  if (!cycle.empty())
    text += fmt::format("\nranks {} wait for each other", fmt::join(cycle, " -> "));
  const Transport& network = scenario.library.transport(Way::network);
  text += fmt::format(
      "\nmessages of more than {} on the network ({} in shared memory) wait for "
      "their receiver: the eager limits of library '{}'",
      to_short_text(network.eager_limit),
      to_short_text(scenario.library.transport(Way::shm).eager_limit), scenario.library.name);
  return text;
}

}  // namespace ringscope::sim
