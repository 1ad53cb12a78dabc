// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls of one rank as nodes of a trace.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "scenarios/trace/recorded/file.hpp"
#include "scenarios/trace/trace_file.hpp"

namespace ringscope::recorded {

/// One rank's part in a collective, to be compared with that of the others. Where ranks have parts
/// of different sizes, what a rank gets only the others know: it is filled in when all are read.
struct Part {
  std::string_view name;  ///< of the call, without the i of one that does not block
  int line = 0;
  int root = -1;
  std::uint64_t bytes = 0;       ///< of this rank
  Table<std::uint64_t> parts{};  ///< alltoallv: to each rank
  std::vector<int> nodes{};      ///< whose sizes the others say
};

/// All that is made of a rank's file.
struct Rank {
  Table<traces::Node> nodes;
  Table<int> lines;                         ///< by node
  std::map<int, std::vector<Part>> groups;  ///< by group: its collectives
};

struct Settings {
  const TraceRequest* request = nullptr;
  std::string_view mpi;  ///< the library's own words
};

/// Sets the size of a message whose size the other end says; one without bytes is not sent.
void set_size(traces::Node& node, std::uint64_t bytes);

/// The node of a collective of `bytes` as the library would do it.
void set_collective(traces::Node& node, const Settings& settings, std::string_view collective,
                    int ranks, std::uint64_t bytes);

/// Reads a file to its end. Throws InputError.
Rank read_rank(File& file, const Settings& settings, Groups& groups, NodeCounts& counts);

// Reader of one rank's calls: what each becomes, and what it comes after.

/// A call that is one collective of the catalogue, and how the whole vector follows from the part
/// that a rank tells.
struct Row {
  std::string_view call, collective;
  enum class Size : std::uint8_t { vector, part_of_each, sum } size{};
};
std::span<const Row> collective_rows();

class RankReader {
 public:
  RankReader(File& file, const Settings& settings, Groups& groups, NodeCounts& counts)
      : file_(&file), settings_(&settings), groups_(&groups), counts_(&counts) {}

  Rank read();

 private:
  /// Thread of the program: what its next call comes after, and what it has computed since.
  struct Thread {
    std::vector<int> last{};
    double gap_s = 0;
  };
  using Node = traces::Node;
  using Read = void (RankReader::*)(const Call&);
  struct Reader {
    std::vector<std::string_view> calls;
    Read read;
    std::string_view as;
  };

  static std::span<const Reader> readers();
  void read_communicator();
  void read_call(const Call& call);

  void read_send(const Call& call);
  void read_isend(const Call& call);
  void read_recv(const Call& call);
  void read_irecv(const Call& call);
  void read_sendrecv(const Call& call);
  void read_wait(const Call& call);
  void read_nothing(const Call&) {}
  void read_made(const Call& call);
  void read_other(const Call& call);

  // Collectives; each blocks, or begins a request.
  void read_collective(const Call& call, const Row& row, bool blocks);
  void read_rooted_parts(const Call& call, bool to_root, bool blocks);
  void read_parts_of_all(const Call& call, bool blocks);
  void read_scan(const Call& call, bool blocks);
  bool read_any_collective(const Call& call);

  /// Adds a node behind what its thread did; what it computed before comes first.
  int add(Node node);
  /// The thread goes on when these are done.
  /// Nothing where there are none.
  void go_on_after(std::vector<int> nodes) {
    if (!nodes.empty()) thread().last = std::move(nodes);
  }
  Thread& thread() { return threads_[lane_]; }
  void flush_gap();
  void finish(const Call& call, bool blocks, std::vector<int> nodes);
  void begin(const Call& call, std::vector<int> nodes);

  const Communicator& communicator(const Call& call) const;
  /// Its node; nothing where there is no message.
  std::vector<int> message(const Call& call, Node::Kind kind, std::string_view peer,
                           std::string_view tag, std::string_view bytes);
  int message_to(const Communicator& comm, Node::Kind kind, int peer, std::int64_t tag,
                 std::uint64_t bytes);
  Part& note(const Call& call, std::string_view name, const Communicator& comm);

  File* file_;
  const Settings* settings_;
  Groups* groups_;
  NodeCounts* counts_;
  const Line* line_ = nullptr;
  Rank rank_;
  int lane_ = 0;
  std::map<int, Thread> threads_;
  std::map<std::int64_t, Communicator> communicators_;
  std::map<std::string, int, std::less<>> turns_;
  std::map<std::int64_t, std::vector<int>> in_flight_;  ///< nodes by request
  std::map<std::int64_t, const Communicator*> receives_;
};

}  // namespace ringscope::recorded
