// SPDX-License-Identifier: LGPL-2.1-or-later
// Protocols of a kernel's blocks by name, and what their buffers take.
#pragma once

#include <cstddef>
#include <string_view>

#include "algorithms/verbs/block.hpp"

namespace ringscope {

/// The protocol of that name; "auto" is Simple.
Protocol protocol_named(std::string_view name);

/// Items of a channel's chunk in one round: as many as the protocol's buffers take; with Simple
/// that many of the eight steps of its buffer. Source: NCCL 2.30.7, src/init.cc,
/// src/include/collectives.h, src/enqueue.cc, calcCollChunking: four steps of rings, one of a
/// broadcast or a reduce.
std::size_t chunk_items(Protocol protocol, std::size_t item_bytes, std::size_t steps = 4);

}  // namespace ringscope
