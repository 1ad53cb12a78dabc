// SPDX-License-Identifier: LGPL-2.1-or-later
// Does `import-machine` write a cluster that the program reads, and say what it guessed?
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "cli/program_for_test.hpp"

namespace ringscope::import_machine_test {
namespace {

namespace fs = std::filesystem;

Ended ringscope(const std::string& arguments) { return ended(built_program() + " " + arguments); }

class ImportMachine : public ::testing::Test {
 protected:
  ImportMachine() { fs::create_directories(folder_); }
  ~ImportMachine() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("ringscope-import-" + std::to_string(::getpid()));
};

TEST_F(ImportMachine, writes_a_cluster_that_show_draws) {
  const auto [code, guesses] = ringscope(
      "import-machine topologies/machines/azure-ndv4.xml "
      "--hosts 3 --link '200 Gbit/s' -o " +
      file("c.yaml") + " 2>&1");
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(guesses.starts_with("guessed: ")) << guesses;
  const Ended shown = ringscope("show " + file("c.yaml"));
  EXPECT_EQ(shown.code, 0);
  for (const char* part : {"host0/gpu7", "host0/pcie3", "host2"})
    EXPECT_NE(shown.text.find(part), std::string::npos) << shown.text;
}

TEST_F(ImportMachine, standard_output_holds_the_cluster_alone) {
  const auto [code, text] =
      ringscope("import-machine topologies/machines/dgx1-v100.txt 2>/dev/null");
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(text.starts_with("# Imported by `ringscope import-machine` from dgx1-v100.txt.\n"))
      << text;
}

TEST_F(ImportMachine, refuses_what_it_cannot_read_and_leaves_no_file) {
  const auto [code, text] = ringscope("import-machine /dev/null -o " + file("c.yaml") + " 2>&1");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(text, "/dev/null: is empty\n");
  EXPECT_FALSE(fs::exists(file("c.yaml")));
  EXPECT_EQ(ringscope("import-machine topologies/machines/virtual.xml --format nccl 2>&1").code, 1);
  EXPECT_EQ(ringscope("import-machine topologies/machines/virtual.xml --hosts 0 2>&1").code, 1);
  EXPECT_EQ(ringscope("import-machine topologies/machines/virtual.xml --link 10 2>&1").text,
            "--link: expected a bandwidth such as \"10 Gbit/s\", got \"10\", which has no unit\n");
}

}  // namespace
}  // namespace ringscope::import_machine_test
