// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/recorded_rank.hpp"

#include <algorithm>

namespace ringscope::recorded {
namespace {

// Collectives of a recorded program: those that the catalogue has, and messages in place of others.

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

std::span<const RankReader::Reader> RankReader::readers() {
  static const Reader all[] = {
      {{"send", "bsend", "ssend", "rsend"}, &RankReader::read_send, "a message sent"},
      {{"isend", "ibsend", "issend", "irsend"}, &RankReader::read_isend, "a message sent"},
      {{"recv"}, &RankReader::read_recv, "a message received"},
      {{"irecv"}, &RankReader::read_irecv, "a message received"},
      {{"sendrecv"}, &RankReader::read_sendrecv, "a message sent and one received"},
      {{"wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome"},
       &RankReader::read_wait,
       "waiting for requests"},
      {{"poll", "probe", "start", "finalize"},
       &RankReader::read_nothing,
       "nothing: it moves no data"},
      {{"dup", "split", "create", "idup", "create_group"},
       &RankReader::read_made,
       "a barrier of the communicator that it is made of"},
      {{"other"}, &RankReader::read_other, "as long as it took"},
  };
  return all;
}

Rank RankReader::read() {
  Line line;
  while (file_->next(line)) {
    line_ = &line;
    if (line.is_communicator())
      read_communicator();
    else
      read_call(Call(line));
  }
  for (std::size_t i = 0; i < receives_.size(); ++i)
    counts_->add("irecv that was never complete", "nothing", true);
  return std::move(rank_);
}

void RankReader::read_communicator() {
  const Communicator made = groups_->read(*line_, file_->head().rank, turns_);
  const std::int64_t number = line_->number_at(line_->words[1], "a communicator's number", 0);
  if (!communicators_.emplace(number, made).second)
    line_->fail(line_->words[1], "duplicate communicator {}", number);
}

void RankReader::read_call(const Call& call) {
  lane_ = call.thread();
  constexpr double nanosecond = 1e-9;
  thread().gap_s += static_cast<double>(call.gap_ns()) * nanosecond;
  const auto reader = std::ranges::find_if(readers(), [&](const Reader& one) {
    return std::ranges::find(one.calls, call.name()) != one.calls.end();
  });
  if (reader != readers().end()) {
    counts_->add(std::string(call.name()), std::string(reader->as), call.name() == "other");
    (this->*reader->read)(call);
  } else if (!read_any_collective(call)) {
    std::vector<std::string> known;
    for (const Reader& one : readers())
      known.insert(known.end(), one.calls.begin(), one.calls.end());
    for (const Row& row : collective_rows()) known.emplace_back(row.call);
    call.fail({}, "{}", unknown_name("call", call.name(), known));
  }
  if (call.name() == "finalize") flush_gap();
}

void RankReader::flush_gap() {
  Thread& own = thread();
  if (own.gap_s <= 0) return;
  Node node{.kind = Node::Kind::compute, .lane = lane_, .time = Duration(own.gap_s)};
  own.gap_s = 0;
  own.last = {add(std::move(node))};
}

int RankReader::add(Node node) {
  flush_gap();
  node.after = thread().last;
  rank_.nodes.push_back(std::move(node));
  rank_.lines.push_back(line_->number);
  return static_cast<int>(rank_.nodes.size()) - 1;
}

const Communicator& RankReader::communicator(const Call& call) const {
  const auto found = communicators_.find(call.communicator());
  if (found == communicators_.end())
    call.fail("in", "expected a line 'communicator {}' before this line", call.communicator());
  if (found->second.group < 0)
    call.fail("in",
              "its communicator joins two groups (an intercommunicator): such messages are "
              "not simulated");
  return found->second;
}

int RankReader::message_to(const Communicator& comm, Node::Kind kind, int peer, std::int64_t tag,
                           std::uint64_t bytes) {
  return add({.kind = kind,
              .items = bytes,
              .peer = (*comm.ranks)[peer],
              .tag = groups_->tag(comm.group, tag)});
}

std::vector<int> RankReader::message(const Call& call, Node::Kind kind, std::string_view peer,
                                     std::string_view tag, std::string_view bytes) {
  const Communicator& comm = communicator(call);
  const int other = call.rank(peer, comm.size());
  if (other == any) call.fail(peer, "a message that is over has a rank, not 'any'");
  if (other == none) return {};
  return {message_to(comm, kind, other, call.number(tag), call.bytes(bytes))};
}

void RankReader::read_send(const Call& call) {
  go_on_after(message(call, Node::Kind::send, "to", "tag", "bytes"));
}

void RankReader::read_recv(const Call& call) {
  go_on_after(message(call, Node::Kind::receive, "from", "tag", "bytes"));
}

void RankReader::read_sendrecv(const Call& call) {
  std::vector<int> both = message(call, Node::Kind::receive, "from", "from_tag", "from_bytes");
  const std::vector<int> sent = message(call, Node::Kind::send, "to", "tag", "bytes");
  both.insert(both.end(), sent.begin(), sent.end());
  go_on_after(both);
}

void RankReader::begin(const Call& call, std::vector<int> nodes) {
  const std::int64_t request = call.number("request");
  if (!in_flight_.emplace(request, std::move(nodes)).second)
    call.fail("request", "request {} is in flight already", request);
}

void RankReader::read_isend(const Call& call) {
  begin(call, message(call, Node::Kind::send, "to", "tag", "bytes"));
}

/// Its message is known at its end: until then it is a node that does nothing.
void RankReader::read_irecv(const Call& call) {
  const Communicator& comm = communicator(call);
  const std::int64_t request = call.number("request");
  begin(call, {add({.kind = Node::Kind::compute, .lane = lane_})});
  receives_[request] = &comm;
}

void RankReader::read_wait(const Call& call) {
  std::vector<int> awaited;
  for (const Done& one : call.done()) {
    const auto found = in_flight_.find(one.request);
    if (found == in_flight_.end())
      line_->fail(one.word, "request {} is not in flight", one.request);
    const auto receive = receives_.extract(one.request);
    if (one.came == receive.empty() && !one.cancelled)
      line_->fail(one.word, "{}",
                  receive.empty() ? "the request of a send names no received message"
                                  : "expected the request of a receive as REQUEST:FROM:TAG:BYTES");
    if (one.came && one.from != none) {
      const Communicator& comm = *receive.mapped();
      if (one.from >= comm.size() || one.from == any)
        line_->fail(one.word, "'{}' comes from no rank of its communicator of {}", one.word,
                    comm.size());
      Node& node = rank_.nodes[found->second.front()];
      node.kind = Node::Kind::receive;
      node.lane = 0;
      node.peer = (*comm.ranks)[one.from];
      node.tag = groups_->tag(comm.group, one.tag);
      node.items = static_cast<std::uint64_t>(one.bytes);
    }
    awaited.insert(awaited.end(), found->second.begin(), found->second.end());
    in_flight_.erase(found);
  }
  if (awaited.empty()) return;
  flush_gap();
  awaited.insert(awaited.end(), thread().last.begin(), thread().last.end());
  go_on_after(awaited);
}

void RankReader::read_made(const Call& call) {
  if (call.name() == "idup") return begin(call, {});
  if (call.name() == "create_group") return;  // only its members call it
  read_collective(call, {.call = call.name(), .collective = "barrier"}, true);
}

void RankReader::read_other(const Call& call) {
  constexpr double nanosecond = 1e-9;
  call.word("call");
  thread().gap_s += nanosecond * static_cast<double>(call.line().number_at(
                                     call.line().words[1], "nanoseconds in the call", 0));
}

Rank read_rank(File& file, const Settings& settings, Groups& groups, NodeCounts& counts) {
  return RankReader(file, settings, groups, counts).read();
}

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
  go_on_after(std::move(nodes));
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
