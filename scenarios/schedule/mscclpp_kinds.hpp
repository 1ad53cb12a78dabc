// SPDX-License-Identifier: LGPL-2.1-or-later
// Operations of MSCCL++'s plans, by name.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ringscope::mscclpp {

/// Operations that are understood, by what they do. Packets are data with a flag beside them: who
/// reads them waits for them. Source: microsoft/mscclpp, src/core/include/execution_kernel.hpp.
struct Kind {
  using Deeds = std::initializer_list<bool Kind::*>;
  constexpr Kind(std::string_view called, std::string_view said, Deeds deeds)
      : name(called), words(said) {
    for (const auto deed : deeds) this->*deed = true;
  }

  std::string_view name;
  std::string_view words;       ///< in reports
  bool reads_packets = false;   ///< from scratch space: all sources, or those behind the first
  bool writes_packets = false;  ///< into the rank's own scratch space: the last local destination
  bool reduces = false;
  bool sends = false;  ///< to its remote destinations
  // By channels: data into a buffer of another GPU, or from one, and signals that say so.
  bool puts = false, gets = false, signals = false, waits = false;

  bool uses_channels() const { return puts || gets || signals || waits; }
};

/// Null where it is not understood, or a barrier.
const Kind* find_kind(std::string_view name);

inline constexpr std::string_view barrier_name = "barrier";

/// It changes nothing here: each thread block goes step by step as it is.
bool is_idle(std::string_view name);

/// All of the format, understood or not.
const std::vector<std::string>& operation_names();

}  // namespace ringscope::mscclpp
