// SPDX-License-Identifier: LGPL-2.1-or-later
// The clock of FakeGpus: what starts when, and what it does to the data.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "validation/executors/cuda/gpus/fake_gpus.hpp"

namespace ringscope::cuda {
namespace {

constexpr double for_ever = std::numeric_limits<double>::infinity();
constexpr int rubbish = 0xff;

}  // namespace

int& FakeGpus::used(const Use& use) { return used_[use.gpu][use.engine]; }

int FakeGpus::capacity(const Use& use) const {
  return use.engine == Engine::memory ? parameters_.memory_operations : parameters_.copy_engines;
}

std::uint64_t FakeGpus::put(Stream stream, Operation operation) {
  operation.number = ++operations_;
  operation.hangs = hangs_in_ > 0 && --hangs_in_ == 0;
  if (parameters_.jitter > 0)
    operation.seconds *=
        1 + parameters_.jitter * std::uniform_real_distribution<double>(0, 1)(random_);
  queue(stream).operations.push_back(std::move(operation));
  return operations_;
}

bool FakeGpus::can_begin(const Queue& queue) {
  if (queue.busy || queue.operations.empty()) return false;
  const Operation& first = queue.operations.front();
  if (first.kind == Kind::wait && first.record != nullptr && !first.record->reached) return false;
  return std::all_of(first.uses.begin(), first.uses.end(),
                     [this](const Use& use) { return used(use) < capacity(use); });
}

void FakeGpus::begin(Queue& queue) {
  Operation& operation = queue.operations.front();
  queue.busy = true;
  queue.ends = operation.hangs ? for_ever : now_ + operation.seconds;
  for (const Use& use : operation.uses) ++used(use);
  if (operation.bytes == 0) return;
  operation.read.assign(operation.from, operation.from + operation.bytes);
  if (operation.kind == Kind::reduce)
    operation.summed.assign(operation.to, operation.to + operation.bytes);
  std::memset(operation.to, rubbish, operation.bytes);
}

namespace {

/// True if all still holds what the start of an operation has left there.
bool untouched(const std::byte* memory, std::size_t bytes) {
  return std::all_of(memory, memory + bytes,
                     [](std::byte one) { return one == std::byte{rubbish}; });
}

void add(std::byte* to, const std::vector<std::byte>& into, const std::vector<std::byte>& from) {
  for (std::size_t place = 0; place < into.size(); place += sizeof(float)) {
    float sum = 0, more = 0;
    std::memcpy(&sum, &into[place], sizeof sum);
    std::memcpy(&more, &from[place], sizeof more);
    sum += more;
    std::memcpy(to + place, &sum, sizeof sum);
  }
}

}  // namespace

void FakeGpus::end(Queue& queue) {
  Operation operation = std::move(queue.operations.front());
  queue.operations.pop_front();
  queue.busy = false;
  for (const Use& use : operation.uses) --used(use);
  if (operation.kind == Kind::record) {
    *operation.record = {.reached = true, .at = now_};
  } else if (operation.kind == Kind::call) {
    operation.function();
  }
  if (operation.bytes == 0) return;
  // A rank that wrote there meanwhile did not wait: the rubbish stays.
  const bool alone = std::memcmp(operation.from, operation.read.data(), operation.bytes) == 0 &&
                     untouched(operation.to, operation.bytes);
  if (!alone)
    std::memset(operation.to, rubbish, operation.bytes);
  else if (operation.kind == Kind::reduce)
    add(operation.to, operation.summed, operation.read);
  else
    std::memcpy(operation.to, operation.read.data(), operation.bytes);
}

/// Starts and ends what can at this moment.
void FakeGpus::settle() {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Queue*> ready;
    for (Queue& queue : queues_)
      if (can_begin(queue)) ready.push_back(&queue);
    std::sort(ready.begin(), ready.end(), [](const Queue* a, const Queue* b) {
      return a->operations.front().number < b->operations.front().number;
    });
    if (parameters_.seed != 0) std::shuffle(ready.begin(), ready.end(), random_);
    for (Queue* queue : ready)
      if (can_begin(*queue)) begin(*queue), changed = true;
    for (Queue& queue : queues_)
      if (queue.busy && queue.ends <= now_) end(queue), changed = true;
  }
}

/// To the next end of an operation; false where none is to come until then.
bool FakeGpus::step(double until) {
  settle();
  double next = for_ever;
  for (const Queue& queue : queues_)
    if (queue.busy) next = std::min(next, queue.ends);
  if (next == for_ever || next > until) return false;
  now_ = next;
  settle();
  return true;
}

void FakeGpus::idle() {
  constexpr double while_nothing_happens_s = 1e-3;
  if (!step(for_ever)) now_ += while_nothing_happens_s;
}

void FakeGpus::synchronize(Event event) {
  enter("synchronize");
  const std::shared_ptr<Record> last = point(event).last;
  while (last != nullptr && !last->reached)
    if (!step(for_ever)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

/// Finishes a copy of pageable memory.
void FakeGpus::finish_before_return(Stream stream, std::uint64_t number) {
  const auto waiting = [&] {
    const auto& operations = queue(stream).operations;
    return !operations.empty() && operations.front().number <= number;
  };
  settle();
  while (waiting())
    if (!step(for_ever)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace ringscope::cuda
