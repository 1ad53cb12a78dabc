// SPDX-License-Identifier: LGPL-2.1-or-later
// Content of an MSCCL++ execution plan, checked word by word, before it is a schedule.
#pragma once

#include <string>
#include <vector>

#include "algorithms/verbs/block.hpp"
#include "base/table.hpp"
#include "base/view.hpp"
#include "scenarios/schedule/mscclpp_kinds.hpp"
#include "topologies/input/input.hpp"

namespace ringscope::mscclpp {

enum class Space : std::uint8_t { input, output, scratch };

/// Chunks of a buffer of the rank or, where `rank` says so, of another one.
struct Buffer {
  Space space{};
  int rank = -1;  ///< -1: the rank's own
  int first = 0, count = 1;
};

/// One end of a connection with another GPU.
struct Channel {
  std::string type;
  int peer = 0;
};

struct Operation {
  Place place;
  int number = 0;              ///< in its thread block
  const Kind* kind = nullptr;  ///< null: a barrier
  std::vector<Buffer> from{}, into{};
  int barrier = -1;
  std::vector<int> channels{};  ///< of the GPU's; one for each buffer of the other GPU
};

struct Gpu {
  Array<int, 3> chunks{};  ///< by Space
  Table<Channel> channels{};
  Table<Table<Operation>> blocks{};
};

struct Plan {
  Place place;
  std::string name;
  std::string collective;  ///< a row of collectives.def
  Protocol protocol{};
  bool in_place = true;
  int chunks = 1;  ///< of the whole vector
  std::uint64_t least_bytes = 0, most_bytes = 0;
  Table<Gpu> gpus{};
};

/// Throws InputError.
Plan read_plan(const Value& file);

}  // namespace ringscope::mscclpp
