// SPDX-License-Identifier: LGPL-2.1-or-later
// The model that a training job trains, and how its ranks share gradients: data from a scenario.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/compression/compressed_sum.hpp"

namespace ringscope {

struct LlmStep;  // algorithms/training/llm/llm.hpp

/// Parameters and gradients are floats, unless the job says what an element has.
inline constexpr std::size_t parameter_bytes = 4;

struct Layer {
  std::string name;
  std::vector<std::uint64_t> tensors;  ///< parameters of each
  Duration forward{}, backward{};      ///< of one device for a whole batch
  double outputs = 0;                  ///< elements that it puts out for a record; 0: not known
};

/// Exchange of gradients while the first thread goes on with backward: who does it.
enum class Overlap : std::uint8_t {
  none,         ///< nobody: the first thread does, when backward has ended
  nonblocking,  ///< the library, in a non-blocking collective
  thread        ///< a thread of its own
};

/// Records are read from storage and then prepared, by a thread beside the first one.
struct Input {
  double rate = 0;           ///< records that a host prepares per second; 0: it costs nothing
  std::size_t record = 0;    ///< bytes of one, as stored
  int prefetch = 1;          ///< batches that may lie ready; at least 1
  int cores = 0;             ///< of a host, busy while it prepares at that rate; 0: not counted
  double spread = 0;         ///< of a log-normal factor of mean 1 on the time of a batch
  Duration every{};          ///< mean time of preparing from one stall to the next; 0: none
  Duration takes{};          ///< mean time of a stall, exponentially distributed
  std::uint64_t mapped = 0;  ///< bytes of files that each device keeps in its host's memory
  std::uint64_t pinned = 0;  ///< bytes of each device's buffers there
  bool varies() const { return spread > 0 || every.count() > 0; }
};

/// Rank 0 writes files, and goes on when they are written.
struct Checkpoint {
  int every = 0;  ///< steps; 0: never
  std::uint64_t bytes = 0;
};

/// Remote calls that carry tensors, as gRPC's do.
struct Serialisation {
  Duration tensor{};  ///< of each, at each end
  Duration byte{};    ///< of each, at each end
};

/// Broadcast of the first device's variables before the first step.
struct Startup {
  const Algorithm* broadcast = nullptr;  ///< null: there is none
  std::size_t bucket = 0;                ///< bytes that go at once; 0: each tensor by itself
};

/// Times of a step that are neither computations of a batch nor messages.
struct Overheads {
  double variation = 0;  ///< standard deviation of the devices' times, divided by their mean
  Duration copy{};       ///< per byte: of a bucket's gradients into a buffer, and out of it
  Duration hook{};       ///< of the host, for each tensor before its exchange
};

struct Training {
  std::string model;
  std::vector<Layer> layers;              ///< in the order of forward
  std::uint64_t records = 0;              ///< of an epoch
  int epochs = 0;                         ///< of the whole training; 0: not specified
  int batch = 1;                          ///< records per device and step
  std::size_t element = parameter_bytes;  ///< bytes of a parameter and of its gradient
  const Algorithm* exchange = nullptr;    ///< an allreduce with one thread; null: the ring
  Overlap overlap = Overlap::none;
  std::size_t fusion = std::size_t{64} << 20;  ///< horovod: bytes exchanged at once
  Duration cycle{5e-3};                        ///< horovod: from one negotiation to the next
  std::size_t bucket = std::size_t{25} << 20;  ///< ddp, parameter_server: bytes that fill a bucket
  std::size_t whole_below = 0;     ///< parameter_server: bytes from which servers share a bucket
  std::size_t bytes_per_pack = 0;  ///< multi_worker_mirrored; 0: one pack
  Compression compression;
  /// horovod: gradients are negotiated when the host has launched them, not when they are there.
  bool negotiates_launched = false;
  Overheads overheads;
  Serialisation serialisation;  ///< parameter_server, multi_worker_mirrored
  Duration staging{};           ///< parameter_server: per byte between a device and its host
  /// Asynchronous servers: steps from a device's push, and its fetch, to the next one.
  int n_push = 1, n_fetch = 1;
  Startup startup;
  Input input;
  Checkpoint checkpoint;
  int replica = 1;                     ///< devices that share a batch
  std::shared_ptr<const LlmStep> llm;  ///< with it, `layers` is one: a rank's whole step
};

/// Parameters of the whole model.
inline std::uint64_t parameters_of(const std::vector<Layer>& layers) {
  std::uint64_t sum = 0;
  for (const Layer& layer : layers)
    for (const std::uint64_t tensor : layer.tensors) sum += tensor;
  return sum;
}

/// Expected time of the slowest of `devices`, divided by their mean. The times are normal, with
/// this standard deviation. Source: Blom, "Statistical Estimates and Transformed Beta-Variables",
/// 1958: the largest of n standard normals is expected at the quantile (n - 3/8) / (n + 1/4).
double slowest_of(int devices, double variation);

/// Time of one device alone for forward and backward of a batch.
inline Duration compute_time(const std::vector<Layer>& layers) {
  Duration sum{};
  for (const Layer& layer : layers) sum += layer.forward + layer.backward;
  return sum;
}

}  // namespace ringscope
