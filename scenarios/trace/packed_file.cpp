// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/packed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#ifdef RINGSCOPE_READS_GZIP
#include <zlib.h>
#endif

#include "topologies/input/read_file.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_mebibytes = 512;

bool is_packed(const std::string& bytes) { return bytes.starts_with("\x1f\x8b"); }

#ifdef RINGSCOPE_READS_GZIP
std::string unpacked(const std::string& path, std::string& packed) {
  z_stream stream{};
  constexpr int largest_window = 15, of_gzip = 16;
  if (inflateInit2(&stream, largest_window + of_gzip) != Z_OK)
    refuse_file(path, "cannot be unpacked: zlib did not start");
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string bytes;
  int state = Z_OK;
  while (state == Z_OK && bytes.size() <= most_mebibytes << 20) {
    constexpr std::size_t piece = 1 << 20;
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + before);
    stream.avail_out = piece;
    state = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(bytes.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state == Z_OK) refuse_file(path, fmt::format("unpacks to more than {} MiB", most_mebibytes));
  if (state != Z_STREAM_END) refuse_file(path, "is cut off, or no file of gzip's");
  return bytes;
}
#else
std::string unpacked(const std::string& path, const std::string& /*packed*/) {
  refuse_file(path, "is packed by gzip, which this build does not read");
}
#endif

}  // namespace

std::string read_packed_file(const std::string& path) {
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  const std::size_t mebibytes = std::min<std::uintmax_t>(size >> 20, most_mebibytes - 1) + 1;
  std::string bytes = read_file(path, mebibytes);
  return is_packed(bytes) ? unpacked(path, bytes) : bytes;
}

}  // namespace ringscope
