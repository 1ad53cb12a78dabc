// SPDX-License-Identifier: LGPL-2.1-or-later
// Protocol from a child to its parent through a socket: a sequence of frames.
#pragma once

#include <optional>
#include <string>

namespace ringscope {

struct Frame {
  enum class Kind : char { progress = 'p', report = 'r', failure = 'f', ready = 'n' };
  Kind kind{};
  std::string payload;
};

/// Writes the whole frame; false when the other end is gone.
bool write_frame(int pipe, const Frame& frame);

/// Takes the first complete frame out of `buffer`, or nothing while it is incomplete.
std::optional<Frame> take_frame(std::string& buffer);

}  // namespace ringscope
