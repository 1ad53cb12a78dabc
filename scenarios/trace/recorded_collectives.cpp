// SPDX-License-Identifier: LGPL-2.1-or-later
// Collectives of a recorded program: those that the catalogue has, and messages in place of others.
#include <algorithm>

#include "scenarios/trace/recorded_rank_reader.hpp"

namespace ringscope::recorded {
namespace {

/// Tag of the messages that stand for a collective: programs have none below 0.
constexpr std::int64_t tag_of_collectives = -1000;

constexpr Row rows[] = {{"bcast", "broadcast"},
                        {"reduce", "reduce"},
                        {"allreduce", "allreduce"},
                        {"barrier", "barrier"},
                        {"gather", "gather", Row::Size::part_of_each},
                        {"scatter", "scatter", Row::Size::part_of_each},
                        {"allgather", "allgather", Row::Size::part_of_each},
                        {"alltoall", "alltoall", Row::Size::part_of_each},
                        {"allgatherv", "allgather", Row::Size::sum},
                        {"reduce_scatter", "reduce_scatter", Row::Size::sum}};

}  // namespace

std::span<const Row> collective_rows() { return rows; }

void set_size(traces::Node& node, std::uint64_t bytes) {
  node.items = bytes;
  if (bytes == 0) node.kind = traces::Node::Kind::compute;  // libraries send nothing then
}

void set_collective(traces::Node& node, const Settings& settings, std::string_view collective,
                    int ranks, std::uint64_t bytes) {
  node.items = bytes;
  node.algorithm =
      settings.request->algorithm(collective, choice_of(settings.mpi, collective, ranks, bytes));
}

Part& RankReader::note(const Call& call, std::string_view name, const Communicator& comm) {
  auto& parts = rank_.groups[comm.group];
  parts.push_back({.name = name, .line = line_->number});
  if (call.has("root")) parts.back().root = call.rank("root", comm.size());
  if (call.has("bytes")) parts.back().bytes = call.bytes("bytes");
  return parts.back();
}

void RankReader::finish(const Call& call, bool blocks, std::vector<int> nodes) {
  if (!blocks) return begin(call, std::move(nodes));
  if (!nodes.empty()) go_on_after(std::move(nodes));
}

bool RankReader::read_any_collective(const Call& call) {
  for (const bool blocks : {true, false}) {
    if (!blocks && !call.name().starts_with('i')) return false;
    const std::string_view name = blocks ? call.name() : call.name().substr(1);
    const auto row = std::ranges::find(rows, name, &Row::call);
    const bool parts = name == "gatherv" || name == "scatterv" || name == "alltoallv";
    const bool scan = name == "scan" || name == "exscan";
    if (row == std::end(rows) && !parts && !scan) continue;
    counts_->add(std::string(call.name()), parts || scan ? "messages" : "a collective");
    if (row != std::end(rows))
      read_collective(call, *row, blocks);
    else if (scan)
      read_scan(call, blocks);
    else if (name == "alltoallv")
      read_parts_of_all(call, blocks);
    else
      read_rooted_parts(call, name == "gatherv", blocks);
    return true;
  }
  return false;
}

void RankReader::read_collective(const Call& call, const Row& row, bool blocks) {
  const Communicator& comm = communicator(call);
  if (row.collective != "barrier") call.word("bytes");
  Part& part = note(call, row.call, comm);
  const bool rooted =
      row.call == "bcast" || row.call == "reduce" || row.call == "gather" || row.call == "scatter";
  if (rooted && part.root < 0) call.fail("root", "the root has to be a rank of the communicator");
  if (comm.size() == 1) return finish(call, blocks, {});
  const int node = add({.kind = Node::Kind::collective,
                        .nonblocking = !blocks,
                        .lane = lane_,
                        .group = comm.group,
                        .root = std::max(0, part.root)});
  const auto times = row.size == Row::Size::part_of_each ? std::uint64_t(comm.size()) : 1;
  set_collective(rank_.nodes[node], *settings_, row.collective, comm.size(), part.bytes * times);
  if (row.size == Row::Size::sum) part.nodes = {node};
  finish(call, blocks, {node});
}

/// As libraries do it: each rank sends its part to the root, or the root to each.
void RankReader::read_rooted_parts(const Call& call, bool to_root, bool blocks) {
  const Communicator& comm = communicator(call);
  call.word("bytes");
  call.word("root");
  Part& part = note(call, to_root ? "gatherv" : "scatterv", comm);
  if (part.root < 0) call.fail("root", "the root has to be a rank of the communicator");
  const bool is_root = part.root == comm.self;
  const Node::Kind kind = is_root == to_root ? Node::Kind::receive : Node::Kind::send;
  std::vector<int> nodes;
  for (int peer = 0; peer < comm.size(); ++peer) {
    const bool talks = is_root ? peer != part.root : peer == part.root;
    if (talks) nodes.push_back(message_to(comm, kind, peer, tag_of_collectives, part.bytes));
  }
  if (!is_root) set_size(rank_.nodes[nodes.front()], part.bytes);
  if (is_root) part.nodes = nodes;
  finish(call, blocks, nodes);
}

/// All posted at once; each rank begins with its next one.
void RankReader::read_parts_of_all(const Call& call, bool blocks) {
  const Communicator& comm = communicator(call);
  Part& part = note(call, "alltoallv", comm);
  part.parts = call.parts(comm.size());
  std::vector<int> nodes;
  const int size = comm.size();
  for (int step = 1; step < size; ++step) {
    const int from = (comm.self + size - step) % size;
    nodes.push_back(message_to(comm, Node::Kind::receive, from, tag_of_collectives, 0));
  }
  part.nodes = nodes;
  for (int step = 1; step < size; ++step) {
    const int to = (comm.self + step) % size;
    nodes.push_back(message_to(comm, Node::Kind::send, to, tag_of_collectives, 0));
    set_size(rank_.nodes.back(), part.parts[to]);
  }
  finish(call, blocks, nodes);
}

/// From rank to rank, as libraries do it; what each adds takes no time here.
void RankReader::read_scan(const Call& call, bool blocks) {
  const Communicator& comm = communicator(call);
  call.word("bytes");
  const Part& part = note(call, "scan", comm);
  std::vector<int> nodes;
  if (comm.self > 0)
    nodes.push_back(
        message_to(comm, Node::Kind::receive, comm.self - 1, tag_of_collectives, part.bytes));
  if (comm.self + 1 < comm.size()) {
    const int sent =
        message_to(comm, Node::Kind::send, comm.self + 1, tag_of_collectives, part.bytes);
    if (!nodes.empty()) rank_.nodes[sent].after = nodes;
    nodes = {sent};
  }
  finish(call, blocks, nodes);
}

}  // namespace ringscope::recorded
