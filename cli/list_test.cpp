// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the lists of what there is to choose from say the same on the screen and as JSON?
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/program_for_test.hpp"

namespace ringscope::list_test {
namespace {

Ended ringscope(const std::string& arguments) {
  return ended(built_program() + " " + arguments + " 2>&1");
}

/// Keys of all documents and keys in tables under `heading` of schema.md.
std::set<std::string> documented_keys(const std::string& heading) {
  std::ifstream file("scenarios/schema.md");
  EXPECT_TRUE(file) << "this test runs in the root of the source tree";
  std::set<std::string> keys;
  std::string owner;
  bool here = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## "))
      here = line == "## All documents" || line.find(heading) != std::string::npos;
    if (line.starts_with("| key")) owner = line.starts_with("| key of `LIST[]`") ? "LIST[]." : "";
    if (here && line.starts_with("| `")) keys.insert(owner + line.substr(3, line.find('`', 3) - 3));
  }
  return keys;
}

TEST(Lists, every_list_has_something_in_it) {
  for (const char* what : {"algorithms", "clusters", "collectives", "gpus", "language_models",
                           "libraries", "models", "studies"}) {
    const auto [code, text] = ringscope(std::string("list ") + what);
    EXPECT_EQ(code, 0);
    EXPECT_NE(text, "") << what;
  }
}

/// The document of `ringscope list WHAT --json`.
nlohmann::json listed(const std::string& what) {
  const auto [code, text] = ringscope("list " + what + " --json -");
  EXPECT_EQ(code, 0) << text;
  return nlohmann::json::parse(text);
}

TEST(Lists, a_list_as_json_has_the_lines_of_the_screen) {
  for (const char* what : {"algorithms", "collectives", "hosts", "models"}) {
    std::istringstream screen(ringscope(std::string("list ") + what).text);
    const nlohmann::json document = listed(what);
    for (const auto& row : document.at(what)) {
      std::string line;
      ASSERT_TRUE(std::getline(screen, line));
      EXPECT_TRUE(line.starts_with(std::string(row.at("name")) + " ")) << line;
      EXPECT_TRUE(line.ends_with(" " + std::string(row.at("text")))) << line;
    }
  }
}

TEST(Lists, algorithms_of_a_collective_stand_together) {
  const nlohmann::json document = listed("algorithms");
  std::vector<std::string> collectives;
  for (const auto& row : document.at("algorithms"))
    if (collectives.empty() || collectives.back() != row.at("collective"))
      collectives.push_back(row.at("collective"));
  EXPECT_EQ(collectives.size(),
            std::set<std::string>(collectives.begin(), collectives.end()).size());
}

TEST(Lists, a_list_as_json_has_exactly_the_documented_keys) {
  std::set<std::string> keys;
  for (const char* what : {"algorithms", "collectives", "hosts"}) {
    const nlohmann::json document = listed(what);
    for (const auto& [key, value] : document.items()) keys.insert(key == what ? "LIST" : key);
    for (const auto& row : document.at(what))
      for (const auto& [key, fact] : row.items()) keys.insert("LIST[]." + key);
  }
  EXPECT_EQ(keys, documented_keys("list --json"));
}

}  // namespace
}  // namespace ringscope::list_test
