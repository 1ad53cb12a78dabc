// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/testing/fake_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

namespace ringscope::cuda {
namespace {

bool inside(const void* memory, const std::byte* begin, std::size_t bytes) {
  const auto* place = static_cast<const std::byte*>(memory);
  return !std::less<>()(place, begin) && std::less<>()(place, begin + bytes);
}

// The clock of FakeGpus: what starts when, and what it does to the data.

constexpr double for_ever = std::numeric_limits<double>::infinity();
constexpr int rubbish = 0xff;

}  // namespace

FakeGpus::FakeGpus(FakeParameters parameters)
    : parameters_(std::move(parameters)),
      random_(parameters_.seed),
      allocated_(parameters_.gpus),
      used_(allocated_.size()) {}

GpuInfo FakeGpus::info(int gpu) const {
  const std::size_t used = allocated_[gpu];
  return {.name = "fake GPU",
          .bus_id = fmt::format("0000:{:02x}:00.0", gpu + 1),
          .driver = "fake driver 1.0, fake runtime 1.0",
          .major = 9,
          .minor = 0,
          .copy_engines = 2 * parameters_.copy_engines,
          .memory_bytes = parameters_.memory_bytes,
          .free_bytes = parameters_.memory_bytes - used};
}

bool FakeGpus::peer_access(int from, int to) const {
  return parameters_.peers.has(from) && parameters_.peers[from].has(to) &&
         parameters_.peers[from][to];
}

void FakeGpus::enable_peer_access(int from, int to) {
  enter("enable_peer_access");
  if (!peer_access(from, to))
    throw GpuError("enable_peer_access", fmt::format("GPU {} cannot reach GPU {}", from, to));
  peers_.emplace_back(from, to);
}

void FakeGpus::enter(const char* call) {
  if (fails_in_ > 0 && --fails_in_ == 0) throw GpuError(call, "told to fail");
  if (parameters_.call_s <= 0) return;
  const double until = now_ + parameters_.call_s;
  while (step(until)) {
  }
  now_ = until;
}

void* FakeGpus::allocate(int gpu, std::size_t bytes) {
  enter("allocate");
  std::size_t& allocated = allocated_[gpu];
  if (bytes > parameters_.memory_bytes - allocated) throw GpuError("allocate", "out of memory");
  Block block{std::make_unique<std::byte[]>(bytes + 1), bytes, gpu, HostMemory::pinned};
  std::byte* place = block.memory.get();
  std::memset(place, 0xff, bytes + 1);
  allocated += bytes;
  blocks_.emplace(place, std::move(block));
  return place;
}

void* FakeGpus::allocate_host(std::size_t bytes, HostMemory kind) {
  enter("allocate_host");
  Block block{std::make_unique<std::byte[]>(bytes + 1), bytes, -1, kind};
  std::byte* place = block.memory.get();
  std::memset(place, 0xff, bytes + 1);
  blocks_.emplace(place, std::move(block));
  return place;
}

bool FakeGpus::refers_to(const Operation& operation, const Block& block) const {
  const std::byte* begin = block.memory.get();
  return inside(operation.to, begin, block.bytes) || inside(operation.from, begin, block.bytes);
}

void FakeGpus::release(void* memory) {
  const auto found = blocks_.find(static_cast<const std::byte*>(memory));
  if (found == blocks_.end()) return;
  const auto in_use = [&](const Operation& operation) {
    return refers_to(operation, found->second);
  };
  const auto queued = [&](const Queue& queue) {
    return std::any_of(queue.operations.begin(), queue.operations.end(), in_use);
  };
  while (std::any_of(queues_.begin(), queues_.end(), queued) &&
         step(std::numeric_limits<double>::infinity())) {
  }
  // Operations that hang would never let go of it.
  for (Queue& queue : queues_)
    if (queued(queue)) queue.operations.clear();
  if (found->second.gpu >= 0) allocated_[found->second.gpu] -= found->second.bytes;
  blocks_.erase(found);
}

Stream FakeGpus::open_stream(int gpu) {
  enter("open_stream");
  queues_.push_back({.gpu = gpu, .operations = {}});
  return {static_cast<int>(queues_.size()) - 1};
}

Event FakeGpus::make_event(int gpu) {
  enter("make_event");
  const Event event{points_.take()};
  point(event) = {.gpu = gpu};
  return event;
}

void FakeGpus::close(Stream) {}  // its operations go on to their end

void FakeGpus::close(Event event) {
  if (event.index >= 0) points_.release(event.index);
}

const FakeGpus::Block* FakeGpus::block_of(const void* memory) const {
  auto after = blocks_.upper_bound(static_cast<const std::byte*>(memory));
  if (after == blocks_.begin()) return nullptr;
  const Block& block = (--after)->second;
  return inside(memory, after->first, block.bytes) ? &block : nullptr;
}

/// The GPU's memory that holds all of it, or throws.
const FakeGpus::Block& FakeGpus::whole_block(const char* call, const void* memory,
                                             std::size_t bytes) const {
  const Block* block = block_of(memory);
  if (block == nullptr ||
      !inside(static_cast<const std::byte*>(memory) + bytes, block->memory.get(), block->bytes + 1))
    throw GpuError(call, "an illegal memory access was encountered");
  return *block;
}

double FakeGpus::time_of_copy(int to_gpu, int from_gpu, bool pageable, std::size_t bytes) const {
  if (to_gpu < 0 && from_gpu < 0) return parameters_.pageable.seconds(bytes);
  if (pageable) return parameters_.pageable.seconds(bytes);
  if (to_gpu < 0) return parameters_.d2h.seconds(bytes);
  if (from_gpu < 0) return parameters_.h2d.seconds(bytes);
  if (to_gpu == from_gpu) return parameters_.d2d.seconds(bytes);
  const auto enabled = [this](int a, int b) {
    return std::find(peers_.begin(), peers_.end(), std::pair(a, b)) != peers_.end();
  };
  if (enabled(from_gpu, to_gpu) || enabled(to_gpu, from_gpu))
    return parameters_.peer.seconds(bytes);
  return parameters_.d2h.seconds(bytes) + parameters_.h2d.seconds(bytes);  // as the driver stages
}

FakeGpus::Operation FakeGpus::copy_of(void* to, const void* from, std::size_t bytes) const {
  const Block* target = block_of(to);
  const Block* source = block_of(from);
  if (target != nullptr) whole_block("copy", to, bytes);
  if (source != nullptr) whole_block("copy", from, bytes);
  const int to_gpu = target == nullptr ? -1 : target->gpu;
  const int from_gpu = source == nullptr ? -1 : source->gpu;
  const auto is_pageable = [](const Block* block) {
    return block == nullptr || (block->gpu < 0 && block->kind == HostMemory::pageable);
  };
  Operation copy{
      .kind = Kind::copy,
      .seconds = time_of_copy(to_gpu, from_gpu, is_pageable(target) || is_pageable(source), bytes),
      .to = static_cast<std::byte*>(to),
      .from = static_cast<const std::byte*>(from),
      .bytes = bytes};
  if (to_gpu == from_gpu && to_gpu >= 0) {
    copy.uses = {{to_gpu, Engine::memory}};
  } else {
    if (from_gpu >= 0) copy.uses.push_back({from_gpu, Engine::out});
    if (to_gpu >= 0) copy.uses.push_back({to_gpu, Engine::in});
  }
  return copy;
}

void FakeGpus::copy(Stream stream, void* to, const void* from, std::size_t bytes) {
  enter("copy");
  const auto pageable = [this](const void* memory) {
    const Block* block = block_of(memory);
    return block == nullptr || (block->gpu < 0 && block->kind == HostMemory::pageable);
  };
  const std::uint64_t number = put(stream, copy_of(to, from, bytes));
  if (pageable(to) || pageable(from)) finish_before_return(stream, number);
}

void FakeGpus::copy_peer(Stream stream, void* to, int to_gpu, const void* from, int from_gpu,
                         std::size_t bytes) {
  enter("copy_peer");
  if (whole_block("copy_peer", to, bytes).gpu != to_gpu ||
      whole_block("copy_peer", from, bytes).gpu != from_gpu)
    throw GpuError("copy_peer", "invalid argument: the memory is of another GPU");
  put(stream, copy_of(to, from, bytes));
}

void FakeGpus::reduce(Stream stream, float* into, const float* from, std::size_t items) {
  enter("reduce");
  const std::size_t bytes = items * sizeof(float);
  const int gpu = queue(stream).gpu;
  if (whole_block("reduce", into, bytes).gpu != gpu ||
      whole_block("reduce", from, bytes).gpu != gpu)
    throw GpuError("reduce", "an illegal memory access was encountered");
  put(stream, {.kind = Kind::reduce,
               .seconds = parameters_.reduce.seconds(bytes),
               .to = reinterpret_cast<std::byte*>(into),
               .from = reinterpret_cast<const std::byte*>(from),
               .bytes = bytes,
               .uses = {{gpu, Engine::memory}}});
}

void FakeGpus::spin(Stream stream, double seconds) {
  enter("spin");
  put(stream, {.kind = Kind::pause, .seconds = parameters_.launch_s + seconds});
}

void FakeGpus::launch(Stream stream) {
  enter("launch");
  put(stream, {.kind = Kind::pause, .seconds = parameters_.launch_s});
}

void FakeGpus::call(Stream stream, std::function<void()> function) {
  enter("call");
  put(stream,
      {.kind = Kind::call, .seconds = parameters_.callback_s, .function = std::move(function)});
}

void FakeGpus::record(Stream stream, Event event) {
  enter("record");
  if (queue(stream).gpu != point(event).gpu)
    throw GpuError("record", "invalid resource handle: the event is of another GPU");
  point(event).last = std::make_shared<Record>();
  put(stream, {.kind = Kind::record, .seconds = parameters_.event_s, .record = point(event).last});
}

void FakeGpus::wait(Stream stream, Event event) {
  enter("wait");
  if (forgets_waits_) return;
  put(stream, {.kind = Kind::wait, .record = point(event).last});
}

bool FakeGpus::reached(Event event) {
  enter("reached");
  settle();
  const auto& last = point(event).last;
  return last == nullptr || last->reached;
}

double FakeGpus::seconds_between(Event first, Event last) {
  enter("seconds_between");
  return point(last).last->at - point(first).last->at;
}

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
