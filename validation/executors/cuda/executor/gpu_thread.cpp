// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/executor/gpu_thread.hpp"

#include <fmt/format.h>

#include "algorithms/loopback/posts.hpp"
#include "validation/executors/cuda/executor/cuda_executor.hpp"

namespace ringscope::cuda {
namespace {

std::string need(const Slot& slot) {
  const Operation& posted = slot.operation;
  const std::string items =
      fmt::format("{} item{}", posted.range.size, posted.range.size == 1 ? "" : "s");
  const std::string_view state = slot.matched ? "under way" : "no match yet";
  if (posted.verb == Verb::isend)
    return fmt::format("rank {} to receive {} ({})", posted.peer, items, state);
  const std::string peer =
      posted.peer == any_source ? "any rank" : fmt::format("rank {}", posted.peer);
  return fmt::format("{} from {} ({})", items, peer, state);
}

}  // namespace

GpuThread& Rank::thread(CudaExecutor& world, int index) {
  while (std::ssize(threads) <= index)
    threads.emplace_back(world, *this, static_cast<int>(threads.size()));
  return threads.begin()[index];
}

float* Rank::place(const Range& range) const {
  assert(range.offset + range.size <= (range.buffer == Buffer::data ? items : scratch_items));
  return memory[range.buffer == Buffer::data ? 0 : 1].floats() + range.offset;
}

void Rank::reset() {
  threads.clear();
  slots = {};
  posted.clear();
  arrived.clear();
  raised.clear();
  seconds = {};
  writes.clear();
}

int GpuThread::rank() const { return rank_.number(); }
int GpuThread::size() const { return world_.size(); }

/// Reports failures of the GPU meanwhile as this rank's, here.
template <typename Calls>
void GpuThread::with_place(Calls calls) {
  try {
    calls();
  } catch (const GpuError& error) {
    throw at_rank(error, rank(), place());
  }
}

GpuError at_rank(const GpuError& error, int rank, const std::string& place) {
  const std::string why = std::string(error.what()).substr(error.call().size() + 2);
  return GpuError(error.call(), fmt::format("{}; rank {} was in {}", why, rank, place));
}

Request GpuThread::post(const Operation& operation) {
  whereabouts_.enter(operation);
  rank_.writes.note(operation, whereabouts_.phase(), whereabouts_.step());
  Request posted;
  with_place([&] { posted = post_slot(operation); });
  return posted;
}

Request GpuThread::post_slot(const Operation& operation) {
  const int slot = rank_.slots.take();
  rank_.slots[slot] = {.operation = operation};
  if (operation.verb == Verb::isend)
    world_.post_send(rank_, slot);
  else
    world_.post_receive(rank_, slot);
  return {slot};
}

bool GpuThread::perform(Operation& operation, std::coroutine_handle<> waiter) {
  whereabouts_.enter(operation);
  rank_.writes.note(operation, whereabouts_.phase(), whereabouts_.step());
  operation_ = &operation;
  waiter_ = waiter;
  entered_ = world_.gpus_.now();
  awaited_.assign(operation.requests.begin(), operation.requests.end());
  with_place([&] { put(operation); });
  if (operation.verb == Verb::test) return !test();
  if (!ready()) return true;
  finish();
  return false;
}

void GpuThread::put(const Operation& operation) {
  switch (operation.verb) {
    case Verb::send:
    case Verb::recv:
    case Verb::sendrecv:
    case Verb::multicast:
      return post_all(operation);
    case Verb::reduce:
    case Verb::copy:
    case Verb::compute:
      return work(operation);
    case Verb::sleep:
      wakes_at_ = entered_ + operation.time.count();
      world_.sleeping_.push_back(this);
      return;
    case Verb::split:
      for (GpuThread* one : world_.splits_.call(*operation.split, operation.peer, *this))
        if (one != this) one->wake();
      return;
    case Verb::wait:
    case Verb::wait_all:
    case Verb::wait_any:
    case Verb::test:
    case Verb::join:
    case Verb::reach:
    case Verb::load:
    case Verb::store:
      return;  // nothing to put: waits, and files that are not there
    default:
      throw std::logic_error(
          fmt::format("the replay on GPUs does not perform {}", name_of(operation.verb)));
  }
}

void GpuThread::post_all(const Operation& operation) {
  awaited_.clear();
  if (operation.verb == Verb::recv || operation.verb == Verb::sendrecv)
    awaited_.push_back(post_slot(irecv_of(operation)));
  if (operation.verb == Verb::send || operation.verb == Verb::sendrecv)
    awaited_.push_back(post_slot(isend_of(operation)));
  for (const int receiver : operation.receivers)
    awaited_.push_back(post_slot(
        {.verb = Verb::isend, .range = operation.range, .peer = receiver, .tag = operation.tag}));
}

void GpuThread::work(const Operation& operation) {
  const Endpoint& endpoint = rank_.endpoint;
  if (operation.verb == Verb::compute) {
    if (operation.time.count() <= 0) return;
    world_.gpus_.spin(endpoint.compute(), operation.time.count());
    return await_stream(endpoint.compute());
  }
  const std::size_t items = operation.range.size;
  if (items == 0) return;
  float* into = rank_.place(operation.range);
  const float* from = rank_.place(operation.other);
  if (operation.verb == Verb::reduce)
    world_.gpus_.reduce(endpoint.work(), into, from, items);
  else
    world_.gpus_.copy(endpoint.work(), into, from, items * sizeof(float));
  await_stream(endpoint.work());
}

void GpuThread::await_stream(Stream stream) {
  ++in_streams_;
  world_.completions_.when_done(stream, rank_.endpoint.gpu(), rank(), [this] {
    --in_streams_;
    wake();
  });
}

/// True when the thread may go on at once; else the others run first, or it might spin for ever.
bool GpuThread::test() {
  operation_->result = rank_.slot(awaited_[0]).complete ? 1 : 0;
  if (operation_->result == 1) {
    finish();
    return true;
  }
  world_.testing_.push_back(this);
  return false;
}

bool GpuThread::ready() const {
  const auto complete = [this](Request request) { return rank_.slot(request).complete; };
  switch (operation_->verb) {
    case Verb::join:
      return rank_.threads.begin()[operation_->thread.index].ended();
    case Verb::reach:
      return rank_.times_raised(operation_->flag) >= operation_->count;
    case Verb::sleep:
      return world_.gpus_.now() >= wakes_at_;
    case Verb::split:
      return operation_->split->group != nullptr;
    case Verb::wait_any:
      return std::ranges::any_of(awaited_, complete);
    default:
      return in_streams_ == 0 && std::ranges::all_of(awaited_, complete);
  }
}

void GpuThread::finish() {
  if (index_ == 0) rank_.seconds[operation_->verb] += world_.gpus_.now() - entered_;
  if (operation_->verb == Verb::sleep) {
    std::erase(world_.sleeping_, this);
  } else if (operation_->verb == Verb::join) {
    rank_.threads.begin()[operation_->thread.index].stop();
  } else if (operation_->verb == Verb::wait_any) {
    const auto first =
        std::ranges::find_if(awaited_, [this](Request one) { return rank_.slot(one).complete; });
    operation_->result = static_cast<int>(first - awaited_.begin());
    rank_.slots.release(first->slot);
  } else {
    for (const Request request : awaited_) {
      const Slot& done = rank_.slot(request);
      if (done.operation.verb == Verb::irecv) operation_->result = static_cast<int>(done.items);
      rank_.slots.release(request.slot);
    }
  }
  awaited_.clear();
  operation_ = nullptr;
}

int GpuThread::next_free(Beside how) {
  if (how == Beside::nonblocking)
    throw std::logic_error("our own non-blocking collective is not replayed on GPUs");
  int index = 1;
  while (rank_.thread(world_, index).in_use()) ++index;
  return index;
}

Thread GpuThread::start(Task body, Beside how) {
  const int index = next_free(how);
  rank_.thread(world_, index).begin(std::move(body));
  return {index};
}

Executor& GpuThread::thread(int index) { return rank_.thread(world_, index); }

void GpuThread::mark(Mark mark) {
  whereabouts_.mark(mark);
  if (world_.options_.phases) phases_.mark(mark, world_.gpus_.now());
}

void GpuThread::raise(Flag flag) {
  ++rank_.times_raised(flag);
  for (GpuThread& thread : rank_.threads) thread.wake();
}

void GpuThread::begin(Task body) {
  task_.emplace(std::move(body));
  waiter_ = nullptr;
  ended_ = false;
  world_.ready_.push_back(this);
}

void GpuThread::resume() {
  operation_ = nullptr;  // after a test it lives no longer than this call
  running_ = true;
  if (waiter_)
    waiter_.resume();
  else
    task_->start();
  running_ = false;
  if (!task_->done()) return;
  ended_ = true;
  if (world_.options_.phases) phases_.end(world_.gpus_.now());
  task_->rethrow();
  for (GpuThread& thread : rank_.threads) thread.wake();
}

void GpuThread::wake() {
  const bool blocked = operation_ != nullptr && operation_->verb != Verb::test;
  if (!blocked || running_ || !ready()) return;
  finish();
  world_.ready_.push_back(this);
}

std::string GpuThread::waits() const {
  std::string needs;
  if (in_streams_ > 0) needs = "its GPU";
  if (operation_ != nullptr && operation_->verb == Verb::split)
    needs = fmt::format("all {} ranks of its communicator to split it", operation_->split->size);
  const bool any = operation_ != nullptr && operation_->verb == Verb::wait_any;
  for (const Request request : awaited_) {
    const Slot& slot = rank_.slot(request);
    if (slot.complete) continue;
    needs += (needs.empty() ? "" : any ? " or " : " and ") + need(slot);
  }
  const std::string thread = index_ == 0 ? "" : fmt::format(" (thread {})", index_);
  return fmt::format("rank {}{} is in {}{}{}", rank(), thread, place(),
                     needs.empty() ? "" : ", waiting for ", needs);
}

}  // namespace ringscope::cuda
