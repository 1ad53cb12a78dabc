// SPDX-License-Identifier: LGPL-2.1-or-later
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
  std::map<std::string, std::vector<std::string>> parts;  ///< several may have one name

  /// The only part of that name; `otherwise` where there is none.
  std::string part(const std::string& what, const std::string& otherwise) const {
    return parts.contains(what) ? part(what) : otherwise;
  }
  std::string part(const std::string& what) const {
    const auto found = parts.find(what);
    const bool is_one = found != parts.end() && found->second.size() == 1;
    EXPECT_TRUE(is_one) << name << ": expected one part '" << what << "'";
    return is_one ? found->second.front() : "";
  }
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
      part = &all.back().parts[line.substr(4)].emplace_back();
    } else if (part != nullptr) {
      *part += (part->empty() ? "" : "\n") + line;
    }
  }
  return all;
}

}  // namespace ringscope
