// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/mpi_executor.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "validation/executors/mpi/clock.hpp"
#include "validation/executors/mpi/layout.hpp"

namespace ringscope::mpi {
namespace {

int as_int(std::size_t count) { return static_cast<int>(count); }

}  // namespace

MpiExecutor::MpiExecutor(MPI_Comm comm, Vectors& vectors, int threads, bool phases, int index)
    : own_splits_(comm),
      vectors_(&vectors),
      rank_(rank_of(comm)),
      size_(size_of(comm)),
      first_(this),
      times_phases_(phases) {
  for (int i = 1; index == 0 && i < threads; ++i) {
    others_.push_back(std::make_unique<MpiExecutor>(comm, vectors, threads, phases, i));
    others_.back()->first_ = this;
  }
}

std::span<float> MpiExecutor::items(Range range) const {
  std::vector<float>& vector = range.buffer == Buffer::data ? vectors_->data : vectors_->scratch;
  assert(range.offset + range.size <= vector.size());
  return std::span(vector).subspan(range.offset, range.size);
}

void MpiExecutor::free_slots(std::span<const Request> requests) {
  for (const Request freed : requests) requests_.release(freed.slot);
}

void MpiExecutor::enter(const Operation& operation) {
  whereabouts_.enter(operation);
  writes_.note(operation, whereabouts_.phase(), whereabouts_.step());
}

void MpiExecutor::leave(Verb verb, double entered) { seconds_[verb] += now_s() - entered; }

Request MpiExecutor::post(const Operation& operation) {
  const Request posted{requests_.take()};
  const std::span<float> range = items(operation.range);
  enter(operation);
  const auto [comm, peer] = place(operation.peer, operation.tag);
  const int tag = operation.tag.number;
  const double entered = now_s();
  if (operation.verb == Verb::isend)
    MPI_Isend(range.data(), as_int(range.size()), MPI_FLOAT, peer, tag, comm, &request(posted));
  else
    MPI_Irecv(range.data(), as_int(range.size()), MPI_FLOAT, peer, tag, comm, &request(posted));
  leave(operation.verb, entered);
  return posted;
}

bool MpiExecutor::perform(Operation& operation, std::coroutine_handle<>) {
  enter(operation);
  const double entered = now_s();
  call(operation);
  leave(operation.verb, entered);
  return false;
}

void MpiExecutor::call(Operation& operation) {
  const std::span<float> range = items(operation.range), other = items(operation.other);
  const int tag = operation.tag.number;
  MPI_Status status;
  switch (operation.verb) {
    case Verb::send: {
      const auto [comm, to] = place(operation.peer, operation.tag);
      MPI_Send(range.data(), as_int(range.size()), MPI_FLOAT, to, tag, comm);
      return;
    }
    case Verb::recv: {
      const auto [comm, from] = place(operation.peer, operation.tag);
      MPI_Recv(range.data(), as_int(range.size()), MPI_FLOAT, from, tag, comm, &status);
      MPI_Get_count(&status, MPI_FLOAT, &operation.result);
      return;
    }
    case Verb::sendrecv: {
      const auto [comm, to] = place(operation.peer, operation.tag);
      const int from = place(operation.other_peer, operation.tag).peer;
      MPI_Sendrecv(range.data(), as_int(range.size()), MPI_FLOAT, to, tag, other.data(),
                   as_int(other.size()), MPI_FLOAT, from, tag, comm, &status);
      MPI_Get_count(&status, MPI_FLOAT, &operation.result);
      return;
    }
    case Verb::split:
      return first_->own_splits_.split(*operation.split);
    case Verb::wait:
    case Verb::wait_all:
    case Verb::wait_any:
    case Verb::test:
      return wait(operation);
    case Verb::reduce:
      for (std::size_t i = 0; i < range.size(); ++i) range[i] += other[i];
      return;
    case Verb::copy:
      std::copy(other.begin(), other.end(), range.begin());
      return;
    case Verb::compute:
      return spin(operation.time.count());
    case Verb::join: {
      MpiExecutor& joined = static_cast<MpiExecutor&>(thread(operation.thread.index));
      joined.running_.join();
      joined.in_use_ = false;
      return;
    }
    case Verb::sleep:
      std::this_thread::sleep_for(operation.time);
      return;
    case Verb::load:
    case Verb::store:
      return;  // no files here: what they cost is for the simulator to say
    case Verb::reach:
      return reach(operation);
    case Verb::multicast:
      return multicast(operation);
    default:
      throw std::logic_error(
          fmt::format("the replay on MPI does not perform {}", name_of(operation.verb)));
  }
}

std::size_t& MpiExecutor::times_raised(Flag flag) { return raised_.grown(flag.index); }

void MpiExecutor::raise(Flag flag) {
  const std::lock_guard guard(first_->raising_);
  ++first_->times_raised(flag);
  first_->was_raised_.notify_all();
}

void MpiExecutor::reach(const Operation& operation) {
  std::unique_lock guard(first_->raising_);
  first_->was_raised_.wait(guard,
                           [&] { return first_->times_raised(operation.flag) >= operation.count; });
}

// MPI has no multicast between two groups of its choice: a message to each.
void MpiExecutor::multicast(const Operation& operation) {
  const std::span<float> range = items(operation.range);
  std::vector<MPI_Request> requests(operation.receivers.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto [comm, to] = place(operation.receivers[i], operation.tag);
    MPI_Isend(range.data(), as_int(range.size()), MPI_FLOAT, to, operation.tag.number, comm,
              &requests[i]);
  }
  MPI_Waitall(as_int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void MpiExecutor::wait(Operation& operation) {
  const std::span<const Request> waited = operation.requests;
  if (operation.verb == Verb::test) {
    MPI_Test(&request(waited.front()), &operation.result, MPI_STATUS_IGNORE);
    if (operation.result != 0) free_slots(waited.first(1));
    return;
  }
  // MPI wants its requests side by side; the program's may lie anywhere.
  std::vector<MPI_Request> requests;
  for (const Request one : waited) requests.push_back(request(one));
  if (operation.verb == Verb::wait) {
    MPI_Status status;
    MPI_Wait(requests.data(), &status);
    MPI_Get_count(&status, MPI_FLOAT, &operation.result);
  } else if (operation.verb == Verb::wait_all) {
    MPI_Waitall(as_int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  } else {
    MPI_Waitany(as_int(requests.size()), requests.data(), &operation.result, MPI_STATUS_IGNORE);
    return free_slots({&waited.begin()[operation.result], 1});
  }
  free_slots(waited);
}

int MpiExecutor::next_free(Beside how) {
  if (how == Beside::nonblocking)
    throw std::logic_error("our own non-blocking collective is not replayed on real MPI");
  int index = 1;
  while (static_cast<MpiExecutor&>(thread(index)).in_use_) ++index;
  return index;
}

Thread MpiExecutor::start(Task body, Beside how) {
  const int index = next_free(how);
  MpiExecutor& started = static_cast<MpiExecutor&>(thread(index));
  started.in_use_ = true;
  started.running_ =
      std::thread([&started, text = std::move(body)]() mutable { started.run(std::move(text)); });
  return {index};
}

Executor& MpiExecutor::thread(int index) {
  if (index == 0) return *first_;
  return *first_->others_.at(index - 1);
}

void MpiExecutor::mark(Mark mark) {
  whereabouts_.mark(mark);
  if (times_phases_) phases_.mark(mark, now_s());
}

void MpiExecutor::run(Task text) {
  text.start();
  if (times_phases_) phases_.end(now_s());
  assert(text.done() && "no call of this executor suspends");
  text.rethrow();
}

void MpiExecutor::reset() {
  seconds_ = {};
  phases_ = {};
  writes_.clear();
  raised_.clear();
  own_splits_.clear();
  whereabouts_.leave_phase();
  for (const auto& other : others_) other->reset();
}

double MpiExecutor::instrument_s() {
  constexpr int batches = 10, batch = 1000;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < batches; ++i) {
    reset();
    const double start = now_s();
    for (int j = 0; j < batch; ++j) {
      Operation nothing{.verb = Verb::copy};
      perform(nothing, nullptr);
    }
    least = std::min(least, (now_s() - start) / batch);
  }
  reset();
  return least;
}

std::vector<int> SplitCommunicators::ranks_of(MPI_Comm comm) const {
  const int size = size_of(comm);
  Table<int> own = numbers_below(size), of_all(size);
  MPI_Group here = MPI_GROUP_NULL, everybody = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &here);
  MPI_Comm_group(all_, &everybody);
  MPI_Group_translate_ranks(here, size, own.data(), everybody, of_all.data());
  MPI_Group_free(&here);
  MPI_Group_free(&everybody);
  return of_all;
}

/// A group that was named, not split, has no communicator of its own yet: MPI_COMM_NULL then.
MPI_Comm SplitCommunicators::parent_of(const SplitCall& call) {
  if (call.parent == nullptr) return all_;
  const std::lock_guard guard(adding_);
  const int context = call.parent->tag.context;
  if (context == 0) return MPI_COMM_NULL;
  const SplitComm& split = splits_.begin()[context - 1];
  return *split.ranks == *call.parent->ranks ? split.comm : MPI_COMM_NULL;
}

void SplitCommunicators::split(SplitCall& call) {
  MPI_Comm parent = parent_of(call);
  const bool made = parent == MPI_COMM_NULL;
  if (made) {
    MPI_Group everybody = MPI_GROUP_NULL, named = MPI_GROUP_NULL;
    MPI_Comm_group(all_, &everybody);
    MPI_Group_incl(everybody, call.size, call.parent->ranks->data(), &named);
    MPI_Comm_create_group(all_, named, call.parent->tag.number, &parent);
    MPI_Group_free(&named);
    MPI_Group_free(&everybody);
  }
  SplitComm split{};
  MPI_Comm_split(parent, call.colour, call.key, &split.comm);
  if (made) MPI_Comm_free(&parent);
  split.ranks = std::make_shared<const Table<int>>(ranks_of(split.comm));
  split.index = Table<int>(size_of(all_), MPI_UNDEFINED);
  for (std::size_t i = 0; i < split.ranks->size(); ++i)
    split.index[(*split.ranks)[i]] = static_cast<int>(i);
  const std::lock_guard guard(adding_);
  splits_.push_back(split);
  const int context = static_cast<int>(splits_.size());
  call.group =
      std::make_shared<const Group>(Group{split.ranks, rank_of(split.comm), {}, {0, context}});
}

SplitCommunicators::Place SplitCommunicators::place(int peer, Tag tag) {
  if (tag.context == 0) return {all_, peer == any_source ? MPI_ANY_SOURCE : peer};
  const std::lock_guard guard(adding_);
  const SplitComm& split = splits_.begin()[tag.context - 1];
  if (peer == any_source) return {split.comm, MPI_ANY_SOURCE};
  return {split.comm, split.index[peer]};
}

void SplitCommunicators::clear() {
  for (SplitComm& split : splits_) MPI_Comm_free(&split.comm);
  splits_.clear();
}

}  // namespace ringscope::mpi
