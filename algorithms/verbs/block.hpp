// SPDX-License-Identifier: LGPL-2.1-or-later
// The block of threads of a GPU's kernel that does an operation, and how it makes its partner see
// the data. Executors that know no such blocks perform the operation as any other.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/view.hpp"

namespace ringscope {

/// Ways to tell data that have come from data that have not: a flag with every four bytes of eight
/// (LL), with every 120 bytes of 128 (LL128), or a counter after each slice, behind a fence
/// (Simple). Source: NCCL 2.30, src/device/prims_ll.h, prims_ll128.h, prims_simple.h.
enum class Protocol : std::uint8_t { ll, ll128, simple };
/// Names by Protocol.
inline constexpr Array<std::string_view, 3> protocol_names = {"LL", "LL128", "Simple"};

/// Ways in which a switch of the GPUs treats a block's messages: it passes them on; it adds up
/// those for one GPU and sends it the sum; or it copies what one GPU sends once to all that it is
/// for.
enum class Switch : std::uint8_t { passes_on, adds_up, copies };

struct Block {
  int channel = -1;  ///< the block's number in its kernel; -1: no block
  Protocol protocol = Protocol::simple;
  Switch by = Switch::passes_on;
  int together = 1;      ///< messages that it adds up, or copies of one
  int communicator = 0;  ///< of a group, whose kernel it is of; 0: the job's own
  /// Channels of its kernel that do the same, itself counted, where it is performed for all.
  int alike = 1;
  /// In which it sends each message, telling its partner of each as soon as it is there.
  int slices = 1;
  /// It sends and receives for a group of them, each way by threads that do nothing else.
  bool exchanges = false;

  bool is_any() const { return channel >= 0; }
  bool operator==(const Block&) const = default;
};

// Protocols of a kernel's blocks by name, and what their buffers take.

/// The protocol of that name; "auto" is Simple.
Protocol protocol_named(std::string_view name);

/// Items of a channel's chunk in one round: as many as the protocol's buffers take; with Simple
/// that many of the eight steps of its buffer. Source: NCCL 2.30.7, src/init.cc,
/// src/include/collectives.h, src/enqueue.cc, calcCollChunking: four steps of rings, one of a
/// broadcast or a reduce.
std::size_t chunk_items(Protocol protocol, std::size_t item_bytes, std::size_t steps = 4);

}  // namespace ringscope
