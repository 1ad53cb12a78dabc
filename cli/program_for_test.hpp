// SPDX-License-Identifier: LGPL-2.1-or-later
// The program as a whole, for tests: how it ended and what it said.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace ringscope {

/// The program of the build that the running test is of.
inline std::string built_program() {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename("ringscope").string();
}

struct Ended {
  int code = -1;
  std::string text;  ///< of both streams
};

inline Ended ended(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  Ended result;
  std::array<char, 4096> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
    result.text.append(part.data(), count);
  }
  result.code = WEXITSTATUS(::pclose(pipe));
  return result;
}

}  // namespace ringscope
