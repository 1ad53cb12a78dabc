// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory, streams and events that give themselves back.
#pragma once

#include <utility>

#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {

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

}  // namespace ringscope::cuda
