// Files of wrong inputs and their messages, as tests read them.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace ringscope {

/// Section "=== name" of parts "--- what"; the lines of a part are joined.
struct Section {
  std::string name;
  std::map<std::string, std::string> parts;
};

inline std::vector<Section> sections_of(const std::string& path) {
  std::vector<Section> all;
  std::ifstream file(path);
  EXPECT_TRUE(file) << "this test runs in the root of the source tree";
  std::string* part = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      all.push_back({line.substr(4), {}});
      part = nullptr;
    } else if (line.starts_with("--- ")) {
      part = &all.back().parts[line.substr(4)];
    } else if (part != nullptr) {
      *part += (part->empty() ? "" : "\n") + line;
    }
  }
  return all;
}

}  // namespace ringscope
