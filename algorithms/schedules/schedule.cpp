// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/schedules/schedule.hpp"

#include <deque>

namespace ringscope::schedules {
namespace {

/// Messages of a block that may be in flight, as many as a connection has buffers.
/// Source: NCCL 2.30.7, src/include/device.h, NCCL_STEPS.
constexpr std::size_t most_in_flight = 8;

/// Sizes in which a schedule goes through its chunks.
struct Pieces {
  std::size_t chunk = 0;   ///< items
  std::size_t round = 0;   ///< items of a chunk in a round, fewer in the last
  std::size_t rounds = 0;  ///< 0 where there is nothing to do
  int batch = 1;           ///< chunks of a step that go in one message

  Pieces(const Schedule& schedule, std::size_t items, const Options& options)
      : chunk(items / static_cast<std::size_t>(schedule.chunks)) {
    const std::size_t most = schedule.whole
                                 ? std::max<std::size_t>(1, chunk)
                                 : chunk_items(schedule.protocol, options.given.item_bytes);
    round = std::min(chunk, most);
    if (chunk == 0) return;
    rounds = chunk / round + (chunk % round == 0 ? 0 : 1);
    constexpr std::size_t limit = 1 << 20;
    if (rounds == 1) batch = static_cast<int>(std::clamp<std::size_t>(most / chunk, 1, limit));
  }

  /// Chunks of a step of `count` that go together from `first` on.
  int together(int count, int first) const { return std::min(batch, count - first); }
};

/// Part of the vector that a block is at: a round, and some chunks of a step.
struct At {
  std::size_t offset = 0, size = 0;  ///< in each chunk
  int first = 0, count = 1;          ///< chunks of the step
};

class Block {
 public:
  Block(Communicator comm, Workspace work, const Schedule& schedule, const Pieces& pieces)
      : comm_(comm), work_(work), schedule_(&schedule), pieces_(pieces) {}

  Task run(int index) {
    const ThreadBlock& block = program(index);
    co_await comm_.begin_block(true);
    for (round_ = 0; round_ < pieces_.rounds; ++round_) {
      const std::size_t offset = round_ * pieces_.round;
      const std::size_t size = std::min(pieces_.round, pieces_.chunk - offset);
      for (const Step& step : block.steps) {
        comm_.enter(step.kind, step.written);
        for (const After& after : step.after) co_await reach(after);
        for (int first = 0; first < step.count; first += pieces_.batch) {
          const At at = {offset, size, first, pieces_.together(step.count, first)};
          co_await pass(at, &step);
        }
        if (!step.signals) continue;
        while (!schedule_->staged && !in_flight_.empty()) co_await oldest_sent();
        comm_.raise(Flag{index});
      }
    }
    while (!in_flight_.empty()) co_await oldest_sent();
    comm_.end_block();
  }

 private:
  struct Sent {
    Range range;
    Request request;
  };

  const ThreadBlock& program(int index) const {
    const RankProgram& rank = schedule_->ranks[comm_.rank()];
    return rank.blocks[index];
  }

  /// Each round the other block has signalled so often once more.
  Pending reach(const After& after) {
    const auto& steps = program(after.block).steps;
    const auto each = std::ranges::count_if(steps, &Step::signals);
    return comm_.reach(Flag{after.block}, std::ptrdiff_t(round_) * each + after.signals);
  }

  Range range_of(const Chunks& chunks, const At& at) const {
    const Range& whole = chunks.buffer == Buffer::data ? work_.data : work_.scratch;
    const std::size_t first = times(chunks.chunk + at.first, pieces_.chunk);
    const std::size_t size = chunks.count == 0 ? 0
                             : at.count == 1   ? at.size
                                               : times(at.count, pieces_.chunk);
    return {whole.buffer, whole.offset + first + at.offset, size};
  }

  Task pass(At at, const Step* step) {
    for (const Act& act : step->acts) {
      const Range into = range_of(act.into, at);
      if (act.kind == Kind::send) {
        if (in_flight_.size() == most_in_flight) co_await oldest_sent();
        in_flight_.push_back({into, comm_.isend(into, act.peer, act.tag)});
        continue;
      }
      while (is_in_flight(into)) co_await oldest_sent();
      if (act.kind == Kind::receive) {
        const Request coming = comm_.irecv(into, act.peer, act.tag);
        co_await comm_.wait(coming);
      } else if (act.kind == Kind::reduce) {
        co_await comm_.reduce(into, range_of(act.from, at));
      } else {
        co_await comm_.copy(into, range_of(act.from, at));
      }
    }
  }

  bool is_in_flight(const Range& range) const {
    return std::ranges::any_of(in_flight_, [&](const Sent& sent) {
      return sent.range.buffer == range.buffer && sent.range.offset < range.offset + range.size &&
             range.offset < sent.range.offset + sent.range.size;
    });
  }

  Pending oldest_sent() {
    const Request request = in_flight_.front().request;
    in_flight_.pop_front();
    return comm_.wait(request);
  }

  Communicator comm_;
  Workspace work_;
  const Schedule* schedule_;
  Pieces pieces_;
  std::deque<Sent> in_flight_;
  std::size_t round_ = 0;
};

Task run_block(Communicator comm, Workspace work, const Schedule* schedule, Pieces pieces,
               int index) {
  Block block(comm.inside({.channel = index, .protocol = schedule->protocol}), work, *schedule,
              pieces);
  co_await block.run(index);
}

Task run_schedule(Communicator comm, Workspace work, Options options) {
  const Schedule& schedule = *options.schedule;
  assert(comm.size() == std::ssize(schedule.ranks));
  const Pieces pieces(schedule, work.data.size, options);
  const auto blocks = std::ssize(schedule.ranks[comm.rank()].blocks);
  std::vector<Thread> others;
  for (int i = 1; i < blocks; ++i)
    others.push_back(comm.start(run_block(comm.thread(i), work, &schedule, pieces, i)));
  if (blocks > 0) co_await run_block(comm, work, &schedule, pieces, 0);
  for (const Thread other : others) co_await comm.join(other);
}

Cost schedule_cost(int /*ranks*/, std::size_t items, Options options) {
  const Schedule& schedule = *options.schedule;
  const Pieces pieces(schedule, items, options);
  Cost sum{.steps = pieces.rounds == 0 ? 0 : schedule.longest_chain};
  for (const RankProgram& rank : schedule.ranks)
    for (const ThreadBlock& block : rank.blocks)
      for (const Step& step : block.steps)
        for (const Act& act : step.acts) {
          if (act.kind != Kind::send) continue;
          const std::int64_t batches = (step.count + pieces.batch - 1) / pieces.batch;
          sum.messages += batches * static_cast<std::int64_t>(pieces.rounds);
          if (act.into.count > 0)
            sum.items += static_cast<std::uint64_t>(step.count) * pieces.chunk;
        }
  return sum;
}

std::size_t schedule_scratch(int /*ranks*/, std::size_t items, Options options) {
  const Schedule& schedule = *options.schedule;
  return times(schedule.scratch_chunks, Pieces(schedule, items, options).chunk);
}

}  // namespace

Schedule staged(const Schedule& schedule) {
  Schedule all = schedule;
  all.staged = true;
  for (RankProgram& rank : all.ranks) {
    int next = schedule.scratch_chunks;
    for (ThreadBlock& block : rank.blocks)
      for (Step& step : block.steps) {
        std::vector<Act> acts;
        for (Act act : step.acts) {
          if (act.kind == Kind::send) {
            const Chunks place{Buffer::scratch, next, act.into.count};
            next += place.count;
            acts.push_back({.kind = Kind::copy, .into = place, .from = act.into});
            act.into = place;
          }
          acts.push_back(act);
        }
        step.acts = std::move(acts);
      }
    all.scratch_chunks = std::max(all.scratch_chunks, next);
  }
  return all;
}

int most_blocks(const Schedule& schedule) {
  std::size_t most = 1;
  for (const RankProgram& rank : schedule.ranks) most = std::max(most, rank.blocks.size());
  return static_cast<int>(most);
}

Algorithm algorithm_of(const Schedule& schedule) {
  return {
      .collective = schedule.collective,
      .name = schedule.name,
      .summary = "a schedule from a file",
      .least_ranks = static_cast<int>(schedule.ranks.size()),
      .threads_for = [](const Options& options) { return most_blocks(*options.schedule); },
      .run = run_schedule,
      .cost = schedule_cost,
      .scratch_items = schedule_scratch,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope::schedules
