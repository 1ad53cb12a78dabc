// SPDX-License-Identifier: LGPL-2.1-or-later
// Does `import-fabric` write a cluster that the program reads and places ranks on?
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/program_for_test.hpp"

namespace ringscope::import_fabric_test {
namespace {

namespace fs = std::filesystem;

Ended ringscope(const std::string& arguments) {
  return ended(built_program() + " " + arguments + " 2>&1");
}

class ImportFabric : public ::testing::Test {
 protected:
  ImportFabric() { fs::create_directories(folder_); }
  ~ImportFabric() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("ringscope-fabric-" + std::to_string(::getpid()));
};

constexpr const char* real_file = "topologies/fabrics/ibnetdiscover-582-adapters.txt";

TEST_F(ImportFabric, writes_a_cluster_that_show_counts_and_draws) {
  const Ended imported =
      ringscope(std::string("import-fabric ") + real_file + " -o " + file("ib.yaml"));
  EXPECT_EQ(imported.code, 0) << imported.text;
  EXPECT_TRUE(imported.text.starts_with("31 leaves, 9 spines, 582 adapters")) << imported.text;
  const Ended shown = ringscope("show " + file("ib.yaml") + " --dot " + file("ib.dot"));
  EXPECT_EQ(shown.code, 0);
  EXPECT_NE(shown.text.find("31 leaves, 9 spines, 582 adapters"), std::string::npos) << shown.text;
  EXPECT_NE(shown.text.find("40 switches in 2 levels"), std::string::npos) << shown.text;
  const Ended route =
      ringscope("show " + file("ib.yaml") + " --from a06-p1-dgx-02-c01 --to b05-p1-dgx-05-c08");
  EXPECT_NE(route.text.find("SPINE"), std::string::npos) << route.text;
  EXPECT_GT(fs::file_size(file("ib.dot")), 582U);
}

TEST_F(ImportFabric, hostfiles_fit_the_names_of_the_fabric) {
  EXPECT_EQ(ringscope(std::string("import-fabric ") + real_file + " -o " + file("ib.yaml")).code,
            0);
  write("hosts", "a06-p1-dgx-02-c01 slots=1\nb05-p1-dgx-05-c08 slots=1\n");
  write("s.yaml",
        "question: q\ncluster: ./ib.yaml\nlibrary: rdma\nplacement: {hostfile: hosts}\n"
        "job: {collective: allreduce, algorithm: ring, bytes: 1 MiB}\n");
  const Ended run = ringscope("run " + file("s.yaml"));
  EXPECT_EQ(run.code, 0) << run.text;
}

TEST_F(ImportFabric, takes_its_hosts_from_another_cluster) {
  write("machine.yaml",
        "network: star\nhosts: 2\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
        "host: {type: simple, cores: 7}\n");
  const Ended imported = ringscope("import-fabric topologies/fabrics/topology.conf --host " +
                                   file("machine.yaml") + " -o " + file("c.yaml"));
  EXPECT_EQ(imported.code, 0) << imported.text;
  const Ended shown = ringscope("show " + file("c.yaml"));
  EXPECT_NE(shown.text.find("srv1101/numa0  NUMA domain         7"), std::string::npos)
      << shown.text;
}

TEST_F(ImportFabric, refuses_what_it_cannot_read_and_leaves_no_file) {
  const Ended empty = ringscope("import-fabric /dev/null -o " + file("c.yaml"));
  EXPECT_EQ(empty.code, 1);
  EXPECT_EQ(empty.text, "/dev/null: is empty\n");
  EXPECT_FALSE(fs::exists(file("c.yaml")));
  EXPECT_EQ(ringscope("import-fabric topologies/fabrics/topology.conf --format ibnetdiscover").code,
            1);
  EXPECT_EQ(ringscope("import-fabric topologies/fabrics/topology.conf --link 10").code, 1);
}

}  // namespace
}  // namespace ringscope::import_fabric_test
