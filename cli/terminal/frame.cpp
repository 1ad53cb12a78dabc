// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/frame.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace ringscope {
namespace {

using Length = std::uint64_t;
constexpr std::size_t head_size = 1 + sizeof(Length);

}  // namespace

bool write_frame(int pipe, const Frame& frame) {
  const Length length = frame.payload.size();
  std::string bytes(1, static_cast<char>(frame.kind));
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length).append(frame.payload);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::write(pipe, bytes.data() + sent, bytes.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<Frame> take_frame(std::string& buffer) {
  if (buffer.size() < head_size) return {};
  Length length = 0;
  std::memcpy(&length, buffer.data() + 1, sizeof length);
  if (buffer.size() - head_size < length) return {};
  Frame frame{static_cast<Frame::Kind>(buffer[0]), buffer.substr(head_size, length)};
  buffer.erase(0, head_size + length);
  return frame;
}

}  // namespace ringscope
