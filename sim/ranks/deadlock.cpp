// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/ranks/rank_thread.hpp"

#include <fmt/format.h>

#include "algorithms/schedules/schedule.hpp"

namespace ringscope::sim {
namespace {

constexpr std::size_t most_named = 8;

std::string posting_text(const Mpi& mpi, const Jobs& jobs, int id) {
  const Posting& posting = mpi.request(id);
  const std::string size = to_text(Bytes{posting.bytes});
  if (posting.receive)
    return posting.peer == any_source
               ? fmt::format("waits for {} from any rank", size)
               : fmt::format("waits for {} from {}", size, jobs.text(posting.peer));
  return fmt::format("waits for {} to receive {}", jobs.text(posting.peer), size);
}

using WaitsFor = std::map<int, std::vector<int>>;

/// Goes on from `trail` to `rank`. True when that closed a cycle: `trail` is then the cycle, its
/// first rank repeated at the end. `seen`: the ranks that were tried.
bool close_cycle(const WaitsFor& waits_for, int rank, std::vector<int>& trail,
                 std::set<int>& seen) {
  const auto before = std::ranges::find(trail, rank);
  if (before != trail.end()) {
    trail.erase(trail.begin(), before);
    trail.push_back(rank);
    return true;
  }
  const auto found = waits_for.find(rank);
  if (found == waits_for.end() || !seen.insert(rank).second) return false;
  trail.push_back(rank);
  for (const int peer : found->second)
    if (close_cycle(waits_for, peer, trail, seen)) return true;
  trail.pop_back();
  return false;
}

std::string trail_text(const std::vector<int>& trail, const Jobs& jobs) {
  if (jobs.index(trail.front()) == 0)
    return fmt::format("ranks {} wait for each other", fmt::join(trail, " -> "));
  const auto names = each_of(trail, [&](int rank) { return jobs.text(rank); });
  return fmt::format("{} wait for each other", fmt::join(names, " -> "));
}

/// The first rank stands at its end, too; none where nobody waits for each other.
std::vector<int> cycle_in(const WaitsFor& waits_for) {
  std::vector<int> trail;
  std::set<int> seen;
  for (const auto& [rank, peers] : waits_for)
    if (close_cycle(waits_for, rank, trail, seen)) return trail;
  return {};
}

std::string eager_limits_text(const Library& library) {
  return fmt::format(
      "\nmessages of more than {} on the network ({} in shared memory) wait for "
      "their receiver: the eager limits of library '{}'",
      to_short_text(library.transport(Way::network).eager_limit),
      to_short_text(library.transport(Way::shm).eager_limit), library.name);
}

}  // namespace

std::string RankThread::name_of(int index) const {
  const int threads = first_->threads_;
  return index < threads ? fmt::format("thread {}", index)
                         : fmt::format("non-blocking collective {}", index - threads + 1);
}

std::optional<RankThread::Blocked> RankThread::blocked() {
  if (finished_ || verbs_.empty()) return {};
  const Pending& verb = verbs_.front();
  Blocked blocked;
  blocked.rank = rank();
  for (const int request : requests_of(verb)) {
    if (is_complete(request)) continue;
    if (!blocked.text.empty()) blocked.text += verb.verb == Verb::wait_any ? " or " : " and ";
    blocked.text += posting_text(*run_->mpi, run_->machine->jobs(), request);
    const Posting& posting = run_->mpi->request(request);
    blocked.sends = blocked.sends || !posting.receive;
    if (posting.peer != any_source) blocked.peers.push_back(posting.peer);
  }
  if (verb.verb == Verb::join)
    blocked.text = fmt::format("waits for its {}", name_of(verb.asked->thread.index));
  if (verb.verb == Verb::reach)
    blocked.text =
        fmt::format("waits for its flag {} to be raised {} times, which it was {}",
                    verb.asked->flag.index, verb.asked->count, flag(verb.asked->flag).raised);
  if (verb.verb == Verb::split)
    blocked.text = fmt::format("waits for all {} ranks of its communicator to split it",
                               verb.asked->split->size);
  if (blocked.text.empty()) return {};
  const Algorithm& algorithm = *run_->machine->jobs().job(rank()).algorithm;
  blocked.text += fmt::format(" ({}/{}", algorithm.collective, algorithm.name);
  if (phase_ >= 0) blocked.text += fmt::format(", {}, step {}", phase_text(mark_), mark_.step);
  if (index_ > 0) blocked.text += ", " + name_of(index_);
  blocked.text += ")";
  return blocked;
}

std::vector<RankThread::Blocked> RankThread::all_blocked() {
  std::vector<Blocked> all;
  if (auto own = blocked()) all.push_back(std::move(*own));
  for (const auto& other : others_)
    if (auto one = other->blocked()) all.push_back(std::move(*one));
  // Lanes of a trace, and streams of a program, wait for each other: the partners that some wait
  // for are the cause.
  const schedules::Schedule* schedule = run_->machine->jobs().job(rank()).options.schedule;
  const auto has_partner = [](const Blocked& one) { return !one.peers.empty(); };
  const bool streams =
      schedule != nullptr && (schedule->trace != nullptr || schedule->program != nullptr);
  if (streams && std::ranges::any_of(all, has_partner))
    std::erase_if(all, std::not_fn(has_partner));
  return all;
}

void RankThread::abandon() {
  if (finished_) return;
  if (!verbs_.empty() && verbs_.front().since >= 0) {
    const Pending& verb = verbs_.front();
    const auto requests = requests_of(verb);
    const auto missing = std::ranges::find_if(requests, [&](int id) { return !is_complete(id); });
    if (missing != requests.end())
      account_wait(*missing, verb.since, now());
    else
      waited_for_[Cause::partner] += now() - verb.since;
  }
  const auto why = blocked();
  const bool one = why && why->peers.size() == 1;
  run_->paths->extend(path, Cause::partner, one ? why->peers.front() : rank(), -1, now());
  set_activity(RankActivity::idle, now());
  finish_time_ = now();
  end_phase();
}

Deadlock describe_deadlock(const Scenario& scenario, const Jobs& jobs, double now,
                           const std::vector<std::unique_ptr<RankThread>>& ranks) {
  std::vector<RankThread::Blocked> all;
  for (const auto& rank : ranks)
    for (RankThread::Blocked& blocked : rank->all_blocked()) all.push_back(std::move(blocked));

  std::string text = fmt::format("deadlock at {}: ", to_short_text(Seconds(now)));
  for (std::size_t i = 0; i < std::min(all.size(), most_named); ++i)
    text += fmt::format("{}{} {}", i > 0 ? "; " : "", jobs.text(all[i].rank), all[i].text);
  if (all.size() > most_named) text += fmt::format("; and {} more", all.size() - most_named);

  WaitsFor waits_for;
  for (const RankThread::Blocked& blocked : all) {
    auto& peers = waits_for[blocked.rank];
    peers.insert(peers.end(), blocked.peers.begin(), blocked.peers.end());
  }
  Deadlock deadlock;
  deadlock.cycle = cycle_in(waits_for);
  if (!deadlock.cycle.empty()) {
    text += "\n" + trail_text(deadlock.cycle, jobs);
    deadlock.cycle.pop_back();
  }
  // A send is blocked only above the eager limit; a receive is, whatever the limit.
  if (std::ranges::any_of(all, [](const auto& blocked) { return blocked.sends; }))
    text += eager_limits_text(scenario.library);
  deadlock.text = std::move(text);
  for (RankThread::Blocked& blocked : all)
    deadlock.waits.push_back({blocked.rank, std::move(blocked.text), std::move(blocked.peers)});
  return deadlock;
}

}  // namespace ringscope::sim
