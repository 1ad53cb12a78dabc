#include "validation/mpi/mpi_executor.hpp"

#include <algorithm>
#include <cassert>

namespace ringscope::mpi {
namespace {

int as_int(std::size_t count) { return static_cast<int>(count); }

}  // namespace

MpiExecutor::MpiExecutor(MPI_Comm comm, Vectors& vectors, int threads, int index)
    : comm_(comm), vectors_(&vectors), first_(this) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  for (int i = 1; index == 0 && i < threads; ++i) {
    others_.push_back(std::make_unique<MpiExecutor>(comm, vectors, threads, i));
    others_.back()->first_ = this;
  }
}

std::span<float> MpiExecutor::items(Range range) const {
  std::vector<float>& vector = range.buffer == Buffer::data ? vectors_->data : vectors_->scratch;
  assert(range.offset + range.size <= vector.size());
  return std::span(vector).subspan(range.offset, range.size);
}

int MpiExecutor::take_slot() {
  if (free_slots_.empty()) {
    requests_.push_back(MPI_REQUEST_NULL);
    return as_int(requests_.size()) - 1;
  }
  const int slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void MpiExecutor::free_slots(std::span<const Request> requests) {
  for (const Request freed : requests) free_slots_.push_back(freed.slot);
}

Request MpiExecutor::post(const Operation& operation) {
  const Request posted{take_slot()};
  const std::span<float> range = items(operation.range);
  whereabouts_.verb = operation.verb;
  whereabouts_.peer = operation.peer;
  const double start = MPI_Wtime();
  if (operation.verb == Verb::isend)
    MPI_Isend(range.data(), as_int(range.size()), MPI_FLOAT, operation.peer, operation.tag, comm_,
              &request(posted));
  else
    MPI_Irecv(range.data(), as_int(range.size()), MPI_FLOAT,
              operation.peer == any_source ? MPI_ANY_SOURCE : operation.peer, operation.tag, comm_,
              &request(posted));
  seconds_[static_cast<std::size_t>(operation.verb)] += MPI_Wtime() - start;
  return posted;
}

bool MpiExecutor::perform(Operation& operation, std::coroutine_handle<>) {
  whereabouts_.verb = operation.verb;
  whereabouts_.peer = operation.peer;
  const double start = MPI_Wtime();
  call(operation);
  seconds_[static_cast<std::size_t>(operation.verb)] += MPI_Wtime() - start;
  return false;
}

void MpiExecutor::call(Operation& operation) {
  const std::span<float> range = items(operation.range), other = items(operation.other);
  const int source = operation.peer == any_source ? MPI_ANY_SOURCE : operation.peer;
  switch (operation.verb) {
    case Verb::send:
      MPI_Send(range.data(), as_int(range.size()), MPI_FLOAT, operation.peer, operation.tag, comm_);
      return;
    case Verb::recv:
      MPI_Recv(range.data(), as_int(range.size()), MPI_FLOAT, source, operation.tag, comm_,
               MPI_STATUS_IGNORE);
      return;
    case Verb::sendrecv:
      MPI_Sendrecv(range.data(), as_int(range.size()), MPI_FLOAT, operation.peer, operation.tag,
                   other.data(), as_int(other.size()), MPI_FLOAT, operation.other_peer,
                   operation.tag, comm_, MPI_STATUS_IGNORE);
      return;
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
      return compute(operation.time);
    case Verb::join: {
      MpiExecutor& joined = static_cast<MpiExecutor&>(thread(operation.thread.index));
      joined.running_.join();
      joined.in_use_ = false;
      return;
    }
    case Verb::isend:
    case Verb::irecv:
      assert(false && "isend and irecv are posted");
  }
}

void MpiExecutor::wait(Operation& operation) {
  const std::span<const Request> waited = operation.requests;
  if (operation.verb == Verb::test) {
    MPI_Test(&request(waited.front()), &operation.result, MPI_STATUS_IGNORE);
    if (operation.result != 0) free_slots(waited.first(1));
    return;
  }
  // MPI wants its requests side by side; the text's may lie anywhere.
  std::vector<MPI_Request> requests;
  for (const Request one : waited) requests.push_back(request(one));
  if (operation.verb == Verb::wait) {
    MPI_Wait(requests.data(), MPI_STATUS_IGNORE);
  } else if (operation.verb == Verb::wait_all) {
    MPI_Waitall(as_int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  } else {
    MPI_Waitany(as_int(requests.size()), requests.data(), &operation.result, MPI_STATUS_IGNORE);
    return free_slots(waited.subspan(static_cast<std::size_t>(operation.result), 1));
  }
  free_slots(waited);
}

// Keeps the core busy and MPI alone, as a computation does.
void MpiExecutor::compute(Duration time) const {
  const double end = MPI_Wtime() + time.count();
  while (MPI_Wtime() < end) continue;
}

Thread MpiExecutor::start(Task body) {
  int index = 1;
  while (static_cast<MpiExecutor&>(thread(index)).in_use_) ++index;
  MpiExecutor& started = static_cast<MpiExecutor&>(thread(index));
  started.in_use_ = true;
  started.running_ =
      std::thread([&started, text = std::move(body)]() mutable { started.run(std::move(text)); });
  return {index};
}

Executor& MpiExecutor::thread(int index) {
  if (index == 0) return *first_;
  return *first_->others_.at(static_cast<std::size_t>(index) - 1);
}

void MpiExecutor::mark(Mark mark) {
  whereabouts_.phase = mark.phase;
  whereabouts_.step = mark.step;
}

void MpiExecutor::run(Task text) {
  text.start();
  assert(text.done() && "no verb of this executor suspends");
  text.rethrow();
}

void MpiExecutor::reset() {
  seconds_ = {};
  whereabouts_ = {};
}

}  // namespace ringscope::mpi
