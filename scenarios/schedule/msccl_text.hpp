// SPDX-License-Identifier: LGPL-2.1-or-later
// Content of an MSCCL file, checked word by word, before it is a schedule.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "algorithms/verbs/group.hpp"
#include "base/table.hpp"
#include "topologies/imports/xml.hpp"

namespace ringscope::msccl {

/// Meaning of a type of step. Source: microsoft/msccl, src/graph/topo.cc.
struct Type {
  using Deeds = std::initializer_list<bool Type::*>;
  constexpr Type(std::string_view called, std::string_view said, Deeds deeds)
      : name(called), words(said) {
    for (const auto deed : deeds) this->*deed = true;
  }

  std::string_view name;
  std::string_view words;  ///< in reports
  bool receives = false, sends = false, reduces = false;
  bool reads = false, writes = false;  ///< its source, its destination
};

enum class Space : std::uint8_t { input, output, scratch };

struct Chunks {
  Space space{};
  int first = 0;
};

struct Step {
  pugi::xml_node node;
  const Type* type = nullptr;
  Chunks from{}, into{};  ///< only those that its type reads or writes
  int count = 1;
  int after_block = -1, after_step = -1;  ///< -1: none
  bool signals = false;
};

struct ThreadBlock {
  pugi::xml_node node;
  int send = -1, receive = -1;  ///< peers; -1: none
  int channel = 0;
  Table<Step> steps{};
};

struct Gpu {
  pugi::xml_node node;
  Array<int, 3> chunks{};  ///< by Space
  Table<ThreadBlock> blocks{};
};

struct Algo {
  std::string name;
  std::string collective;  ///< a row of collectives.def
  int root = 0;            ///< where it has one
  Protocol protocol{};
  int chunks = 1;
  bool in_place = false, out_of_place = true;
  std::int64_t least_bytes = 0, most_bytes = 0;
  Table<Gpu> gpus;
};

/// Throws InputError.
Algo read_algo(const Xml& xml);

/// "gpu 2, tb 0, step 1 (rrcs)"
std::string step_text(const Algo& algo, int gpu, int block, int step);

}  // namespace ringscope::msccl
