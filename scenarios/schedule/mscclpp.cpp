// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scenarios/schedule/checks.hpp"
#include "scenarios/schedule/mscclpp_plan.hpp"
#include "scenarios/schedule/schedule_file.hpp"

namespace ringscope {
namespace {

using schedules::Act;
using schedules::Chunks;
using schedules::StepId;
using Does = schedules::Kind;

/// A chunk of a rank's scratch space.
struct Scratch {
  int rank = 0, chunk = 0;
  auto operator<=>(const Scratch&) const = default;
};

/// Who fills a chunk of scratch space with packets: an operation of the rank itself or of another.
struct Writer {
  int rank = 0;
  int block = 0;
};

/// A step that waits for others of its rank, by where they are.
struct Wait {
  StepId step;
  StepId until;
};

/// Packets are messages: who reads a chunk first receives it, and all others wait for that.
class Weaving {
 public:
  Weaving(const mscclpp::Plan& plan, bool apart)
      : plan_(&plan),
        placing_{plan.collective, plan.chunks, static_cast<int>(plan.gpus.size()), apart},
        signals_(plan) {}

  schedules::Schedule weave() {
    each_operation(
        [&](const StepId& at, const mscclpp::Operation& operation) { note_writes(at, operation); });
    schedules::Schedule schedule{.name = plan_->name,
                                 .collective = plan_->collective,
                                 .protocol = plan_->protocol,
                                 .chunks = plan_->chunks};
    if (placing_.apart) schedule.output = Buffer::scratch;
    schedule.whole = true;
    for (const mscclpp::Gpu& gpu : plan_->gpus) {
      schedule.ranks.emplace_back().blocks.resize(gpu.blocks.size());
      schedule.scratch_chunks =
          std::max(schedule.scratch_chunks, placing_.first_of_scratch() + gpu.chunks[2]);
    }
    ranks_ = &schedule.ranks;
    each_operation([&](const StepId& at, const mscclpp::Operation& operation) {
      if (operation.kind == nullptr)
        add_barrier(at, operation);
      else if (operation.kind->uses_channels())
        add_channel_step(at, operation);
      else
        add_steps(at, operation);
    });
    join();
    return schedule;
  }

 private:
  template <typename Action>
  void each_operation(const Action& action) const {
    for (int rank = 0; rank < std::ssize(plan_->gpus); ++rank) {
      const auto& blocks = plan_->gpus[rank].blocks;
      for (int block = 0; block < std::ssize(blocks); ++block)
        for (int i = 0; i < std::ssize(blocks[block]); ++i)
          action(StepId{rank, block, i}, blocks[block][i]);
    }
  }

  void note_writes(const StepId& at, const mscclpp::Operation& operation) {
    if (operation.kind == nullptr || operation.kind->uses_channels()) return;
    for (const mscclpp::Buffer& into : operation.into) {
      const bool packets = into.rank >= 0 || is_packets(operation, into);
      for (int i = 0; packets && i < into.count; ++i) {
        const Scratch chunk{into.rank >= 0 ? into.rank : at.rank, into.first + i};
        if (writers_.try_emplace(chunk, Writer{at.rank, at.block}).second) continue;
        throw InputError(operation.place,
                         "it writes chunk {} of the scratch space of gpu {}, which another "
                         "operation writes, too: only one is understood",
                         chunk.chunk, chunk.rank);
      }
    }
  }
  /// The destination in the rank's own scratch space that is read as packets.
  static bool is_packets(const mscclpp::Operation& operation, const mscclpp::Buffer& into) {
    return operation.kind->writes_packets && into.rank < 0 &&
           &into == &operation.into[operation.kind->reduces ? 1 : 0];
  }

  Chunks place(int rank, const mscclpp::Buffer& buffer, int offset) const {
    const int first = buffer.first + offset;
    if (buffer.space == mscclpp::Space::input) return placing_.input(rank, first, 1);
    if (buffer.space == mscclpp::Space::output) return placing_.output(rank, first, 1);
    return placing_.scratch(first, 1);
  }

  Table<schedules::Step>& steps(const StepId& at) {
    return (*ranks_)[at.rank].blocks[at.block].steps;
  }
  StepId next_step(const StepId& at) {
    return {at.rank, at.block, static_cast<int>(steps(at).size())};
  }

  void add_barrier(const StepId& at, const mscclpp::Operation& operation) {
    const int round = passed_[{at.rank, at.block, operation.barrier}]++;
    auto& arrivals = barriers_[{at.rank, operation.barrier, round}];
    arrivals.arrived.push_back(next_step(at));
    steps(at).push_back({.kind = "barrier", .signals = true, .written = at.step});
    arrivals.leaving.push_back(next_step(at));
    steps(at).push_back({.kind = "barrier", .written = at.step});
  }

  /// A step for each chunk of the operation.
  void add_steps(const StepId& at, const mscclpp::Operation& operation) {
    for (int i = 0; i < operation.from.front().count; ++i) {
      schedules::Step step{.kind = operation.kind->words, .written = at.step};
      const StepId here = next_step(at);
      acts_ = &step.acts;
      perform(here, operation, i);
      for (const mscclpp::Buffer& into : operation.into)
        if (is_packets(operation, into)) written_[{at.rank, into.first + i}] = here;
      steps(at).push_back(std::move(step));
    }
  }

  void perform(const StepId& here, const mscclpp::Operation& operation, int i) {
    const mscclpp::Kind& kind = *operation.kind;
    const auto chunk = [&](const mscclpp::Buffer& buffer) { return place(here.rank, buffer, i); };
    const auto local = [&](Does what, const Chunks& into, const Chunks& from) {
      if (what == Does::reduce || into != from)
        acts_->push_back({.kind = what, .into = into, .from = from});
    };
    const mscclpp::Buffer& source = operation.from.front();
    const bool first_is_packets = kind.reads_packets && !kind.reduces;
    for (std::size_t j = first_is_packets ? 0 : 1; kind.reads_packets && j < operation.from.size();
         ++j)
      await(here, operation, operation.from[j], i);
    const bool keeps = operation.into.front().rank < 0;
    const Chunks result = chunk(keeps ? operation.into.front() : source);
    if (keeps) local(Does::copy, result, chunk(source));
    for (std::size_t j = 1; kind.reduces && j < operation.from.size(); ++j)
      local(Does::reduce, result, chunk(operation.from[j]));
    if (kind.reduces && kind.writes_packets) local(Does::copy, chunk(operation.into[1]), result);
    std::size_t sent = 0;
    for (const mscclpp::Buffer& into : operation.into) {
      if (into.rank < 0) continue;
      const bool one_each = !keeps && operation.from.size() == operation.into.size();
      acts_->push_back({.kind = Does::send,
                        .into = one_each ? chunk(operation.from[sent]) : result,
                        .peer = into.rank,
                        .tag = into.first + i});
      ++sent;
    }
  }

  /// A put is a message that the wait for its signal receives; a signal behind nothing is one
  /// without data. Data that are got leave with the signal that the getter has waited for.
  void add_channel_step(const StepId& at, const mscclpp::Operation& operation) {
    const mscclpp::Kind& kind = *operation.kind;
    schedules::Step step{.kind = kind.words, .written = at.step};
    acts_ = &step.acts;
    for (std::size_t i = 0; i < operation.channels.size(); ++i) {
      const mscclpp::End end{at.rank, operation.channels[i]}, other = signals_.other_end(end);
      if (kind.puts) move(Does::send, at.rank, operation.from[i], other.rank, tag_of(end, false));
      if (kind.gets)
        move(Does::receive, at.rank, operation.into[i], other.rank, tag_of(other, true));
      if (kind.signals) {
        const mscclpp::Signal& signal = signals_.of(end)[given_[end]++];
        if (signal.puts.empty()) move(Does::send, at.rank, no_data, other.rank, tag_of(end, false));
        for (const mscclpp::Move& get : signal.gets)
          move(Does::send, at.rank, get.from, other.rank, tag_of(end, true));
      }
      if (kind.waits) {
        const mscclpp::Signal& signal = signals_.of(other)[taken_[end]++];
        if (signal.puts.empty())
          move(Does::receive, at.rank, no_data, other.rank, tag_of(other, false));
        for (const mscclpp::Move& put : signal.puts)
          move(Does::receive, at.rank, put.into, other.rank, tag_of(other, false));
      }
    }
    steps(at).push_back(std::move(step));
  }
  /// A message of each chunk.
  void move(Does what, int rank, const mscclpp::Buffer& buffer, int peer, int tag) {
    for (int i = 0; i < std::max(1, buffer.count); ++i) {
      Chunks chunk = place(rank, buffer, i);
      if (buffer.count == 0) chunk = {Buffer::scratch, 0, 0};
      acts_->push_back({.kind = what, .into = chunk, .peer = peer, .tag = tag});
    }
  }
  /// Beside those of packets: of the end that sends.
  static int tag_of(const mscclpp::End& end, bool got) {
    constexpr int first = 1 << 21;
    return first + 2 * end.channel + (got ? 1 : 0);
  }

  /// Waits for packets: receives them, or waits for who has.
  void await(const StepId& here, const mscclpp::Operation& operation, const mscclpp::Buffer& buffer,
             int i) {
    if (buffer.space != mscclpp::Space::scratch)
      throw InputError(operation.place, "it reads packets that are not in scratch space ('s')");
    const Scratch chunk{here.rank, buffer.first + i};
    const auto writer = writers_.find(chunk);
    if (writer == writers_.end())
      throw InputError(
          operation.place,
          "it waits for ever: nobody writes packets to chunk {} of the scratch space of gpu {}",
          chunk.chunk, chunk.rank);
    if (writer->second.rank != here.rank && written_.try_emplace(chunk, here).second) {
      acts_->push_back({.kind = Does::receive,
                        .into = placing_.scratch(chunk.chunk, 1),
                        .peer = writer->second.rank,
                        .tag = chunk.chunk});
      return;
    }
    reads_.push_back({here, chunk});
  }

  /// Names the steps that others wait for, and lets these signal.
  void join() {
    std::vector<Wait> waits;
    for (const auto& [step, chunk] : reads_) waits.push_back({step, written_.at(chunk)});
    for (const auto& [key, barrier] : barriers_)
      for (const StepId& leaving : barrier.leaving)
        for (const StepId& arrived : barrier.arrived) waits.push_back({leaving, arrived});
    std::erase_if(waits, [](const Wait& wait) {
      return wait.step.block == wait.until.block && wait.step.step > wait.until.step;
    });
    for (const Wait& wait : waits) steps(wait.until)[wait.until.step].signals = true;
    for (const Wait& wait : waits) {
      const auto& before = steps(wait.until);
      const auto signals = std::count_if(before.begin(), before.begin() + wait.until.step + 1,
                                         [](const schedules::Step& step) { return step.signals; });
      steps(wait.step)[wait.step.step].after.push_back(
          {wait.until.block, static_cast<int>(signals)});
    }
  }

  struct Barrier {
    std::vector<StepId> arrived, leaving;
  };
  struct Read {
    StepId step;
    Scratch chunk;
  };

  static constexpr mscclpp::Buffer no_data{.count = 0};
  const mscclpp::Plan* plan_;
  Placing placing_;
  const mscclpp::Signals signals_;
  std::map<mscclpp::End, std::size_t> given_, taken_;  ///< signals, so far
  std::map<Scratch, Writer> writers_;
  std::map<Scratch, StepId> written_;  ///< the step behind which the packets are there
  std::vector<Read> reads_;
  std::map<std::tuple<int, int, int>, int> passed_;        ///< by rank, block and barrier
  std::map<std::tuple<int, int, int>, Barrier> barriers_;  ///< by rank, barrier and round
  Table<schedules::RankProgram>* ranks_ = nullptr;
  std::vector<Act>* acts_ = nullptr;  ///< of the step that is made
};

}  // namespace

void read_mscclpp(const std::shared_ptr<const Source>& source, ScheduleFile& into) {
  const mscclpp::Plan plan = mscclpp::read_plan(Value::from_text(source->name, source->text));
  const auto operation = [&](const StepId& id) -> const mscclpp::Operation& {
    return plan.gpus[id.rank].blocks[id.block][id.step];
  };
  const Told told = {plan.place, [&](const StepId& id) { return operation(id).place; },
                     [&](const StepId& id) {
                       const mscclpp::Kind* kind = operation(id).kind;
                       return fmt::format("gpu {}, threadblock {}, operation {} ({})", id.rank,
                                          id.block, operation(id).number,
                                          kind == nullptr ? "barrier" : kind->name);
                     }};
  into.schedule = checked(
      {Weaving(plan, false).weave(), Weaving(plan, true).weave(), plan.in_place, !plan.in_place},
      told);
  into.least_bytes = plan.least_bytes;
  into.most_bytes = plan.most_bytes;
}

}  // namespace ringscope
