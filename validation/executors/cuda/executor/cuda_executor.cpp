// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/executor/cuda_executor.hpp"

#include <fmt/format.h>

namespace ringscope::cuda {
namespace {

/// Calls for a rank while it is in no verb.
template <typename Calls>
void named(int rank, const char* place, Calls calls) {
  try {
    calls();
  } catch (const GpuError& error) {
    throw at_rank(error, rank, place);
  }
}

}  // namespace

CudaExecutor::CudaExecutor(Gpus& gpus, const std::vector<int>& gpu_of_rank,
                           const ExecutorOptions& options)
    : gpus_(gpus),
      options_(options),
      completions_(gpus, options.progress),
      transfers_(gpus, completions_, options.transfers, gpu_of_rank) {
  for (std::size_t rank = 0; rank < gpu_of_rank.size(); ++rank)
    ranks_.push_back(std::make_unique<Rank>(gpus, static_cast<int>(rank), gpu_of_rank[rank]));
  completions_.on_failure = [this](const GpuError& error, int number) {
    const Rank& of = rank(number);
    throw at_rank(error, number, of.threads.empty() ? "nothing" : of.threads.front().place());
  };
}

CudaExecutor::~CudaExecutor() { abandon(); }

void CudaExecutor::allocate(std::size_t items, std::size_t scratch_items) {
  bool staged = false;
  for (int from = 0; from < size(); ++from)
    for (int to = 0; to < size(); ++to) staged |= from != to && path(from, to) == Path::staged;
  for (const auto& one : ranks_) {
    one->memory.clear();
    one->items = items;
    one->scratch_items = scratch_items;
    named(one->number(), "the allocation of its buffers", [&] {
      for (const std::size_t count : {items, scratch_items})
        one->memory.emplace_back(gpus_, one->endpoint.gpu(),
                                 std::max<std::size_t>(count, 1) * sizeof(float));
      if (staged) transfers_.prepare(one->endpoint);
    });
  }
}

/// Returns when it is there.
void CudaExecutor::copy(Rank& rank, const char* when, void* to, const void* from,
                        std::size_t bytes) {
  if (bytes == 0) return;
  named(rank.number(), when, [&] {
    gpus_.copy(rank.endpoint.work(), to, from, bytes);
    const PooledEvent done = completions_.take(rank.endpoint.gpu());
    gpus_.record(rank.endpoint.work(), done.event);
    gpus_.synchronize(done.event);
    completions_.give(done);
  });
}

void CudaExecutor::fill(int number, std::span<const float> data) {
  Rank& to = rank(number);
  assert(data.size() == to.items);
  copy(to, "the start of a repetition", to.memory[0].bytes(), data.data(), data.size_bytes());
}

void CudaExecutor::read(int number, std::span<float> data) {
  Rank& from = rank(number);
  assert(data.size() == from.items);
  copy(from, "the end of a repetition", data.data(), from.memory[0].bytes(), data.size_bytes());
}

Path CudaExecutor::path(int from, int to) const {
  return transfers_.path(rank(from).endpoint.gpu(), rank(to).endpoint.gpu());
}

namespace {

bool fits(const Operation& receive, int source, Tag tag) {
  return receive.tag == tag && (receive.peer == any_source || receive.peer == source);
}

}  // namespace

void CudaExecutor::post_send(Rank& from, int slot) {
  const Operation& send = from.slot({slot}).operation;
  Rank& to = rank(send.peer);
  const auto waiting = std::ranges::find_if(to.posted, [&](int candidate) {
    return fits(to.slot({candidate}).operation, from.number(), send.tag);
  });
  if (waiting == to.posted.end()) {
    to.arrived.push_back({from.number(), slot});
    return;
  }
  const int receive = *waiting;
  to.posted.erase(waiting);
  match(from, slot, to, receive);
}

void CudaExecutor::post_receive(Rank& to, int slot) {
  const Operation& receive = to.slot({slot}).operation;
  const auto waiting = std::ranges::find_if(to.arrived, [&](const Rank::Arrived& one) {
    return fits(receive, one.source, rank(one.source).slot({one.slot}).operation.tag);
  });
  if (waiting == to.arrived.end()) {
    to.posted.push_back(slot);
    return;
  }
  const Rank::Arrived arrived = *waiting;
  to.arrived.erase(waiting);
  match(rank(arrived.source), arrived.slot, to, slot);
}

void CudaExecutor::match(Rank& from, int send_slot, Rank& to, int receive_slot) {
  Slot& send = from.slot({send_slot});
  Slot& receive = to.slot({receive_slot});
  send.matched = receive.matched = true;
  receive.items = send.operation.range.size;
  assert(receive.items <= receive.operation.range.size && "the loopback executor has checked that");
  const auto sent = [this, &from, send_slot] { complete(from, send_slot); };
  const auto received = [this, &to, receive_slot] { complete(to, receive_slot); };
  if (receive.items == 0) {
    sent();
    return received();
  }
  const auto bytes_at = [](const Rank& rank, const Operation& operation) {
    return reinterpret_cast<std::byte*>(rank.place(operation.range));
  };
  transfers_.start({&from.endpoint, bytes_at(from, send.operation)},
                   {&to.endpoint, bytes_at(to, receive.operation)}, receive.items * sizeof(float),
                   sent, received);
}

void CudaExecutor::complete(Rank& rank, int slot) {
  rank.slot({slot}).complete = true;
  for (GpuThread& thread : rank.threads) thread.wake();
}

void CudaExecutor::begin(const Algorithm& algorithm, const Options& options) {
  for (const auto& one : ranks_) one->reset();
  for (const auto& one : ranks_) {
    const Workspace work = {.data = {Buffer::data, 0, one->items},
                            .scratch = {Buffer::scratch, 0, one->scratch_items}};
    GpuThread& first = one->thread(*this, 0);
    first.begin(algorithm.run(Communicator(first), work, options));
  }
}

double CudaExecutor::run(const Algorithm& algorithm, const Options& options, double deadline) {
  abandon();
  begin(algorithm, options);
  const double begun = gpus_.now();
  try {
    for (run_ready(); !all_ended(); run_ready()) {
      if (completions_.advance() || wake_sleepers()) continue;
      check_not_stuck(begun, deadline);
      gpus_.idle();
      ready_.insert(ready_.end(), testing_.begin(), testing_.end());
      testing_.clear();
    }
  } catch (...) {
    abandon();
    throw;
  }
  return gpus_.now() - begun;
}

void CudaExecutor::run_ready() {
  while (!ready_.empty()) {
    GpuThread* next = ready_.front();
    ready_.pop_front();
    next->resume();
  }
}

bool CudaExecutor::wake_sleepers() {
  const std::vector<GpuThread*> sleepers = sleeping_;
  for (GpuThread* sleeper : sleepers) sleeper->wake();
  return sleeping_.size() < sleepers.size();
}

bool CudaExecutor::all_ended() const {
  return std::ranges::all_of(ranks_, [](const auto& one) { return one->threads.front().ended(); });
}

void CudaExecutor::check_not_stuck(double begun, double deadline) {
  const double now = gpus_.now();
  const bool nothing_comes = !completions_.waiting() && sleeping_.empty() && testing_.empty();
  if (nothing_comes)
    throw Stuck(fmt::format("deadlock at {:.6g} us: {}", (now - begun) * 1e6, waits()));
  if (now > deadline)
    throw Stuck(
        fmt::format("timeout {:.3g} s after the start of a repetition: {}", now - begun, waits()));
}

std::string CudaExecutor::waits() const {
  std::string text;
  for (const auto& one : ranks_)
    for (const GpuThread& thread : one->threads)
      if (thread.in_use() && !thread.ended()) text += (text.empty() ? "" : "; ") + thread.waits();
  return text;
}

std::string CudaExecutor::whereabouts() const {
  std::string text;
  for (const auto& one : ranks_)
    text += fmt::format("{}rank {} is in {}", text.empty() ? "" : "; ", one->number(),
                        one->threads.empty() ? "nothing yet" : one->threads.front().place());
  return text;
}

/// Drops the run before: nothing still to come of it must reach the next one's ranks.
void CudaExecutor::abandon() {
  completions_.forget();
  ready_.clear();
  testing_.clear();
  sleeping_.clear();
  splits_.clear();
}

}  // namespace ringscope::cuda
