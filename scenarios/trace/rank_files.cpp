// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>

#ifdef RINGSCOPE_READS_GZIP
#include <zlib.h>
#endif

#include "scenarios/trace/trace_file.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

/// A file's name: the trace's, and the rank's number.
struct Named {
  std::string trace;
  int rank = -1;
};

/// Nothing for a file of another kind.
std::optional<Named> named(const std::string& file, std::span<const std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (!file.ends_with(ending)) continue;
    const std::string stem = file.substr(0, file.size() - ending.size());
    const std::size_t dot = stem.rfind('.');
    if (dot == std::string::npos || dot == 0) continue;
    const std::string digits = stem.substr(dot + 1);
    constexpr std::size_t most_digits = 7;
    if (digits.empty() || digits.size() > most_digits ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      continue;
    return Named{stem.substr(0, dot), std::stoi(digits)};
  }
  return {};
}

std::string ranks_text(const RankFiles& files) {
  return fmt::format("there are files of {}, {} to {}", plural(files.size(), "rank"),
                     files.begin()->first, files.rbegin()->first);
}

constexpr std::size_t most_mebibytes = 1024, most_ratio = 200;

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
  const std::size_t most = std::min(most_mebibytes << 20, most_ratio * packed.size());
  int state = Z_OK;
  while (state == Z_OK && bytes.size() <= most) {
    constexpr std::size_t piece = 1 << 20;
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + before);
    stream.avail_out = piece;
    state = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(bytes.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (bytes.size() > most)
    refuse_file(path, fmt::format("unpacks to more than {} MiB, or {} times its size",
                                  most_mebibytes, most_ratio));
  if (state != Z_STREAM_END) refuse_file(path, "is cut off, or no file of gzip's");
  return bytes;
}
#else
std::string unpacked(const std::string& path, const std::string& /*packed*/) {
  refuse_file(path, "is packed by gzip, which this build does not read");
}
#endif

}  // namespace

RankFiles rank_files(const std::string& files, std::span<const std::string_view> endings) {
  RankFiles found;
  const fs::path parent = fs::path(files).parent_path();
  const std::string name = fs::path(files).filename().string();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent.empty() ? "." : parent, ignored)) {
    const auto one = named(entry.path().filename().string(), endings);
    if (one && one->trace == name) found[one->rank] = entry.path().string();
  }
  return found;
}

std::vector<std::string> chosen_files(const TraceRequest& request, const RankFiles& files) {
  if (request.every_rank_as >= 0) {
    const auto found = files.find(request.every_rank_as);
    if (found == files.end())
      request.fail("every_rank_as: rank {} has no file: {}", request.every_rank_as,
                   ranks_text(files));
    return {found->second};
  }
  for (int rank = 0; rank < static_cast<int>(files.size()); ++rank)
    if (files.count(rank) == 0)
      request.fail("the file of rank {} is missing: {}", rank, ranks_text(files));
  const auto count = static_cast<int>(files.size());
  if (count != request.ranks)
    request.fail("{}, and the job has {}{}", ranks_text(files), request.ranks,
                 count == 1 ? ": 'every_rank_as: 0' lets each do what rank 0 did" : "");
  std::vector<std::string> paths;
  for (const auto& [rank, path] : files) paths.push_back(path);
  return paths;
}

std::vector<std::string> trace_names(const std::string& folder) {
  constexpr std::array<std::string_view, 4> endings = {".et", ".et.gz", ".json", ".json.gz"};
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (const auto one = named(entry.path().filename().string(), endings)) names.insert(one->trace);
  return {names.begin(), names.end()};
}

std::string read_packed_file(const std::string& path) {
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  const std::size_t mebibytes = std::min<std::uintmax_t>(size >> 20, most_mebibytes - 1) + 1;
  std::string bytes = read_file(path, mebibytes);
  return is_packed(bytes) ? unpacked(path, bytes) : bytes;
}

}  // namespace ringscope
