// SPDX-License-Identifier: LGPL-2.1-or-later
// GPUs that are not there: host memory, and a clock that goes on only while somebody waits.
//
// Between its start and its end an operation leaves its target full of rubbish (NaN, as floats),
// and what it read must not have changed meanwhile: who does not wait for it gets wrong data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/pool.hpp"
#include "base/table.hpp"
#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {

struct FakeRate {
  double latency_s = 0, bytes_per_s = 1e9;
  double seconds(std::size_t bytes) const {
    return latency_s + static_cast<double>(bytes) / bytes_per_s;
  }
};

/// Times are what an operation keeps its stream busy for.
struct FakeParameters {
  int gpus = 1;
  FakeRate h2d{8e-6, 25e9}, d2h{9e-6, 24e9}, d2d{3e-6, 1e12}, peer{6e-6, 50e9};
  FakeRate pageable{12e-6, 6e9};  ///< of either direction
  FakeRate reduce{4e-6, 8e11};    ///< by the bytes of one vector
  double launch_s = 2.5e-6, event_s = 5e-7, callback_s = 5e-6;
  double call_s = 0;          ///< of the host, in each call
  int copy_engines = 1;       ///< of a GPU, for each direction: one copy each at a time
  int memory_operations = 1;  ///< of a GPU: copies inside it and reductions at a time
  std::size_t memory_bytes = std::size_t{1} << 30;
  /// [from][to]; empty: no GPU may touch another's memory.
  Table<Table<bool>> peers{};
  std::uint64_t seed =
      0;              ///< 0: what is ready starts in the order of the calls; else in a drawn one
  double jitter = 0;  ///< an operation takes up to this many times longer, drawn by the seed
};

class FakeGpus final : public Gpus {
 public:
  explicit FakeGpus(FakeParameters parameters);

  /// Call number `number` of this interface from now on, from 1, throws GpuError.
  void fail_call(std::uint64_t number) { fails_in_ = number; }
  /// Operation number `number` put into any stream from now on, from 1, never ends.
  void hang_operation(std::uint64_t number) { hangs_in_ = number; }
  /// Makes wait() do nothing from now on: as in a program that forgets an order between streams.
  void forget_waits() { forgets_waits_ = true; }
  const FakeParameters& parameters() const { return parameters_; }

  int count() const override { return parameters_.gpus; }
  GpuInfo info(int gpu) const override;
  bool peer_access(int from, int to) const override;
  void enable_peer_access(int from, int to) override;

  void* allocate(int gpu, std::size_t bytes) override;
  void* allocate_host(std::size_t bytes, HostMemory kind) override;
  void release(void* memory) override;

  Stream open_stream(int gpu) override;
  Event make_event(int gpu) override;
  void close(Stream stream) override;
  void close(Event event) override;

  void copy(Stream stream, void* to, const void* from, std::size_t bytes) override;
  void copy_peer(Stream stream, void* to, int to_gpu, const void* from, int from_gpu,
                 std::size_t bytes) override;
  void reduce(Stream stream, float* into, const float* from, std::size_t items) override;
  void spin(Stream stream, double seconds) override;
  void launch(Stream stream) override;
  void call(Stream stream, std::function<void()> function) override;

  void record(Stream stream, Event event) override;
  void wait(Stream stream, Event event) override;
  bool reached(Event event) override;
  /// Never returns where that cannot be, as the runtime does not.
  void synchronize(Event event) override;
  double seconds_between(Event first, Event last) override;

  double now() override { return now_; }
  /// Lets a millisecond pass where nothing is to come: so that a timeout ends.
  void idle() override;

 private:
  enum class Kind : std::uint8_t { copy, reduce, pause, call, record, wait };
  enum class Engine : std::uint8_t { in, out, memory };
  using Bytes = std::vector<std::byte>;

  struct Record {
    bool reached = false;
    double at = 0;
  };
  struct Use {
    int gpu;
    Engine engine;
  };
  struct Operation {
    Kind kind{};
    double seconds = 0;
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
    std::vector<Use> uses{};
    std::function<void()> function{};
    std::shared_ptr<Record> record{};  ///< record, wait: which of the event's
    bool hangs = false;
    std::uint64_t number = 0;
    Bytes read{}, summed{};  ///< contents when it started
  };
  struct Queue {
    int gpu = 0;
    std::deque<Operation> operations{};
    bool busy = false;  ///< with the first of them
    double ends = 0;
  };
  struct Point {
    int gpu = 0;
    std::shared_ptr<Record> last{};  ///< null: none, which counts as reached
  };
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes = 0;
    int gpu = -1;  ///< -1: of the host
    HostMemory kind = HostMemory::pinned;
  };

  Queue& queue(Stream stream) { return queues_.begin()[stream.index]; }
  Point& point(Event event) { return points_[event.index]; }
  const Block* block_of(const void* memory) const;
  const Block& whole_block(const char* call, const void* memory, std::size_t bytes) const;
  int& used(const Use& use);
  int capacity(const Use& use) const;

  void enter(const char* call);
  std::uint64_t put(Stream stream, Operation operation);
  Operation copy_of(void* to, const void* from, std::size_t bytes) const;
  double time_of_copy(int to_gpu, int from_gpu, bool pageable, std::size_t bytes) const;
  void finish_before_return(Stream stream, std::uint64_t number);

  void begin(Queue& queue);
  void end(Queue& queue);
  bool can_begin(const Queue& queue);
  void settle();
  bool step(double until);
  bool refers_to(const Operation& operation, const Block& block) const;

  FakeParameters parameters_;
  double now_ = 0;
  std::uint64_t fails_in_ = 0, hangs_in_ = 0, operations_ = 0;
  bool forgets_waits_ = false;
  std::mt19937_64 random_;
  std::map<const std::byte*, Block> blocks_;
  Table<std::size_t> allocated_;            ///< of each GPU
  Table<Array<int, 3>> used_;               ///< engines of each GPU, by Engine
  std::vector<std::pair<int, int>> peers_;  ///< enabled
  std::deque<Queue> queues_;                ///< closed ones too: a Stream is an index
  Pool<Point> points_;
};

}  // namespace ringscope::cuda
