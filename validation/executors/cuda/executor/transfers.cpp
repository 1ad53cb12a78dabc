// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/executor/transfers.hpp"

#include <algorithm>

namespace ringscope::cuda {

Completions::~Completions() {
  forget();
  give(any_);
  for (const std::vector<Event>& events : pool_)
    for (const Event event : events) gpus_.close(event);
}

void Completions::forget() {
  for (const Awaited& awaited : awaited_) give(awaited.reached);
  awaited_.clear();
  calls_ = std::make_shared<Calls>();  // calls still to come keep the old ones
  called_for_ = 0;
}

PooledEvent Completions::take(int gpu) {
  std::vector<Event>& pool = pool_.grown(gpu);
  if (pool.empty()) return {gpus_.make_timeless_event(gpu), gpu};
  const Event event = pool.back();
  pool.pop_back();
  return {event, gpu};
}

void Completions::give(PooledEvent event) {
  if (event.gpu >= 0) pool_[event.gpu].push_back(event.event);
}

void Completions::when_done(Stream stream, int gpu, int rank, std::function<void()> then) {
  last_rank_ = rank;
  if (by_ == ProgressBy::callbacks) {
    if (any_.gpu < 0) any_ = take(gpu);
    gpus_.call(stream, [calls = calls_, due = std::move(then)] {
      const std::lock_guard guard(calls->mutex);
      calls->due.push_back(due);
    });
    ++called_for_;
    return;
  }
  const PooledEvent reached = take(gpu);
  gpus_.record(stream, reached.event);
  awaited_.push_back({reached, rank, std::move(then)});
}

bool Completions::advance() { return by_ == ProgressBy::polling ? poll() : answer_calls(); }

bool Completions::ask(const Awaited& awaited) {
  try {
    return gpus_.reached(awaited.reached.event);
  } catch (const GpuError& error) {
    if (on_failure) on_failure(error, awaited.rank);
    throw;
  }
}

bool Completions::poll() {
  std::vector<std::function<void()>> due;
  for (auto one = awaited_.begin(); one != awaited_.end();) {
    if (!ask(*one)) {
      ++one;
      continue;
    }
    due.push_back(std::move(one->then));
    give(one->reached);
    one = awaited_.erase(one);
  }
  for (const auto& then : due) then();
  return !due.empty();
}

bool Completions::answer_calls() {
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard guard(calls_->mutex);
    due.swap(calls_->due);
  }
  called_for_ -= due.size();
  for (const auto& then : due) then();
  if (due.empty() && called_for_ > 0) look_for_failures();
  return !due.empty();
}

// After a failure the runtime makes no calls any more: only asking shows it.
void Completions::look_for_failures() {
  constexpr int often = 4096;
  if (++fruitless_ % often != 0) return;
  ask({any_, last_rank_, {}});
}

Endpoint::Endpoint(Gpus& gpus, int rank, int gpu)
    : gpus_(gpus),
      rank_(rank),
      gpu_(gpu),
      out_(gpus.open_stream(gpu)),
      in_(gpus.open_stream(gpu)),
      work_(gpus.open_stream(gpu)),
      compute_(gpus.open_stream(gpu)) {}

Endpoint::~Endpoint() {
  for (const Stream stream : {out_, in_, work_, compute_}) gpus_.close(stream);
  for (const Buffer& buffer : buffers_)
    if (buffer.drained.gpu >= 0) gpus_.close(buffer.drained.event);
}

Transfers::Transfers(Gpus& gpus, Completions& completions, const TransferOptions& options,
                     const std::vector<int>& gpus_in_use)
    : gpus_(gpus), completions_(completions), options_(options) {
  if (options.always_staged) return;
  std::vector<int> distinct = gpus_in_use;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const int from : distinct)
    for (const int to : distinct)
      if (from != to && gpus.peer_access(from, to)) gpus.enable_peer_access(from, to);
}

Path Transfers::path(int from_gpu, int to_gpu) const {
  if (options_.always_staged) return Path::staged;
  if (from_gpu == to_gpu) return Path::device;
  return gpus_.peer_access(from_gpu, to_gpu) ? Path::peer : Path::staged;
}

void Transfers::prepare(Endpoint& from) {
  while (std::ssize(from.buffers_) < options_.buffers)
    from.buffers_.push_back({Memory(gpus_, options_.host_memory, options_.segment_bytes), {}});
}

void Transfers::start(TransferEnd from, TransferEnd to, std::size_t bytes,
                      std::function<void()> sent, std::function<void()> received) {
  Endpoint& sender = *from.endpoint;
  const Endpoint& receiver = *to.endpoint;
  const Path way = path(sender.gpu(), receiver.gpu());
  if (way == Path::staged) {
    stage(from, to, bytes);
    completions_.when_done(sender.out(), sender.gpu(), sender.rank(), std::move(sent));
    completions_.when_done(receiver.in(), receiver.gpu(), receiver.rank(), std::move(received));
    return;
  }
  if (way == Path::device)
    gpus_.copy(sender.out(), to.place, from.place, bytes);
  else
    gpus_.copy_peer(sender.out(), to.place, receiver.gpu(), from.place, sender.gpu(), bytes);
  completions_.when_done(sender.out(), sender.gpu(), sender.rank(),
                         [first = std::move(sent), then = std::move(received)] {
                           first();
                           then();
                         });
}

// A segment goes into host memory on the sender's stream and out of it on the receiver's; the next
// one follows while there is a buffer that the receiver has emptied.
void Transfers::stage(TransferEnd from, TransferEnd to, std::size_t bytes) {
  Endpoint& sender = *from.endpoint;
  const Endpoint& receiver = *to.endpoint;
  prepare(sender);
  for (std::size_t offset = 0; offset < bytes; offset += options_.segment_bytes) {
    const std::size_t size = std::min(options_.segment_bytes, bytes - offset);
    Endpoint::Buffer& buffer = sender.buffers_[sender.next_buffer_++ % sender.buffers_.size()];
    if (buffer.drained.gpu >= 0) {
      gpus_.wait(sender.out(), buffer.drained.event);
      completions_.give(std::exchange(buffer.drained, {}));
    }
    gpus_.copy(sender.out(), buffer.memory.bytes(), from.place + offset, size);
    const PooledEvent filled = completions_.take(sender.gpu());
    gpus_.record(sender.out(), filled.event);
    gpus_.wait(receiver.in(), filled.event);
    completions_.give(filled);
    gpus_.copy(receiver.in(), to.place + offset, buffer.memory.bytes(), size);
    buffer.drained = completions_.take(receiver.gpu());
    gpus_.record(receiver.in(), buffer.drained.event);
  }
}

}  // namespace ringscope::cuda
