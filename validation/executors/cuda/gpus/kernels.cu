// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdint>

#include "validation/executors/cuda/gpus/kernels.cuh"

namespace ringscope::cuda {
namespace {

constexpr int threads = 256;
constexpr int blocks_per_multiprocessor = 8;
constexpr std::size_t wide = 4;  // floats in 16 bytes

// For vectors that are not aligned alike: each warp reads whole lines all the same,
// and all loads of a turn are in flight before the first sum needs them.
__global__ void reduce_items(float* into, const float* from, std::size_t items) {
  constexpr int turn = 4;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (turn - 1) * stride < items; i += turn * stride) {
    float sums[turn], more[turn];
#pragma unroll
    for (int k = 0; k < turn; ++k) sums[k] = into[i + k * stride];
#pragma unroll
    for (int k = 0; k < turn; ++k) more[k] = __ldcs(&from[i + k * stride]);
#pragma unroll
    for (int k = 0; k < turn; ++k) into[i + k * stride] = sums[k] + more[k];
  }
  for (; i < items; i += stride) into[i] += from[i];
}

// The loads of both vectors are in flight before the first sum needs them; two of each, for the
// time that memory takes to answer. The first block adds what is not aligned to 16 bytes, fewer
// than four items before and after.
__global__ void reduce_wide(float* whole, const float* whole_from, std::size_t head,
                            std::size_t items, std::size_t tail) {
  if (blockIdx.x == 0 && threadIdx.x < head) whole[threadIdx.x] += whole_from[threadIdx.x];
  if (blockIdx.x == 0 && threadIdx.x < tail) {
    const std::size_t last = head + items * wide + threadIdx.x;
    whole[last] += whole_from[last];
  }
  auto* into = reinterpret_cast<float4*>(whole + head);
  const auto* from = reinterpret_cast<const float4*>(whole_from + head);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + stride < items; i += 2 * stride) {
    float4 a = into[i], b = into[i + stride];
    const float4 c = __ldcs(&from[i]), d = __ldcs(&from[i + stride]);
    a.x += c.x, a.y += c.y, a.z += c.z, a.w += c.w;
    b.x += d.x, b.y += d.y, b.z += d.z, b.w += d.w;
    into[i] = a;
    into[i + stride] = b;
  }
  if (i >= items) return;
  float4 a = into[i];
  const float4 c = __ldcs(&from[i]);
  a.x += c.x, a.y += c.y, a.z += c.z, a.w += c.w;
  into[i] = a;
}

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void spin_for(std::uint64_t duration) {
  const std::uint64_t begun = nanoseconds();
  while (nanoseconds() - begun < duration) {
  }
}

__global__ void do_nothing() {}

unsigned blocks_for(std::size_t work, const GridLimits& limits) {
  const std::size_t wanted = (work + threads - 1) / threads;
  const auto most = static_cast<std::size_t>(limits.multiprocessors) * blocks_per_multiprocessor;
  return static_cast<unsigned>(wanted < most ? wanted : most);
}

std::size_t items_before_alignment(const float* place) {
  return (wide - reinterpret_cast<std::uintptr_t>(place) / sizeof(float) % wide) % wide;
}

}  // namespace

cudaError_t start_reduce(cudaStream_t stream, float* into, const float* from, std::size_t items,
                         const GridLimits& limits) {
  if (items == 0) return cudaSuccess;
  const std::size_t head = items_before_alignment(into);
  const std::size_t after_head = items > head ? items - head : 0, middle = after_head / wide;
  if (head != items_before_alignment(from) || middle == 0) {
    reduce_items<<<blocks_for(items, limits), threads, 0, stream>>>(into, from, items);
    return cudaGetLastError();
  }
  reduce_wide<<<blocks_for(middle, limits), threads, 0, stream>>>(into, from, head, middle,
                                                                  after_head % wide);
  return cudaGetLastError();
}

cudaError_t start_spin(cudaStream_t stream, double seconds) {
  spin_for<<<1, 1, 0, stream>>>(static_cast<std::uint64_t>(seconds * 1e9));
  return cudaGetLastError();
}

cudaError_t start_nothing(cudaStream_t stream) {
  do_nothing<<<1, 1, 0, stream>>>();
  return cudaGetLastError();
}

}  // namespace ringscope::cuda
