// SPDX-License-Identifier: LGPL-2.1-or-later
// Does each wrong trace draw the message that tells a person what to do, and is a right one read
// with every node accounted for?
//
// broken_traces.txt holds the wrong ones as lines of nodes, and the messages.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "scenarios/trace/chakra_file.hpp"
#include "scenarios/trace/chakra_for_test.hpp"
#include "scenarios/trace/trace_file.hpp"
#include "topologies/input/complaint_for_test.hpp"
#include "topologies/input/sections_for_test.hpp"

namespace ringscope::broken_traces_test {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for the files of one trace.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(testing::TempDir() + "traces_" + name + "/") {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ + name, std::ios::binary) << bytes;
  }
  std::shared_ptr<const ScheduleFile> read(std::string job, int ranks) const {
    for (std::size_t at; (at = job.find("HERE/")) != std::string::npos;) job.replace(at, 5, path_);
    const Value value = Value::from_text("job", job);
    Fields fields(value, "job");
    return read_trace(fields, fields.required("trace"), ranks);
  }
  /// Without the folder's path.
  std::string complaint(const std::string& job, int ranks) const {
    std::string text = complaint_of([&] { (void)read(job, ranks); });
    for (std::size_t at; (at = text.find(path_)) != std::string::npos;)
      text.replace(at, path_.size(), "HERE/");
    return text;
  }

 private:
  std::string path_;
};

/// Parts of a section: "job", "ranks", the nodes of "rank N", "bytes of rank N", "cut rank N" to so
/// many bytes, "groups".
std::string complaint_about(const Section& one) {
  const Folder folder(one.name);
  int ranks = 2;
  std::string job = "{trace: HERE/t}";
  for (const auto& [what, texts] : one.parts) {
    const std::string& text = texts.front();
    if (what == "job") job = text;
    if (what == "ranks") ranks = std::stoi(text);
    if (what == "groups") folder.write("t.json", text);
    if (what.starts_with("bytes of rank ")) folder.write("t." + what.substr(14) + ".et", text);
    if (!what.starts_with("rank ")) continue;
    std::string bytes = chakra::trace_of(text);
    const std::string cut = one.part("cut " + what, "");
    if (!cut.empty()) bytes.resize(std::stoul(cut));
    folder.write("t." + what.substr(5) + ".et", bytes);
  }
  return folder.complaint(job, ranks);
}

TEST(BrokenTraces, say_what_is_wrong_and_where) {
  int wrong = 0;
  for (const Section& one : sections_of("scenarios/trace/broken_traces.txt")) {
    ++wrong;
    EXPECT_EQ(complaint_about(one), one.part("message")) << one.name;
  }
  EXPECT_GE(wrong, 25);
}

// Each prefix of a file is another broken file, but for those that end with a node.
TEST(BrokenTraces, truncated_traces_are_rejected_at_any_length) {
  const std::string lines = "1 COLL comm_type=0 comm_size=4\n2 COMP after=1 us=300";
  const std::string whole = chakra::trace_of(lines);
  const std::string first = chakra::trace_of(lines.substr(0, lines.find('\n')));
  const std::string none = chakra::trace_of("");
  for (std::size_t end = 0; end < whole.size(); ++end) {
    const std::string complaint =
        complaint_of([&] { chakra::read_chakra_bytes("t.0.et", whole.substr(0, end)); });
    EXPECT_EQ(complaint.empty(), end == none.size() || end == first.size()) << end;
  }
}

TEST(Traces, packed_by_gzip_and_cut_off_are_refused) {
  const Folder folder("packed");
  std::ifstream file(std::string(traces_folder) + "/ring_8.0.et.gz", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  ASSERT_GT(bytes.size(), 1000u);
  folder.write("t.0.et.gz", bytes.substr(0, 1000));
  EXPECT_EQ(folder.complaint("{trace: HERE/t}", 1),
            "HERE/t.0.et.gz: is cut off, or no file of gzip's");
}

TEST(Traces, compression_bombs_are_rejected) {
  // 100,000 zeros by `gzip -9`.
  constexpr char head[] =
      "\037\213\010\000\000\000\000\000\002\003\355\301\061\001\000\000\000\302\240\365\117\155\015"
      "\017\240";
  constexpr char tail[] = "\200\127\003\175\225\021\324\240\206\001\000";
  const std::string packed = std::string(head, sizeof head - 1) + std::string(96, '\0') +
                             std::string(tail, sizeof tail - 1);
  const Folder folder("far_more");
  folder.write("t.0.et.gz", packed);
  EXPECT_EQ(folder.complaint("{trace: HERE/t}", 1),
            "HERE/t.0.et.gz: unpacks to more than 1024 MiB, or 200 times its size");
}

std::size_t nodes_of(const ScheduleFile& file) {
  std::size_t sum = 0;
  for (const NodeCount& one : file.node_counts) sum += one.count;
  return sum;
}

// The file has 3,665 messages of protobuf: its metadata, and so many nodes.
TEST(Traces, training_traces_account_for_every_node) {
  const Folder folder("training");
  const auto file = folder.read("{trace: {files: training, every_rank_as: 0}}", 4);
  EXPECT_EQ(nodes_of(*file), 3664u);
  EXPECT_EQ(file->schedule.trace->ranks.size(), 4u);
  EXPECT_EQ(file->schedule.trace->ranks[3].size(), 3664u);
  std::map<std::string, std::size_t> by_kind;
  for (const NodeCount& one : file->node_counts) {
    by_kind[one.kind] += one.count;
    EXPECT_FALSE(one.ignored) << one.kind;
  }
  const std::map<std::string, std::size_t> expected = {{"COMP_NODE of the CPU", 2434},
                                                       {"COMP_NODE", 1209},
                                                       {"COMM_COLL_NODE of the CPU", 14},
                                                       {"COMM_COLL_NODE BROADCAST", 2},
                                                       {"COMM_COLL_NODE ALL_REDUCE", 5}};
  EXPECT_EQ(by_kind, expected);
}

// Eight ranks, each with 14 sends, 14 receives and 7 sums.
TEST(Traces, ring_trace_has_the_messages_of_a_ring) {
  const Folder folder("ring");
  const auto file = folder.read("{trace: ring_8}", 8);
  EXPECT_EQ(nodes_of(*file), 8u * (14 + 14 + 7));
  for (const auto& nodes : file->schedule.trace->ranks) {
    std::uint64_t sent = 0;
    for (const traces::Node& node : nodes)
      if (node.kind == traces::Node::Kind::send) sent += node.items;
    EXPECT_EQ(sent, 14u * (1u << 20) / 8);
  }
}

TEST(Traces, keep_nodes_that_are_not_understood_in_their_place) {
  const Folder folder("unknown");
  folder.write("t.0.et", chakra::trace_of("1 COMP us=5\n2 42 after=1 us=7\n3 MEM_LOAD after=2\n"
                                          "4 COMP after=3 num_ops=100\n5 METADATA after=4\n"
                                          "6 MEM_STORE after=5 us=3"));
  const auto file = folder.read("{trace: HERE/t}", 1);
  std::string text;
  for (const NodeCount& one : file->node_counts)
    text += one.kind + " " + one.as + (one.ignored ? " (ignored)\n" : "\n");
  EXPECT_EQ(text,
            "COMP_NODE computation\n"
            "node of type 42 order alone: not understood (ignored)\n"
            "MEM_LOAD_NODE order alone: it has no duration (ignored)\n"
            "COMP_NODE order alone: it has num_ops and no duration (ignored)\n"
            "METADATA_NODE order alone\n"
            "MEM_STORE_NODE time, in parallel to the rest\n");
}

// PyTorch lists its groups in a metadata node; the last one without ranks is on all.
TEST(Traces, take_groups_that_metadata_list) {
  const Folder folder("listed");
  const std::string list = R"(["[{"pg_name":"0","ranks":[]},{"pg_name":"5","ranks":[1,0]}]"])";
  for (const char* rank : {"0", "1", "2"}) {
    std::string lines = "1 METADATA inputs=" + list + "\n2 COLL comm_type=0 comm_size=4 pg_name=0";
    if (rank[0] != '2') lines += "\n3 COLL comm_type=2 comm_size=4 pg_name=5";
    folder.write(std::string("t.") + rank + ".et", chakra::trace_of(lines));
  }
  const auto file = folder.read("{trace: HERE/t}", 3);
  const traces::Trace& trace = *file->schedule.trace;
  ASSERT_EQ(trace.groups.size(), 2u);
  EXPECT_EQ(*trace.groups[0].ranks, (std::vector{0, 1, 2}));
  EXPECT_EQ(*trace.groups[1].ranks, (std::vector{1, 0}));
  EXPECT_EQ(trace.ranks[0][2].items, 8u);  // two parts of an allgather
}

}  // namespace
}  // namespace ringscope::broken_traces_test
