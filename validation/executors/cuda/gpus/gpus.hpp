// SPDX-License-Identifier: LGPL-2.1-or-later
// The GPUs of this process behind a small interface: memory, streams of copies and kernels, events.
//
// CudaGpus performs it with the CUDA runtime; FakeGpus with host memory and a clock of its own, so
// that everything above is tested where there is no GPU. Whatever a GPU refuses throws GpuError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace ringscope::cuda {

struct GpuInfo {
  std::string name;          ///< "NVIDIA H200"
  std::string bus_id;        ///< "0000:19:00.0"
  std::string driver;        ///< driver and runtime versions, for the head of a measurement
  int major = 0, minor = 0;  ///< compute capability
  int copy_engines = 0;
  std::size_t memory_bytes = 0, free_bytes = 0;
};

enum class HostMemory : std::uint8_t { pinned, pageable };

/// A queue: what is put into it runs in order, beside what other streams do.
struct Stream {
  int index = -1;
};

/// A point in a stream, reached when all before it is done.
struct Event {
  int index = -1;
};

/// A call that a GPU refused or that failed on it: "cudaMemcpyAsync: an illegal memory access ...".
class GpuError : public std::runtime_error {
 public:
  GpuError(std::string call, const std::string& why)
      : std::runtime_error(call + ": " + why), call_(std::move(call)) {}
  const std::string& call() const { return call_; }

 private:
  std::string call_;
};

class Gpus {
 public:
  virtual ~Gpus() = default;

  virtual int count() const = 0;
  virtual GpuInfo info(int gpu) const = 0;
  /// True if a kernel or a copy on `from` may touch the memory of `to` directly.
  virtual bool peer_access(int from, int to) const = 0;
  /// Enables that access from now on, where it is possible. Again is no error.
  virtual void enable_peer_access(int from, int to) = 0;

  virtual void* allocate(int gpu, std::size_t bytes) = 0;
  virtual void* allocate_host(std::size_t bytes, HostMemory kind) = 0;
  /// Releases memory of either kind; null is no error. Waits for its last use. Never throws.
  virtual void release(void* memory) = 0;

  virtual Stream open_stream(int gpu) = 0;
  virtual Event make_event(int gpu) = 0;
  /// One that knows no time: less to record and to ask. Not for seconds_between.
  virtual Event make_timeless_event(int gpu) { return make_event(gpu); }
  /// Both give back what a closed one held; never throw.
  virtual void close(Stream stream) = 0;
  virtual void close(Event event) = 0;

  /// Between any two memories; which they are, the runtime sees from the addresses. From or to
  /// pageable memory the call may return only when the copy is done, as CUDA's does.
  virtual void copy(Stream stream, void* to, const void* from, std::size_t bytes) = 0;
  /// Between two GPUs, over the peer path where it is enabled.
  virtual void copy_peer(Stream stream, void* to, int to_gpu, const void* from, int from_gpu,
                         std::size_t bytes) = 0;
  /// into[i] += from[i]; both on the stream's GPU.
  virtual void reduce(Stream stream, float* into, const float* from, std::size_t items) = 0;
  /// A kernel that keeps the stream busy for this time: the compute of a program.
  virtual void spin(Stream stream, double seconds) = 0;
  /// A kernel that does nothing.
  virtual void launch(Stream stream) = 0;
  /// A function that the host runs when the stream comes to it. It must not call Gpus.
  virtual void call(Stream stream, std::function<void()> function) = 0;

  virtual void record(Stream stream, Event event) = 0;
  /// Work put into the stream from now on waits until the event's last record is reached.
  virtual void wait(Stream stream, Event event) = 0;
  /// True if its last record is reached. Throws what failed on the GPU meanwhile.
  virtual bool reached(Event event) = 0;
  /// Waits until it is reached, without polling.
  virtual void synchronize(Event event) = 0;
  /// Time from one event to the other, by the GPU's clock; both reached, of one GPU.
  virtual double seconds_between(Event first, Event last) = 0;

  /// Seconds on the clock by which all is measured: of the host; of a fake, its own.
  virtual double now() = 0;
  /// The caller has nothing to do but to wait: a fake's clock goes on to its next event.
  virtual void idle() = 0;
};

// Memory, streams and events that give themselves back.

/// Memory of a GPU, or of the host.
class Memory {
 public:
  Memory(Gpus& gpus, int gpu, std::size_t bytes)
      : gpus_(&gpus), place_(gpus.allocate(gpu, bytes)) {}
  Memory(Gpus& gpus, HostMemory kind, std::size_t bytes)
      : gpus_(&gpus), place_(gpus.allocate_host(bytes, kind)) {}
  Memory(Memory&& other) noexcept
      : gpus_(other.gpus_), place_(std::exchange(other.place_, nullptr)) {}
  Memory& operator=(Memory&&) = delete;
  ~Memory() { gpus_->release(place_); }

  std::byte* bytes() const { return static_cast<std::byte*>(place_); }
  float* floats() const { return static_cast<float*>(place_); }

 private:
  Gpus* gpus_;
  void* place_;
};

/// A stream with an event of its own.
class Lane {
 public:
  Lane(Gpus& gpus, int gpu)
      : gpus_(&gpus), stream_(gpus.open_stream(gpu)), event_(gpus.make_event(gpu)) {}
  Lane(Lane&& other) noexcept
      : gpus_(other.gpus_),
        stream_(std::exchange(other.stream_, {})),
        event_(std::exchange(other.event_, {})) {}
  Lane& operator=(Lane&&) = delete;
  ~Lane() {
    if (stream_.index >= 0) gpus_->close(stream_);
    if (event_.index >= 0) gpus_->close(event_);
  }

  Stream stream() const { return stream_; }
  Event event() const { return event_; }
  /// Waits until all that was put into the stream so far is done.
  void finish() const {
    gpus_->record(stream_, event_);
    gpus_->synchronize(event_);
  }

 private:
  Gpus* gpus_;
  Stream stream_;
  Event event_;
};

// The real GPUs of this machine, over the CUDA runtime.

/// Throws GpuError where there is no GPU, or no driver for it.
std::unique_ptr<Gpus> make_cuda_gpus();

/// The cudaStream_t of a stream of theirs, for libraries that put work of their own into it.
void* native_stream(const Gpus& gpus, Stream stream);

}  // namespace ringscope::cuda
