// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of a Kineto trace, as PyTorch's profiler writes it: one JSON file for each rank.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope::kineto {

/// A collective as its NCCL kernel tells it.
struct Collective {
  std::string name;   ///< "allreduce"; "" where the kernel does not say
  std::string group;  ///< its name
  std::vector<int> ranks;
  std::string type;                 ///< of an item: "Float"
  std::int64_t in = -1, out = -1;   ///< items of the rank; -1: not said
  std::int64_t from = -1, to = -1;  ///< of a message: global ranks
};

/// An event with a beginning and an end. Times are microseconds.
struct Event {
  std::size_t number = 0;  ///< in the file
  std::string category, name;
  double start = 0, duration = 0;
  std::int64_t thread = 0;        ///< of the host, or a stream of the GPU
  std::int64_t correlation = -1;  ///< a call of the host and what it launched have one number
  Collective collective{};

  double end() const { return start + duration; }
};

struct File {
  std::shared_ptr<const Source> source;  ///< its path alone
  std::vector<Event> events{};           ///< in the order of the file
  std::vector<std::string> others{};     ///< kinds of those without a duration, one for each
  int world = 0;                         ///< ranks of the job that was recorded; 0: not said

  Place place() const { return {source, 0, 0}; }
};

/// Throws InputError.
File read_events(const std::string& path, std::string_view bytes);

/// "event 7 'ncclDevKernel_AllReduce'".
std::string text_of(const Event& event);

bool on_gpu(const Event& event);
/// A kernel of NCCL's.
bool is_collective(const Event& event);

}  // namespace ringscope::kineto
