// SPDX-License-Identifier: LGPL-2.1-or-later
// A rank's streams, each a thread of the rank. A stream waits for another one's step on a flag that
// is raised once each time that the step has ended.
#include <set>

#include "algorithms/groups/on_group.hpp"
#include "algorithms/programs/walk.hpp"
#include "algorithms/schedules/schedule.hpp"

namespace ringscope::programs {

static_assert(most_communicators * tags_of_communicator <= tags_of_channel);

namespace {

/// A rank with its communicators and its room, of all its streams.
struct Role {
  const Program* program;
  Table<Communicator> communicators;  ///< of the first stream; its own, where it has none
  Workspace work;
  Options options;
};

Communicator communicator_of(Communicator comm, const Program& program, std::size_t number) {
  const CommunicatorKind& one = program.communicators[number];
  const GroupKind& kind = program.kinds[one.kind];
  const int rank = comm.rank();
  if (!kind.has(rank)) return comm;
  return comm.group(kind.ranks_with(rank), kind.place_of(rank), kind.name,
                    static_cast<int>(number) * tags_of_communicator);
}

/// Places of a stream in the rank's buffers.
struct Place {
  Range vector, scratch, received;
};

Place place_of(const Role& role, int stream) {
  std::size_t offset = role.work.scratch.offset;
  const auto take = [&](std::size_t items) {
    const Range range = {role.work.scratch.buffer, offset, items};
    offset += range.size;
    return range;
  };
  Place place;
  for (int i = 0; i <= stream; ++i) {
    const Room& room = role.program->rooms[i];
    place.vector = i == 0 ? role.work.data : take(room.vector);
    place.scratch = take(room.scratch);
    place.received = take(room.received);
  }
  return place;
}

/// One stream of a rank.
class Stream {
 public:
  Stream(Communicator comm, const Role* role, int number)
      : comm_(comm),
        role_(role),
        number_(number),
        place_(place_of(*role, number)),
        walk_(*role->program, comm.rank()) {}

  Task run() {
    while (const Step* step = walk_.next()) {
      if (step->stream != number_) continue;
      for (const After& after : step->after) {
        const std::int64_t count = walk_.awaited(after);
        if (count > 0) co_await comm_.reach(Flag{after.flag}, count);
      }
      co_await perform(*step);
      if (step->raises >= 0) comm_.raise(Flag{step->raises});
    }
  }

 private:
  double value(const Step& step) const { return walk_.stand().value(step.amount); }
  std::size_t items(const Step& step) const {
    const std::uint64_t bytes = step.amount.empty() ? 0 : whole_items(value(step));
    return bytes / role_->options.given.item_bytes;
  }
  Communicator communicator(const Step& step) const {
    const Communicator& first = role_->communicators[step.communicator];
    return number_ == 0 ? first : first.thread(number_);
  }

  Task perform(const Step& step) {
    if (step.kind != Step::Kind::collective && step.kind != Step::Kind::wait)
      comm_.enter(step.name, walk_.turn(), step.where);
    switch (step.kind) {
      case Step::Kind::compute:
        return compute(&step);
      case Step::Kind::delay:
        return delay(&step);
      case Step::Kind::load:
      case Step::Kind::store:
        return storage(&step);
      case Step::Kind::send:
      case Step::Kind::receive:
        return message(&step);
      case Step::Kind::together:
        return together(&step);
      case Step::Kind::collective:
        return collective(step);
      case Step::Kind::wait:
      case Step::Kind::block:
        break;
    }
    return nothing();
  }

  static Task nothing() { co_return; }

  Task compute(const Step* step) {
    const Duration time(value(*step));
    const std::size_t bytes =
        step->memory.empty() ? 0 : static_cast<std::size_t>(walk_.stand().value(step->memory));
    if (time.count() > 0) co_await comm_.compute(time, bytes);
  }

  Task delay(const Step* step) {
    const Duration time(value(*step));
    if (time.count() > 0) co_await comm_.sleep(time);
  }

  Task storage(const Step* step) {
    const std::size_t bytes = items(*step);
    if (step->kind == Step::Kind::load)
      co_await comm_.load(bytes);
    else
      co_await comm_.store(bytes);
  }

  /// Received items go behind `before` items that others receive.
  GroupMessage message_of(const Step& step, std::size_t before) const {
    const bool sends = step.kind == Step::Kind::send;
    const Range place = {place_.received.buffer, place_.received.offset + before, items(step)};
    return {sends, static_cast<int>(walk_.stand().partner_of(step)),
            sends ? place_.vector.first(items(step)) : place, step.tag};
  }

  Task message(const Step* step) {
    std::vector<GroupMessage> alone(1, message_of(*step, 0));
    return exchange_messages(communicator(*step), std::move(alone), options());
  }

  Task together(const Step* step) {
    std::vector<Request> requests;
    std::map<int, Call> calls;
    std::size_t before = 0;
    for (const Step& one : step->steps) {
      if (!walk_.stand().does(one)) continue;
      const GroupMessage message = message_of(one, before);
      if (one.kind == Step::Kind::receive) before += items(one);
      const Communicator group = communicator(one);
      if (goes_by_blocks(group, role_->options))
        calls.try_emplace(one.communicator, Call{group, {}})
            .first->second.messages.push_back(message);
      else
        requests.push_back(post_message(group, message));
    }
    if (calls.empty()) co_await comm_.wait_all(requests);
    co_await all_calls(std::move(calls));
  }

  /// Messages of one communicator of NCCL's: one call.
  struct Call {
    Communicator group;
    std::vector<GroupMessage> messages;
  };

  /// They begin at once.
  Task all_calls(std::map<int, Call> calls) {
    std::vector<Thread> others;
    while (calls.size() > 1) {
      Call& call = calls.begin()->second;
      others.push_back(comm_.start(
          exchange_messages(call.group.beside(Beside::thread), std::move(call.messages), options()),
          Beside::thread));
      calls.erase(calls.begin());
    }
    for (auto& [number, call] : calls)
      co_await exchange_messages(call.group, std::move(call.messages), options());
    for (const Thread other : others) co_await comm_.join(other);
  }

  Options options() const {
    Options options = role_->options;
    options.given.stream = number_;
    return options;
  }

  Task collective(const Step& step) {
    Options options = step.options;
    options.given = role_->options.given;
    options.given.stream = number_;
    options.segment = std::max<std::size_t>(1, options.segment / options.given.item_bytes);
    const Workspace own = {place_.vector.first(items(step)), place_.scratch};
    return on_group(communicator(step), *step.algorithm, own, options);
  }

  Communicator comm_;
  const Role* role_;
  int number_;
  Place place_;
  Walk walk_;
};

Task run_stream(Communicator comm, const Role* role, int number) {
  Stream stream(comm, role, number);
  co_await stream.run();
}

Task run(Communicator comm, Workspace work, Options options) {
  const Program& program = *program_of(options);
  Role role = {&program, {}, work, options};
  for (std::size_t i = 0; i < program.communicators.size(); ++i)
    role.communicators.push_back(communicator_of(comm, program, i));
  std::vector<Thread> others;
  for (int i = 1; i < std::ssize(program.streams); ++i)
    others.push_back(comm.start(run_stream(comm.thread(i), &role, i)));
  co_await run_stream(comm, &role, 0);
  for (const Thread other : others) co_await comm.join(other);
}

Cost cost(int /*ranks*/, std::size_t /*items*/, Options options) {
  const Program& program = *program_of(options);
  return {.steps = program.messages > 0 ? 1 : 0,
          .messages = static_cast<std::int64_t>(program.messages),
          .items = program.items};
}

bool is_message(const Step& step) {
  return step.kind == Step::Kind::send || step.kind == Step::Kind::receive;
}

void add_kinds(const std::vector<Step>& steps, std::set<int>& kinds) {
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::collective || is_message(step)) kinds.insert(step.group);
    add_kinds(step.steps, kinds);
  }
}

/// Communicators of the messages of one step, at most.
int most_calls(const std::vector<Step>& steps) {
  int most = 1;
  for (const Step& step : steps) {
    std::set<int> communicators;
    for (const Step& one : step.steps)
      if (is_message(one)) communicators.insert(one.communicator);
    most = std::max({most, static_cast<int>(communicators.size()), most_calls(step.steps)});
  }
  return most;
}

int threads_of_program(const Options& options) {
  const Program& program = *program_of(options);
  const auto streams = static_cast<int>(program.streams.size());
  const int threads = threads_of_groups(options, streams);
  const int calls = options.given.groups != nullptr ? most_calls(program.steps) : 1;
  return streams + threads + streams * (calls - 1) * (1 + threads / streams);
}

std::vector<RankGroup> groups_of(int /*ranks*/, const Options& options) {
  const Program& program = *program_of(options);
  std::set<int> kinds;
  add_kinds(program.steps, kinds);
  std::vector<RankGroup> groups;
  for (const int number : kinds) {
    const GroupKind& kind = program.kinds[number];
    for (const SharedRanks& ranks : kind.groups) groups.push_back({kind.name, ranks});
  }
  return groups;
}

std::size_t scratch_items(int /*ranks*/, std::size_t /*items*/, Options options) {
  std::size_t sum = 0;
  for (std::size_t i = 0; const Room& room : program_of(options)->rooms)
    sum += (i++ == 0 ? 0 : room.vector) + room.scratch + room.received;
  return sum;
}

}  // namespace

const Program* program_of(const Options& options) {
  return options.schedule != nullptr ? options.schedule->program.get() : nullptr;
}

Algorithm algorithm_of_program(const schedules::Schedule& schedule) {
  return {
      .collective = schedule.collective,
      .name = schedule.name,
      .summary = "a program on groups of ranks, from a scenario",
      .least_ranks = schedule.program->ranks(),
      .threads_for = threads_of_program,
      .run = run,
      .cost = cost,
      .scratch_items = scratch_items,
      .varies = Varies::steps,
      .groups = groups_of,
  };
}

}  // namespace ringscope::programs
