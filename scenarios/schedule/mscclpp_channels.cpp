// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/schedule/mscclpp_plan.hpp"
#include "topologies/input/characters.hpp"

#include <tuple>
#include <utility>

namespace ringscope::mscclpp {
namespace {

constexpr int most_channels = 4096;

std::string type_of(Fields& fields) {
  static const std::vector<std::string> types = {"memory", "port", "switch"};
  return types[fields.required("channel_type").one_of("type of channel", types)];
}

}  // namespace

void ChannelReader::read_gpu(const Value* list, int rank, int ranks, Gpu& gpu) {
  of_gpu_.clear();
  if (list == nullptr) return;
  for (const Value& value : list->listed("a list", 0)) {
    Fields fields(value, "channels");
    const std::string type = type_of(fields);
    if (type == "switch") return;  // of operations that are not understood
    for (const Value& peer : fields.required("connected_to").listed("a list", 0)) {
      const auto number = peer.whole(0, ranks - 1);
      if (number == rank) peer.fail("gpu {} has itself as its peer", rank);
      of_gpu_[type].push_back(static_cast<int>(gpu.channels.size()));
      gpu.channels.push_back({type, number});
    }
    fields.finish();
  }
}

void ChannelReader::read_block(const Value* list) {
  of_block_.clear();
  if (list == nullptr) return;
  for (const Value& value : list->listed("a list", 0)) {
    Fields fields(value, "channels of a threadblock");
    const std::string type = type_of(fields);
    const auto& all = of_gpu_[type];
    for (const Value& id : fields.required("channel_ids").listed("a list", 0)) {
      const std::int64_t number = id.integer(0, most_channels);
      if (type == "switch") continue;
      if (!all.has(number)) id.fail("the gpu has {}", plural(all.size(), type + " channel"));
      of_block_[type].push_back(all[number]);
    }
    fields.finish();
  }
}

std::vector<int> ChannelReader::read_operation(const Value* ids, const Value* type,
                                               const Value& operation) const {
  if (ids == nullptr) operation.fail("an operation: the key 'channel_ids' is missing");
  const std::string kind = type == nullptr ? "memory" : type->text();
  const auto found = of_block_.find(kind);
  const auto count = found == of_block_.end() ? 0 : std::ssize(found->second);
  std::vector<int> channels;
  for (const Value& id : ids->listed("a list", 0)) {
    const std::int64_t number = id.integer(0, most_channels);
    if (number >= count) id.fail("the threadblock has {}", plural(count, kind + " channel"));
    channels.push_back(found->second[number]);
  }
  if (channels.empty()) ids->fail("expected at least one channel");
  return channels;
}

void require_moves(const Operation& operation, const Value& value) {
  const std::size_t moves = operation.channels.size();
  if (operation.from.size() != moves || operation.into.size() != moves)
    value.fail("a {} by {} has {} sources and {} destinations", operation.kind->name,
               plural(moves, "channel"), operation.from.size(), operation.into.size());
  for (std::size_t i = 0; i < moves; ++i) {
    const Buffer &own = operation.kind->puts ? operation.from[i] : operation.into[i],
                 &other = operation.kind->puts ? operation.into[i] : operation.from[i];
    if (own.rank >= 0 || other.rank < 0)
      value.fail("a {} goes {} a buffer of another gpu", operation.kind->name,
                 operation.kind->puts ? "from a buffer on its gpu into" : "from");
    if (own.count != other.count)
      value.fail("a {} has buffers of different sizes", operation.kind->name);
  }
}

Signals::Signals(const Plan& plan) {
  pair_ends(plan);
  for (int rank = 0; rank < std::ssize(plan.gpus); ++rank) {
    const auto& blocks = plan.gpus[rank].blocks;
    for (int block = 0; block < std::ssize(blocks); ++block)
      for (const Operation& operation : blocks[block]) note(plan, rank, block, operation);
  }
  note_gets(plan);
  require_waits();
}

// Called when all signals are known.
void Signals::note_gets(const Plan& plan) {
  for (int rank = 0; rank < std::ssize(plan.gpus); ++rank)
    for (const auto& block : plan.gpus[rank].blocks) {
      std::map<End, std::size_t> waits;
      for (const Operation& operation : block)
        for (std::size_t i = 0; operation.kind != nullptr && i < operation.channels.size(); ++i) {
          const End end{rank, operation.channels[i]};
          if (operation.kind->waits) ++waits[end];
          if (!operation.kind->gets) continue;
          auto& signals = signals_[other_end(end)];
          if (waits[end] == 0 || waits[end] > signals.size())
            throw InputError(operation.place,
                             "it gets data before it has waited on its channel: no signal "
                             "announces them");
          signals[waits[end] - 1].gets.push_back({operation.from.at(i), operation.into.at(i)});
        }
    }
}

void Signals::pair_ends(const Plan& plan) {
  std::map<std::tuple<int, int, std::string, int>, End> numbered;  // from, to, kind, which
  for (int rank = 0; rank < std::ssize(plan.gpus); ++rank) {
    std::map<std::pair<int, std::string>, int> count;
    const auto& channels = plan.gpus[rank].channels;
    for (int i = 0; i < std::ssize(channels); ++i) {
      const Channel& one = channels[i];
      numbered[{rank, one.peer, one.type, count[{one.peer, one.type}]++}] = {rank, i};
    }
  }
  for (const auto& [key, end] : numbered) {
    const auto& [from, to, type, which] = key;
    const auto other = numbered.find({to, from, type, which});
    if (other == numbered.end())
      throw InputError(plan.place,
                       "gpu {} has a {} channel to gpu {}, which has none back: number {} of them",
                       from, type, to, which);
    others_[end] = other->second;
    signals_[end] = {};
  }
}

void Signals::note(const Plan& plan, int rank, int block, const Operation& operation) {
  const Kind* kind = operation.kind;
  for (std::size_t i = 0; kind != nullptr && i < operation.channels.size(); ++i) {
    const End end{rank, operation.channels[i]};
    Use& use = uses_[end];
    if (use.block >= 0 && use.block != block)
      throw InputError(operation.place,
                       "threadblock {} uses its channel, too: only one is understood", use.block);
    use.block = block;
    const int peer = plan.gpus[rank].channels[end.channel].peer;
    if (kind->puts || kind->gets) {
      const auto& there = kind->puts ? operation.into : operation.from;
      if (there.at(i).rank != peer)
        throw InputError(operation.place,
                         "its buffer is of gpu {}, and its channel leads to gpu {}",
                         there.at(i).rank, peer);
    }
    if (kind->puts) {
      use.put.push_back({operation.from.at(i), operation.into.at(i)});
      use.last_put = &operation;
    }
    if (kind->signals) signals_[end].push_back({std::exchange(use.put, {}), {}});
    if (kind->waits) {
      ++use.waits;
      use.last_wait = &operation;
    }
  }
}

void Signals::require_waits() const {
  for (const auto& [end, use] : uses_)
    if (!use.put.empty())
      throw InputError(use.last_put->place,
                       "no signal follows on its channel: nobody can tell when the data are there");
  for (const auto& [end, use] : uses_) {
    const auto given = static_cast<int>(signals_.at(other_end(end)).size());
    if (use.waits > given)
      throw InputError(
          use.last_wait->place,
          "it waits for ever: gpu {} signals this channel {}, and it is waited for {} times",
          other_end(end).rank, plural(given, "time"), use.waits);
  }
}

}  // namespace ringscope::mscclpp
