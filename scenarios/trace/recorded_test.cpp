// SPDX-License-Identifier: LGPL-2.1-or-later
// Does each wrong record draw the message that tells a person what to do, and does a right one
// become the nodes that its calls mean?
//
// broken_records.txt holds the wrong ones as lines of calls, and the messages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "scenarios/trace/recorded/file.hpp"
#include "scenarios/trace/trace_file.hpp"
#include "topologies/input/complaint_for_test.hpp"
#include "topologies/input/sections_for_test.hpp"

namespace ringscope::recorded_test {
namespace {

namespace fs = std::filesystem;
using traces::Node;

/// A folder of its own for the calls of one program.
class Record {
 public:
  explicit Record(const std::string& name) : path_(testing::TempDir() + "record_" + name) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Record() { fs::remove_all(path_); }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  void write(const std::string& rank, const std::string& text) const {
    std::ofstream(path_ + "/calls." + rank, std::ios::binary) << text;
  }
  /// Behind a head, with the communicator of all ranks and a good end.
  void write_calls(int rank, int ranks, const std::string& calls) const {
    write(std::to_string(rank),
          fmt::format("ringscope-calls 1\nrank {} of {}\nhost h\nmpi Open MPI v4.1.4\nprogram p\n"
                      "clock wall\ncommunicator 0 0-{}\n{}{}7 5 finalize\n",
                      rank, ranks, ranks - 1, calls, calls.empty() ? "" : "\n"));
  }
  std::shared_ptr<const ScheduleFile> read(int ranks, const std::string& more = "") const {
    const Value value =
        Value::from_text("job", fmt::format("{{trace: {{files: {}{}}}}}", path_, more));
    Fields fields(value, "job");
    return read_trace(fields, fields.required("trace"), ranks);
  }
  /// Without the folder's path.
  std::string complaint(int ranks, const std::string& more = "") const {
    std::string text = complaint_of([&] { (void)read(ranks, more); });
    for (std::size_t at; (at = text.find(path_)) != std::string::npos;)
      text.replace(at, path_.size(), "HERE");
    return text;
  }

 private:
  std::string path_;
};

/// "compute 100 ns", "send 8 B to 1", "allreduce 800 B of all ranks", behind it what it comes
/// after.
std::string text_of(const traces::Trace& trace, const Node& node) {
  std::string text;
  if (node.kind == Node::Kind::compute)
    text = fmt::format("compute {:.0f} ns", node.time.count() * 1e9);
  if (node.kind == Node::Kind::send)
    text = fmt::format("send {} B to {} tag {}", node.items, node.peer, node.tag);
  if (node.kind == Node::Kind::receive)
    text = fmt::format("receive {} B from {} tag {}", node.items, node.peer, node.tag);
  if (node.kind == Node::Kind::collective)
    text = fmt::format("{}{} {} B of {} root {}", node.nonblocking ? "i" : "",
                       node.algorithm->collective, node.items,
                       trace.groups[static_cast<std::size_t>(node.group)].name, node.root);
  for (const int other : node.after) text += fmt::format(" < {}", other);
  return text;
}

std::vector<std::string> nodes_of(const ScheduleFile& file, int rank) {
  std::vector<std::string> texts;
  for (const Node& node : file.schedule.trace->ranks[static_cast<std::size_t>(rank)])
    texts.push_back(text_of(*file.schedule.trace, node));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Records, become_nodes_that_come_after_what_the_program_did_before) {
  const Record record("nodes");
  record.write_calls(0, 2,
                     "100 9 irecv from=any tag=any room=64 request=0\n"
                     "0 9 isend to=1 tag=5 bytes=8 request=1\n"
                     "50 9 waitall done=1,0:1:6:16\n"
                     "0 9 allreduce bytes=800");
  record.write_calls(1, 2,
                     "100 9 recv from=0 tag=5 bytes=8\n"
                     "0 9 send to=0 tag=6 bytes=16\n"
                     "0 9 allreduce bytes=800");
  const auto file = record.read(2);
  EXPECT_EQ(nodes_of(*file, 0),
            (Texts{"compute 100 ns", "receive 16 B from 1 tag 6 < 0", "send 8 B to 1 tag 5 < 0",
                   "compute 50 ns < 0", "allreduce 800 B of all ranks root 0 < 2 < 1 < 3",
                   "compute 7 ns < 4"}));
  EXPECT_EQ(nodes_of(*file, 1),
            (Texts{"compute 100 ns", "receive 8 B from 0 tag 5 < 0", "send 16 B to 0 tag 6 < 1",
                   "allreduce 800 B of all ranks root 0 < 2", "compute 7 ns < 3"}));
}

TEST(Records, compute_as_much_longer_as_asked_for) {
  const Record record("scale");
  record.write_calls(0, 1, "100 9 poll calls=3\n50 9 barrier");
  EXPECT_EQ(nodes_of(*record.read(1, ", compute_scale: 2"), 0), (Texts{"compute 314 ns"}));
}

TEST(Records, have_the_vectors_of_all_parts) {
  const Record record("parts");
  for (int rank = 0; rank < 3; ++rank)
    record.write_calls(rank, 3,
                       fmt::format("0 9 gather bytes=4 root=2\n0 9 allgatherv bytes={0}\n"
                                   "0 9 reduce_scatter bytes={0}\n0 9 ialltoall bytes=5 request=0\n"
                                   "0 9 wait done=0",
                                   rank + 1));
  EXPECT_EQ(nodes_of(*record.read(3), 1),
            (Texts{"gather 12 B of all ranks root 2", "allgather 6 B of all ranks root 0 < 0",
                   "reduce_scatter 6 B of all ranks root 0 < 1",
                   "ialltoall 15 B of all ranks root 0 < 2", "compute 7 ns < 3 < 2"}));
}

TEST(Records, unequal_parts_are_messages) {
  const Record record("uneven");
  for (int rank = 0; rank < 3; ++rank)
    record.write_calls(rank, 3,
                       fmt::format("0 9 gatherv bytes={} root=0\n0 9 alltoallv parts=0,{}x4{}",
                                   10 * rank, rank == 1 ? 1 : 2, rank == 1 ? ",9" : ""));
  const auto file = record.read(3);
  // Rank 0 gets 10 and 20 bytes; nothing is sent where there is nothing to send.
  EXPECT_EQ(
      nodes_of(*file, 0),
      (Texts{"receive 10 B from 1 tag 1048576", "receive 20 B from 2 tag 1048576",
             "compute 0 ns < 0 < 1", "compute 0 ns < 0 < 1", "send 4 B to 1 tag 1048576 < 0 < 1",
             "send 4 B to 2 tag 1048576 < 0 < 1", "compute 7 ns < 2 < 3 < 4 < 5"}));
  EXPECT_EQ(nodes_of(*file, 2)[1], "receive 9 B from 1 tag 1048576 < 0");
}

TEST(Records, communicators_with_equal_members_stay_distinct) {
  const Record record("same");
  for (int rank = 0; rank < 2; ++rank)
    record.write_calls(rank, 2,
                       fmt::format("communicator 1 1,0\ncommunicator 2 0-1\n"
                                   "0 9 {0} {1}={2} tag=1 bytes=8 in=1\n"
                                   "0 9 {0} {1}={2} tag=1 bytes=8\n0 9 bcast bytes=3 root=1 in=2",
                                   rank == 0 ? "send" : "recv", rank == 0 ? "to" : "from",
                                   // as communicator 1 numbers it, 0 is rank 1
                                   0));
  EXPECT_NE(record.complaint(2), "");  // the second message goes from rank 0 to itself
  for (int rank = 0; rank < 2; ++rank)
    record.write_calls(
        rank, 2,
        fmt::format("communicator 1 1,0\ncommunicator 2 0-1\n"
                    "0 9 {0} {1}={2} tag=1 bytes=8 in=1\n"
                    "0 9 {0} {1}={3} tag=1 bytes=8\n0 9 bcast bytes=3 root=1 in=2",
                    rank == 0 ? "send" : "recv", rank == 0 ? "to" : "from", rank, 1 - rank));
  EXPECT_EQ(nodes_of(*record.read(2), 0),
            (Texts{"send 8 B to 1 tag 1048576", "send 8 B to 1 tag 1 < 0",
                   "broadcast 3 B of all ranks (2) root 1 < 1", "compute 7 ns < 2"}));
}

TEST(Records, are_accounted_for_call_by_call) {
  const Record record("counts");
  record.write_calls(0, 1, "0 9 other call=MPI_Put\n0 9 other call=MPI_Put\n0 9 barrier");
  const auto file = record.read(1);
  std::map<std::string, std::size_t> counts;
  for (const NodeCount& one : file->node_counts) counts[one.kind] += one.count;
  EXPECT_EQ(counts,
            (std::map<std::string, std::size_t>{{"other", 2}, {"barrier", 1}, {"finalize", 1}}));
  EXPECT_EQ(nodes_of(*file, 0), (Texts{"compute 25 ns"}));  // 9 + 9 + 7
}

TEST(Records, take_the_algorithms_that_their_library_would) {
  using recorded::choice_of;
  constexpr const char* mpich = "MPICH Version: 4.0.2";
  EXPECT_EQ(choice_of("Open MPI v4.0.7", "allreduce", 8, 1), "open_mpi_tuned_4_0");
  EXPECT_EQ(choice_of("Open MPI v4.1.4", "allreduce", 8, 1), "open_mpi_tuned");
  EXPECT_EQ(choice_of(mpich, "allreduce", 8, 2048), "recursive_doubling");
  EXPECT_EQ(choice_of(mpich, "allreduce", 8, 2049), "rabenseifner");
}

// Whatever a library chooses must be there.
TEST(Records, choose_from_the_catalogue) {
  for (const char* library : {"Open MPI v4.1.4", "Open MPI v4.0.7", "MPICH Version: 4.0.2"})
    for (const char* collective : {"allreduce", "broadcast", "reduce", "gather", "scatter",
                                   "allgather", "alltoall", "reduce_scatter", "barrier"})
      for (const int ranks : {2, 7, 8, 64})
        for (std::uint64_t bytes = 0; bytes < 100'000'000; bytes = 4 * bytes + 1) {
          const auto name = recorded::choice_of(library, collective, ranks, bytes);
          EXPECT_NE(find_algorithm(collective, name), nullptr) << collective << " " << name;
        }
}

/// Parts: "calls of 0" and "calls of 1", "file of 1" with its head, "more" of the job's trace.
TEST(BrokenRecords, say_what_is_wrong_and_where) {
  int wrong = 0;
  for (const Section& one : sections_of("scenarios/trace/broken_records.txt")) {
    const Record record(one.name);
    for (int rank = 0; rank < 2; ++rank)
      record.write_calls(rank, 2, one.part(fmt::format("calls of {}", rank), ""));
    for (const char* rank : {"0", "1", "2"})
      if (const std::string text = one.part(std::string("file of ") + rank, ""); !text.empty())
        record.write(rank, text);
    ++wrong;
    EXPECT_EQ(record.complaint(2, one.part("more", "")), one.part("message")) << one.name;
  }
  EXPECT_GE(wrong, 20);
}

// Each prefix of a file is another broken file.
TEST(BrokenRecords, truncated_records_are_rejected_at_any_length) {
  const std::string whole =
      "ringscope-calls 1\nrank 0 of 1\nhost h\nmpi m\nprogram p\nclock wall\n"
      "communicator 0 0\n12 9 barrier\n7 5 finalize\n";
  const Record record("cut");
  for (std::size_t end = 0; end <= whole.size(); ++end) {
    record.write("0", whole.substr(0, end));
    EXPECT_EQ(record.complaint(1).empty(), end == whole.size()) << end;
  }
}

}  // namespace
}  // namespace ringscope::recorded_test
