// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/schedules/order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "algorithms/collectives.hpp"
#include "algorithms/loopback/loopback.hpp"

namespace ringscope::schedules {
namespace {

/// One of a chunk, as its value counts it; below it the chunk's number. Floats hold both exactly.
constexpr int one = 4096;
constexpr std::size_t most_floats = std::size_t{1} << 27;

/// Promise about a chunk: the sum of that chunk of all ranks, or that chunk of one.
struct Promised {
  int chunk = 0;
  int rank = -1;  ///< -1: all
};

/// Contributions to one chunk.
struct Found {
  Table<int> times, chunk;  ///< by rank; the chunk where it counts once
  bool unwritten = false;
};

class Promise {
 public:
  explicit Promise(const Schedule& schedule)
      : schedule_(&schedule),
        collective_(find_collective(schedule.collective)),
        ranks_(static_cast<int>(schedule.ranks.size())),
        each_(std::max(1, schedule.chunks / ranks_)) {}

  bool holds_before(int rank, int chunk) const { return holds(collective_->before, rank, chunk); }
  Buffer result() const {
    return collective_->after == Held::pieces ? Buffer::scratch : schedule_->output;
  }
  std::optional<Promised> after(int rank, int chunk) const {
    if (collective_->after == Held::pieces)
      return Promised{rank * each_ + chunk % each_, chunk / each_};
    if (!holds(collective_->after, rank, chunk)) return {};
    if (collective_->sums) return Promised{chunk, -1};
    return Promised{chunk, collective_->before == Held::root ? schedule_->root : chunk / each_};
  }

 private:
  bool holds(Held held, int rank, int chunk) const {
    if (held == Held::root) return rank == schedule_->root;
    if (held == Held::chunks) return chunk / each_ == rank;
    return held == Held::all || held == Held::pieces;
  }

  const Schedule* schedule_;
  const Collective* collective_;
  int ranks_, each_;
};

/// "rank 1", "ranks 0 to 3", "ranks 0, 2 and 3"
std::string in_words(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  if (ranks.back() - ranks.front() + 1 == std::ssize(ranks))
    return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
  return fmt::format("ranks {} and {}", fmt::join(ranks.begin(), ranks.end() - 1, ", "),
                     ranks.back());
}

Found decoded(std::span<const float> items) {
  Found found;
  for (const float value : items) {
    found.unwritten = found.unwritten || std::isnan(value);
    const int code = std::isnan(value) ? 0 : static_cast<int>(value);
    found.times.push_back(code / one);
    found.chunk.push_back(code % one);
  }
  return found;
}

/// Empty where it is right.
std::string difference(const Found& found, const Promised& promised) {
  if (found.unwritten) return "it has data of an unwritten place";
  std::vector<int> missing, strange;
  for (int rank = 0; rank < std::ssize(found.times); ++rank) {
    const int times = found.times[rank];
    const bool belongs = promised.rank < 0 || promised.rank == rank;
    if (belongs && times == 0) missing.push_back(rank);
    if (!belongs && times > 0) strange.push_back(rank);
    const int chunk = found.chunk[rank];
    if (times == 1 && belongs && chunk != promised.chunk % one)
      return fmt::format("it has chunk {} of rank {} instead", chunk, rank);
    if (belongs && times > 1)
      return fmt::format("it has the data of rank {} {} times", rank, times);
  }
  if (!strange.empty()) return fmt::format("it has data of {}", in_words(strange));
  if (!missing.empty()) return fmt::format("the data of {} is missing", in_words(missing));
  return "";
}

/// Steps that write the chunk, in the order of the file.
std::vector<StepId> writers(const Schedule& schedule, int rank, Buffer buffer, int chunk) {
  std::vector<StepId> all;
  const auto& blocks = schedule.ranks[rank].blocks;
  for (int block = 0; block < std::ssize(blocks); ++block)
    for (const Step& step : blocks[block].steps)
      for (const Act& act : step.acts)
        if (act.kind != Kind::send && act.into.buffer == buffer && chunk >= act.into.chunk &&
            chunk < act.into.chunk + act.into.count &&
            (all.empty() || all.back() != StepId{rank, block, step.written}))
          all.push_back({rank, block, step.written});
  return all;
}

Flaw wrong_chunk(const Schedule& schedule, int rank, int chunk, const Promised& promised,
                 Buffer buffer, const std::string& difference) {
  const std::string expected =
      promised.rank < 0 ? fmt::format("the sum of chunk {} of all ranks", promised.chunk)
                        : fmt::format("chunk {} of rank {}", promised.chunk, promised.rank);
  const auto by = writers(schedule, rank, buffer, chunk);
  Flaw flaw{
      fmt::format("wrong result: rank {} ends with a wrong chunk {} of {}: expected {}, but {}",
                  rank, chunk, schedule.chunks, expected, difference),
      {}};
  if (by.empty()) {
    flaw.text += "; no step writes it";
    return flaw;
  }
  flaw.step = by.back();
  if (by.size() == 1) flaw.text += "; this step alone writes it";
  if (by.size() > 1)
    flaw.text += fmt::format("; this step writes it, and {} before it in the file", by.size() - 1);
  return flaw;
}

std::optional<Flaw> first_wrong(const Schedule& schedule, const LoopbackResult& result) {
  const Promise promise(schedule);
  const std::size_t ranks = schedule.ranks.size();
  for (int rank = 0; rank < std::ssize(schedule.ranks); ++rank)
    for (int chunk = 0; chunk < schedule.chunks; ++chunk) {
      const auto promised = promise.after(rank, chunk);
      if (!promised) continue;
      const auto& buffer = promise.result() == Buffer::data ? result.data : result.scratch;
      const Found found = decoded(std::span(buffer[rank]).subspan(times(chunk, ranks), ranks));
      const std::string wrong = difference(found, *promised);
      if (!wrong.empty())
        return wrong_chunk(schedule, rank, chunk, *promised, promise.result(), wrong);
    }
  return {};
}

std::optional<Flaw> flaw_of_run(const Schedule& schedule, const LoopbackOptions& how) {
  const Promise promise(schedule);
  const std::size_t probes = schedule.ranks.size();
  const auto initial = [&](int rank, std::size_t item) {
    const auto chunk = static_cast<int>(item / probes);
    if (!promise.holds_before(rank, chunk)) return std::numeric_limits<float>::quiet_NaN();
    return std::cmp_equal(item % probes, rank) ? static_cast<float>(one + chunk % one) : 0.0F;
  };
  Options options;
  options.schedule = &schedule;
  try {
    const Algorithm algorithm = algorithm_of(schedule);
    const LoopbackResult result = run_loopback(
        algorithm, static_cast<int>(probes), times(schedule.chunks, probes), options, initial, how);
    return first_wrong(schedule, result);
  } catch (const LoopbackDeadlock& deadlock) {
    const auto& blocked = deadlock.blocked().front();
    return Flaw{deadlock.what(), StepId{blocked.rank, blocked.thread, blocked.step}};
  } catch (const Misuse& misuse) {
    return Flaw{misuse.what(), {}};
  }
}

}  // namespace

std::optional<Flaw> flaw_of(const Schedule& schedule) {
  const std::size_t ranks = schedule.ranks.size();
  const int chunks = schedule.chunks + schedule.scratch_chunks;
  if (std::cmp_greater(chunks, most_floats / ranks / ranks))
    return Flaw{fmt::format("{} ranks with {} chunks each are too many to check", ranks, chunks),
                {}};
  const LoopbackOptions runs[] = {
      {.synchronous_sends = true}, {}, {.seed = 1}, {.seed = 2}, {.seed = 3}};
  std::optional<Flaw> first;
  bool any_right = false;
  for (const LoopbackOptions& how : runs) {
    auto flaw = flaw_of_run(schedule, how);
    any_right = any_right || !flaw;
    if (!first) first = std::move(flaw);
  }
  if (first && any_right)
    first->text +=
        ". In another order of the steps it is right: one is free "
        "to go before another that it should wait for";
  return first;
}

}  // namespace ringscope::schedules
