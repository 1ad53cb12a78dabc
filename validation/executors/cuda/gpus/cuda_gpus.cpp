// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/gpus/gpus.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "base/pool.hpp"
#include "validation/executors/cuda/gpus/kernels.cuh"

namespace ringscope::cuda {
namespace {

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // else a later call would report it once more
  throw GpuError(call, cudaGetErrorString(status));
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// "NVIDIA 580.65.06, CUDA 13.0, runtime 13.0".
std::string driver_text() {
  std::string module;
  std::getline(std::ifstream("/sys/module/nvidia/version"), module);
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return fmt::format("NVIDIA {}{}CUDA {}, runtime {}", module, module.empty() ? "" : ", ",
                     version_text(driver), version_text(runtime));
}

int attribute(cudaDeviceAttr which, int gpu) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, gpu), "cudaDeviceGetAttribute");
  return value;
}

void CUDART_CB run_function(void* data) {
  const std::unique_ptr<std::function<void()>> function(static_cast<std::function<void()>*>(data));
  (*function)();
}

class CudaGpus final : public Gpus {
 public:
  CudaGpus() {
    int gpus = 0;
    check(cudaGetDeviceCount(&gpus), "cudaGetDeviceCount");
    if (gpus == 0) throw GpuError("cudaGetDeviceCount", "there is none");
    for (int gpu = 0; gpu < gpus; ++gpu)
      limits_.push_back({.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, gpu)});
  }

  ~CudaGpus() override {
    for (const cudaEvent_t event : events_)
      if (event != nullptr) cudaEventDestroy(event);
    for (const Queue& queue : queues_)
      if (queue.stream != nullptr) cudaStreamDestroy(queue.stream);
    while (!memory_.empty()) release(memory_.begin()->first);
  }

  CudaGpus& operator=(CudaGpus&&) = delete;  ///< neither copied nor moved

  int count() const override { return static_cast<int>(limits_.size()); }
  GpuInfo info(int gpu) const override {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
    std::array<char, 32> bus{};
    check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), gpu),
          "cudaDeviceGetPCIBusId");
    use(gpu);
    GpuInfo info{.name = properties.name,
                 .bus_id = bus.data(),
                 .driver = driver_text(),
                 .major = properties.major,
                 .minor = properties.minor,
                 .copy_engines = properties.asyncEngineCount};
    check(cudaMemGetInfo(&info.free_bytes, &info.memory_bytes), "cudaMemGetInfo");
    return info;
  }

  bool peer_access(int from, int to) const override {
    int can = 0;
    check(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
    return can != 0;
  }

  void enable_peer_access(int from, int to) override {
    use(from);
    const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
      cudaGetLastError();
    else
      check(status, "cudaDeviceEnablePeerAccess");
  }

  void* allocate(int gpu, std::size_t bytes) override {
    use(gpu);
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
    if (memory != nullptr) memory_.emplace(memory, Memory::gpu);
    return memory;
  }

  void* allocate_host(std::size_t bytes, HostMemory kind) override {
    constexpr std::size_t page = 4096;
    void* memory = nullptr;
    if (kind == HostMemory::pinned) {
      // Portable: every GPU copies to and from it as from pinned memory.
      check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), "cudaHostAlloc");
    } else {
      memory = std::aligned_alloc(page, (bytes / page + 1) * page);
      if (memory == nullptr) throw GpuError("aligned_alloc", "out of memory");
      std::memset(memory, 0, bytes);  // its pages are there before anything is timed
    }
    if (memory != nullptr)
      memory_.emplace(memory, kind == HostMemory::pinned ? Memory::pinned : Memory::pageable);
    return memory;
  }

  void release(void* memory) override {
    const auto found = memory_.find(memory);
    if (found == memory_.end()) return;
    if (found->second == Memory::gpu) cudaFree(memory);
    if (found->second == Memory::pinned) cudaFreeHost(memory);
    if (found->second == Memory::pageable) {
      for (int gpu = 0; gpu < count(); ++gpu)
        if (cudaSetDevice(gpu) == cudaSuccess) cudaDeviceSynchronize();
      std::free(memory);
    }
    memory_.erase(found);
  }

  Stream open_stream(int gpu) override {
    use(gpu);
    Queue queue{.stream = nullptr, .gpu = gpu};
    check(cudaStreamCreateWithFlags(&queue.stream, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags");
    queues_.push_back(queue);
    return {static_cast<int>(queues_.size()) - 1};
  }

  Event make_event(int gpu) override { return make_event(gpu, cudaEventDefault); }
  Event make_timeless_event(int gpu) override { return make_event(gpu, cudaEventDisableTiming); }
  void close(Stream stream) override {
    if (stream.index < 0) return;
    Queue& queue = queues_[stream.index];
    if (queue.stream != nullptr) cudaStreamDestroy(std::exchange(queue.stream, nullptr));
  }

  void close(Event event) override {
    if (event.index < 0) return;
    cudaEvent_t& held = events_[event.index];
    if (held == nullptr) return;
    cudaEventDestroy(std::exchange(held, nullptr));
    events_.release(event.index);
  }

  void copy(Stream stream, void* to, const void* from, std::size_t bytes) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, native(stream)), "cudaMemcpyAsync");
  }

  void copy_peer(Stream stream, void* to, int to_gpu, const void* from, int from_gpu,
                 std::size_t bytes) override {
    check(cudaMemcpyPeerAsync(to, to_gpu, from, from_gpu, bytes, native(stream)),
          "cudaMemcpyPeerAsync");
  }

  void reduce(Stream stream, float* into, const float* from, std::size_t items) override {
    const Queue& queue = at(stream);
    use(queue.gpu);
    check(start_reduce(queue.stream, into, from, items, limits_[queue.gpu]),
          "the launch of reduce");
  }

  void spin(Stream stream, double seconds) override {
    use(at(stream).gpu);
    check(start_spin(native(stream), seconds), "the launch of spin");
  }

  void launch(Stream stream) override {
    use(at(stream).gpu);
    check(start_nothing(native(stream)), "the launch of nothing");
  }

  void call(Stream stream, std::function<void()> function) override {
    auto kept = std::make_unique<std::function<void()>>(std::move(function));
    check(cudaLaunchHostFunc(native(stream), run_function, kept.get()), "cudaLaunchHostFunc");
    kept.release();
  }

  void record(Stream stream, Event event) override {
    check(cudaEventRecord(at(event), native(stream)), "cudaEventRecord");
  }

  void wait(Stream stream, Event event) override {
    check(cudaStreamWaitEvent(native(stream), at(event), 0), "cudaStreamWaitEvent");
  }

  bool reached(Event event) override {
    const cudaError_t status = cudaEventQuery(at(event));
    if (status == cudaErrorNotReady) return false;
    check(status, "cudaEventQuery");
    return true;
  }

  void synchronize(Event event) override {
    check(cudaEventSynchronize(at(event)), "cudaEventSynchronize");
  }

  double seconds_between(Event first, Event last) override {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, at(first), at(last)), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
  }

  double now() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  void idle() override {}

  cudaStream_t native(Stream stream) const { return at(stream).stream; }

 private:
  enum class Memory : std::uint8_t { gpu, pinned, pageable };
  struct Queue {
    cudaStream_t stream = nullptr;
    int gpu = 0;
  };

  Event make_event(int gpu, unsigned flags) {
    use(gpu);
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
    const Event made{events_.take()};
    events_[made.index] = event;
    return made;
  }

  static void use(int gpu) { check(cudaSetDevice(gpu), "cudaSetDevice"); }
  const Queue& at(Stream stream) const { return queues_[stream.index]; }
  cudaEvent_t at(Event event) const { return events_[event.index]; }

  Table<GridLimits> limits_;  ///< of each GPU
  std::map<void*, Memory> memory_;
  Table<Queue> queues_;
  Pool<cudaEvent_t> events_;
};

}  // namespace

std::unique_ptr<Gpus> make_cuda_gpus() {
  // Eight hardware queues, the default, would make streams of different ranks wait for each other.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  return std::make_unique<CudaGpus>();
}

void* native_stream(const Gpus& gpus, Stream stream) {
  return static_cast<const CudaGpus&>(gpus).native(stream);
}

}  // namespace ringscope::cuda
