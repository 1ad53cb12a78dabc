// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of studies: small scenarios, told apart by a size, and a file that goes away.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/question/scenario_tree.hpp"

namespace ringscope {

inline Scenario small_scenario(int kib, const std::string& more = "placement: 1-1") {
  const std::string yaml = fmt::format(
      "question: does it hold?\ncluster: pair\nlibrary: openmpi_tcp\n{}\n"
      "job: {{collective: allreduce, algorithm: ring, bytes: {} KiB}}\n",
      more, kib);
  return read_tree(Value::from_text("test", yaml), "test").front();
}

inline std::vector<Scenario> small_scenarios(int count) {
  std::vector<Scenario> scenarios;
  for (int i = 1; i <= count; ++i) scenarios.push_back(small_scenario(i));
  return scenarios;
}

class TemporaryFile {
 public:
  TemporaryFile()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("ringscope-{}-{}.sqlite", ::getpid(), static_cast<void*>(this))) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    std::filesystem::remove(path_.string() + "-journal", ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ringscope
