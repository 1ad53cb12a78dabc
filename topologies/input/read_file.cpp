// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/input/read_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "topologies/input/input.hpp"

namespace ringscope {

void refuse_file(const std::string& path, const std::string& why) {
  const std::string name = path.empty() ? "the file ''" : path;
  throw InputError({std::make_shared<const Source>(Source{name, ""}), 0, 0}, why);
}

std::string read_file(const std::string& path, std::size_t most_mebibytes,
                      const std::function<void(const std::string& why)>& refuse) {
  if (path.empty()) refuse("has an empty name");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("is a directory, expected a file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  const std::size_t most = most_mebibytes * 1024 * 1024;
  std::string text;
  // Most files are small: what the largest may have is not filled with zeros for each.
  for (std::size_t piece = 1 << 16; file && text.size() <= most; piece *= 2) {
    const std::size_t before = text.size();
    text.resize(before + std::min(piece, most + 1 - before));
    file.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) refuse("cannot be read to its end");
  if (text.size() > most) refuse(fmt::format("is larger than {} MiB", most_mebibytes));
  return text;
}

std::string read_file(const std::string& path, std::size_t most_mebibytes) {
  return read_file(path, most_mebibytes,
                   [&path](const std::string& why) { refuse_file(path, why); });
}

}  // namespace ringscope
