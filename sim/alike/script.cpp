// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/alike/script.hpp"

#include <climits>
#include <cmath>

#include "algorithms/training/llm/llm.hpp"
#include "algorithms/training/training.hpp"
#include "sim/ranks/neighbour_run.hpp"

namespace ringscope::sim {
namespace {

class Reader;

/// A call of a group that is told once, and what it comes to.
struct ToldCall {
  int number = 0;
  std::size_t messages = 0, items = 0;

  void write_to(ScriptLine& line) const {
    line.tag = number;
    line.size = messages;
    line.other_size = items;
  }
};
/// Thread, algorithm, items, tag and ranks of a call.
using CallKey = std::tuple<int, const void*, std::size_t, Tag, const std::vector<int>*>;

/// One thread of the rank. All that it sends and receives is done at once.
class ScriptThread final : public Executor {
 public:
  ScriptThread(Reader& reader, int index) : reader_(&reader), index_(index) {}

  int rank() const override;
  int size() const override;
  Request post(const Operation& operation) override;
  bool perform(Operation& operation, std::coroutine_handle<> waiter) override;
  Thread start(Task body, Beside how) override;
  int next_free(Beside how) override;
  Executor& thread(int index) override;
  void mark(Mark) override {}
  int next_step(int step, AlikeSteps all) override;
  void raise(Flag flag) override;
  bool performs_alike() const override { return false; }
  bool may_know(const GroupCall& call) override;
  void has_ended(const GroupCall& call) override;

  /// `call`: the one that it is a part of; null: none that is told once.
  void begin(Task body, ToldCall* call = nullptr);
  bool in_use() const { return task_.has_value(); }
  bool ended() const { return ended_; }
  /// Goes on until it waits, or ends.
  void turn();
  /// It waits for nothing, or that is there.
  bool may_go_on() const;
  void leave() { task_.reset(); }

 private:
  void write(const Operation& operation);
  CallKey key_of(const GroupCall& call) const {
    return {index_, call.algorithm, call.items, call.tag, call.ranks};
  }

  Reader* reader_;
  int index_;
  ToldCall* call_ = nullptr;  ///< in progress, or null
  std::optional<Task> task_;
  bool begun_ = false, ended_ = false;
  std::coroutine_handle<> waiter_;
  Operation* waits_ = nullptr;  ///< reach or join, or null
};

/// All threads of the rank.
class Reader {
 public:
  Reader(const ScriptPart& part, ScriptGroups& groups, std::vector<ScriptLine>& lines)
      : part_(part), groups_(&groups), lines_(&lines) {}

  void read(const std::function<Task(Communicator)>& program) {
    thread_of(0).begin(program(Communicator(thread_of(0))));
    while (!thread_of(0).ended())
      if (!turns()) throw NoScript("its threads wait for each other without a clock");
  }

  const ScriptPart& part() const { return part_; }
  ScriptThread& thread_of(int index) {
    while (std::ssize(threads_) <= index)
      threads_.emplace_back(*this, static_cast<int>(threads_.size()));
    return threads_.begin()[index];
  }
  std::size_t& raised(Flag flag) { return raised_.grown(flag.index); }
  void write(const ScriptLine& line, ToldCall* call) {
    lines_->push_back(line);
    if (call == nullptr || line.peer < 0) return;
    ++call->messages;
    call->items += line.size;
  }
  void split(SplitCall& call) {
    if (call.sides == nullptr) throw NoScript("its ranks choose their groups at run time");
    groups_->call(call, 0, part_);
  }
  /// The block as any rank sees it: communicators by the order in which the rank comes to them.
  Block numbered(Block block) {
    if (block.communicator == 0) return block;
    const auto found = std::ranges::find(communicators_, block.communicator);
    const auto place = found - communicators_.begin();
    if (found == communicators_.end()) communicators_.push_back(block.communicator);
    block.communicator = 1 + static_cast<int>(place);
    return block;
  }
  int further(int peer) const { return (peer - part_.rank + part_.size) % part_.size; }

  std::map<CallKey, ToldCall> told;

 private:
  bool turns() {
    bool any = false;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      ScriptThread& thread = threads_[i];
      if (!thread.in_use() || thread.ended() || !thread.may_go_on()) continue;
      thread.turn();
      any = true;
    }
    return any;
  }

  const ScriptPart part_;
  ScriptGroups* groups_;
  std::deque<ScriptThread> threads_;
  Table<std::size_t> raised_;
  std::vector<int> communicators_;
  std::vector<ScriptLine>* lines_;
};

int ScriptThread::rank() const { return reader_->part().rank; }
int ScriptThread::size() const { return reader_->part().size; }
Executor& ScriptThread::thread(int index) { return reader_->thread_of(index); }

void ScriptThread::write(const Operation& operation) {
  ScriptLine line{.verb = operation.verb,
                  .thread = index_,
                  .tag = operation.tag.number,
                  .context = operation.tag.context,
                  .size = operation.range.size,
                  .other_size = operation.other.size,
                  .seconds = operation.time.count(),
                  .block = reader_->numbered(operation.block)};
  switch (operation.verb) {
    case Verb::wait_any:
      line.size = operation.requests.size();
      if (reader_->part().first_of_any) break;
      [[fallthrough]];
    case Verb::test:
      throw NoScript("its program depends on what comes first");
    case Verb::multicast:
      throw NoScript("it multicasts");
    case Verb::split:
      reader_->split(*operation.split);
      return;
    case Verb::sendrecv:
      line.other_peer = reader_->further(operation.other_peer);
      [[fallthrough]];
    case Verb::isend:
    case Verb::irecv:
    case Verb::send:
    case Verb::recv:
      if (operation.peer == any_source) throw NoScript("it receives from anybody");
      line.peer = reader_->further(operation.peer);
      break;
    case Verb::wait:
    case Verb::wait_all:
      line.size = operation.requests.size();
      break;
    case Verb::load:
    case Verb::store:
    case Verb::reach:
      line.size = operation.count;
      line.tag = operation.flag.index;
      break;
    case Verb::join:
      line.tag = operation.thread.index;
      break;
    case Verb::reduce:
      line.tag = static_cast<int>(operation.count);
      break;
    case Verb::meet:
      reader_->told.at(key_of(*operation.call)).write_to(line);
      break;
    case Verb::copy:
    case Verb::compute:
    case Verb::sleep:
      break;
  }
  reader_->write(line, call_);
}

int ScriptThread::next_step(int step, AlikeSteps all) {
  if (!all.of_equal_chunks) return step + 1;
  reader_->write({.thread = index_, .equal_steps = all.count}, call_);
  return all.count;
}

Request ScriptThread::post(const Operation& operation) {
  write(operation);
  return {0};
}

bool ScriptThread::perform(Operation& operation, std::coroutine_handle<> waiter) {
  write(operation);
  operation.result = static_cast<int>(std::min<std::size_t>(operation.range.size, INT_MAX));
  if (operation.verb == Verb::meet) operation.result = 1;
  if (operation.verb == Verb::wait_any) operation.result = 0;
  const bool waits = operation.verb == Verb::reach || operation.verb == Verb::join;
  if (!waits && operation.verb != Verb::sleep) return false;
  waits_ = waits ? &operation : nullptr;
  waiter_ = waiter;
  return true;
}

bool ScriptThread::may_go_on() const {
  if (waits_ == nullptr) return true;
  if (waits_->verb == Verb::reach) return reader_->raised(waits_->flag) >= waits_->count;
  return reader_->thread_of(waits_->thread.index).ended();
}

void ScriptThread::turn() {
  if (!begun_) {
    begun_ = true;
    task_->start();
  } else {
    if (waits_ != nullptr && waits_->verb == Verb::join)
      reader_->thread_of(waits_->thread.index).leave();
    waits_ = nullptr;
    std::exchange(waiter_, {}).resume();
  }
  if (!task_->done()) return;
  ended_ = true;
  task_->rethrow();
}

void ScriptThread::begin(Task body, ToldCall* call) {
  task_.emplace(std::move(body));
  call_ = call;
  begun_ = ended_ = false;
  waits_ = nullptr;
}

int ScriptThread::next_free(Beside how) {
  int index = how == Beside::thread ? 1 : reader_->part().threads;
  while (reader_->thread_of(index).in_use()) ++index;
  return index;
}

Thread ScriptThread::start(Task body, Beside how) {
  const int index = next_free(how);
  reader_->thread_of(index).begin(std::move(body), call_);
  return {index};
}

// A call within one that is told is a part of that.
bool ScriptThread::may_know(const GroupCall& call) {
  if (!reader_->part().calls_once || call_ != nullptr) return false;
  const int number = static_cast<int>(reader_->told.size());
  const auto [at, is_first] = reader_->told.try_emplace(key_of(call), ToldCall{number});
  if (is_first) call_ = &at->second;
  return !is_first;
}

void ScriptThread::has_ended(const GroupCall& call) {
  const auto found = reader_->told.find(key_of(call));
  if (found != reader_->told.end() && &found->second == call_) call_ = nullptr;
}

void ScriptThread::raise(Flag flag) { ++reader_->raised(flag); }

/// Sizes are equal, or differ by one item, as those of chunks do where the ranks do not divide the
/// whole, and a message is sent in the same way.
bool nearly_equal(const Scenario& scenario, std::size_t a, std::size_t b) {
  if (a == b) return true;
  const std::size_t less = std::min(a, b), more = std::max(a, b);
  if (more - less > 1) return false;
  return std::ranges::all_of(scenario.library.transports, [&](const Transport& transport) {
    const std::uint64_t limit = transport.eager_limit.count;
    if (less <= limit && more > limit) return false;
    const SizedTime* times[] = {&transport.latency, &transport.send_overhead,
                                &transport.recv_overhead, &transport.registration};
    return std::ranges::all_of(times, [&](const SizedTime* time) {
      const double before = time->at(less), after = time->at(more);
      return std::abs(after - before) <= most_uneven * after;
    });
  });
}

}  // namespace

void write_script(const Job& job, const Options& options, const Orbits& orbits, int rank,
                  ScriptGroups& groups, bool first_of_any, std::vector<ScriptLine>& room) {
  const Workspace work = workspace(job, options, orbits.ranks);
  const LlmStep* llm = job.training != nullptr ? job.training->llm.get() : nullptr;
  const ScriptPart part = {rank, orbits.ranks, threads_of(*job.algorithm, job.options),
                           first_of_any,
                           !first_of_any && llm != nullptr && llm->experts.ranks == 1};
  room.clear();
  Reader(part, groups, room).read([&](Communicator comm) {
    return job_program(job, options, orbits.as_numbered(comm), work);
  });
}

std::optional<double> unevenness(const Scenario& scenario, const std::vector<ScriptLine>& ours,
                                 const std::vector<ScriptLine>& theirs) {
  if (ours.size() != theirs.size()) return {};
  double messages = 0, items = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const bool told = ours[i].verb == Verb::meet;  // before, and compared there
    ScriptLine same = theirs[i];
    for (const auto size : {&ScriptLine::size, &ScriptLine::other_size}) {
      if (!told && !nearly_equal(scenario, ours[i].*size, theirs[i].*size)) return {};
      same.*size = ours[i].*size;
    }
    if (same != ours[i]) return {};
    if (ours[i].peer < 0 && !told) continue;
    messages += told ? static_cast<double>(ours[i].size) : 1;
    items += static_cast<double>(told ? ours[i].other_size : ours[i].size);
  }
  const double share = messages / std::max(items, 1.0);
  if (share > most_uneven) return {};
  return share;
}

}  // namespace ringscope::sim
