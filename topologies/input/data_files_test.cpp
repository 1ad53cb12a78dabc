// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a name led to its file, and what does a person read who named none?
#include "topologies/input/data_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "topologies/input/complaint_for_test.hpp"

namespace ringscope {
namespace {

TEST(DataFiles, the_environment_chooses_the_directory_first) {
  ASSERT_EQ(setenv("RINGSCOPE_DATA", "/no/such/place", 1), 0);
  EXPECT_EQ(data_directory(), "/no/such/place");
  EXPECT_EQ(complaint_of([] { names_in("topologies/clusters"); }),
            "/no/such/place/topologies/clusters: cannot be read: No such file or directory; "
            "RINGSCOPE_DATA points there");
  ASSERT_EQ(unsetenv("RINGSCOPE_DATA"), 0);
  EXPECT_THAT(names_in("topologies/clusters"), testing::Contains("rack3"));
}

TEST(DataFiles, a_folder_that_is_not_there_has_no_names) {
  EXPECT_THAT(complaint_of([] { names_in("none"); }),
              testing::EndsWith("/none: cannot be read: No such file or directory"));
}

TEST(DataFiles, a_slash_or_the_suffix_makes_a_path) {
  EXPECT_TRUE(is_path("./a"));
  for (const char* name : {"a.yaml", "a.yml", "a.YAML", "a.Yml", "a.json"})
    EXPECT_TRUE(is_path(name)) << name;
  EXPECT_FALSE(is_path("a"));
}

TEST(DataFiles, a_name_is_one_of_ours_and_a_path_is_seen_from_the_file_that_says_so) {
  const auto file = [](const std::string& text) {
    return file_of(Value::from_text("topologies/x.yaml", text), "topologies/clusters", "cluster");
  };
  EXPECT_EQ(file("pair"), data_directory() + "/topologies/clusters/pair.yaml");
  EXPECT_EQ(file("clusters/pair.yaml"), "topologies/clusters/pair.yaml");
}

TEST(DataFiles, a_file_of_that_name_beside_the_one_that_says_it_is_suggested) {
  const std::string folder = testing::TempDir() + "ringscope_" + std::to_string(::getpid()) + "/";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "mine.yaml") << "about: mine\n";
  const Value name = Value::from_text(folder + "x.yaml", "mine");
  EXPECT_EQ(complaint_of([&] { file_of(name, "topologies/clusters", "cluster"); }),
            folder +
                "x.yaml:1:1: unknown cluster 'mine'; did you mean the file 'mine.yaml'?\n"
                "  mine\n"
                "  ^");
  std::ofstream(folder + "plain") << "about: mine\n";
  EXPECT_THAT(complaint_of([&] {
                file_of(Value::from_text(folder + "x.yaml", "plain"), "topologies/clusters",
                        "cluster");
              }),
              testing::HasSubstr("did you mean the file './plain'?"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ringscope
