// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/failure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace ringscope {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, int reason) {
  throw BadInput("{}: cannot be written: {}", path.empty() ? "''" : path, std::strerror(reason));
}

/// 0, or the reason why not all of the text arrived in the file.
int write_all(std::FILE* file, std::string_view text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return whole && std::fflush(file) == 0 ? 0 : errno;
}

int write_to(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return errno;
  const int reason = write_all(file, text);
  return std::fclose(file) != 0 && reason == 0 ? errno : reason;
}

/// A link stays a link: what it points to is replaced.
std::string target_of(const std::string& path) {
  std::error_code ignored;
  return fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored).string() : path;
}

}  // namespace

void write_output(const std::string& path, std::string_view text) {
  if (path == "-") {
    if (const int reason = write_all(stdout, text)) refuse("standard output", reason);
    return;
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (const int reason = write_to(path, text)) refuse(path, reason);
    return;
  }
  const Interrupt when_it_is_whole;  // ^C, that is
  const std::string target = target_of(path);
  const std::string neighbour = fmt::format("{}.{}.tmp", target, ::getpid());
  int reason = write_to(neighbour, text);
  if (reason == 0 && std::rename(neighbour.c_str(), target.c_str()) != 0) reason = errno;
  if (reason == 0) return;
  fs::remove(neighbour, ignored);
  refuse(path, reason);
}

void make_output(const std::string& path, const std::function<void(const std::string&)>& make) {
  const std::string target = target_of(path);
  const std::string neighbour = fmt::format("{}.{}.tmp", target, ::getpid());
  std::error_code ignored;
  fs::remove(neighbour, ignored);
  try {
    make(neighbour);
    if (std::rename(neighbour.c_str(), target.c_str()) != 0) refuse(path, errno);
  } catch (...) {
    fs::remove(neighbour, ignored);
    throw;
  }
}

void require_writable(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || path == "-") return;
  if (fs::is_directory(path, ignored)) refuse(path, EISDIR);
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) return;
  const fs::path folder = fs::path(target_of(path)).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) refuse(path, errno);
}

}  // namespace ringscope
