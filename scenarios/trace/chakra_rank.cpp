// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/chakra_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace ringscope {
extern const char* const chakra_collectives_yml;
}

namespace ringscope::chakra {
namespace {

using Runs = traces::Node;

/// Names by NodeType.
constexpr Array<std::string_view, 11> type_names = {
    "INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
    "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE",
    "STORAGE_NODE", "BATCH_NODE",     "CHECKPOINT_NODE"};

constexpr std::int64_t most_bytes = std::int64_t{1} << 49;

bool is(const Node& node, NodeType type) { return node.type == static_cast<int>(type); }

bool knows(const Node& node) { return node.type >= 0 && node.type < std::ssize(type_names); }

std::string name_of(const Node& node) {
  return knows(node) ? std::string(type_names[node.type])
                     : fmt::format("node of type {}", node.type);
}

Duration time_of(const Node& node) {
  constexpr double microsecond = 1e-6;
  return Duration(static_cast<double>(node.microseconds) * microsecond);
}

}  // namespace

void GroupTable::note(const File& file, const Node& node) {
  const Groups before = groups_;
  if (!add_listed_groups(node.values, ranks_, file.place(), text_of(node), groups_)) return;
  listing_[&node] = true;
  for (const auto& [name, members] : before)
    if (groups_[name] != members)
      throw InputError(file.place(), "{}: group '{}' has other ranks than it has elsewhere",
                       text_of(node), name);
}

int GroupTable::index_of(const std::string& name) {
  const auto found = groups_.find(name);
  const bool all = found == groups_.end() && (name.empty() || name == "0");
  if (found == groups_.end() && !all) return -1;
  const std::string key = all ? "" : name;
  const auto [place, is_new] = indices_.try_emplace(key, static_cast<int>(all_.size()));
  if (!is_new) return place->second;
  Table<int> members = all ? numbers_below(ranks_) : Table<int>(found->second);
  all_.push_back({all ? "all ranks" : "group " + name,
                  std::make_shared<const Table<int>>(std::move(members))});
  return place->second;
}

std::vector<std::string> GroupTable::known() const {
  return each_of(groups_, [](const auto& group) { return group.first; });
}

void RankReader::fail(const Node& node, const std::string& why) const {
  throw InputError(file_->place(), "{}: {}", text_of(node), why);
}

Table<Runs> RankReader::read() {
  choose_first_lane();
  Table<Runs> nodes = each_of(file_->nodes, [&](const Node& node) { return read_node(node); });
  add_dependences(nodes);
  return nodes;
}

// The first lane is what reports call the rank: the stream that computes most, or the first one
// where none computes.
void RankReader::choose_first_lane() {
  std::map<std::string, std::uint64_t> busy;
  for (const Node& node : file_->nodes)
    if (is(node, NodeType::comp) && !node.on_cpu.value_or(false))
      busy[stream_of(node, "computations")] += node.microseconds;
  const auto most = std::ranges::max_element(
      busy, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != busy.end()) lane(most->first);
}

int RankReader::lane(const std::string& name) {
  return lanes_.try_emplace(name, static_cast<int>(lanes_.size())).first->second;
}

std::string RankReader::stream_of(const Node& node, const std::string& otherwise) const {
  return node.tid ? fmt::format("stream {}", *node.tid) : otherwise;
}

Runs RankReader::wait(const Node& node, const std::string& name) {
  return {.kind = Runs::Kind::delay, .lane = lane(name), .time = time_of(node)};
}

Runs RankReader::order_only(const Node& node, const std::string& why, bool ignored) {
  counts_->add(name_of(node), why, ignored);
  return {.kind = Runs::Kind::order};
}

Runs RankReader::read_node(const Node& node) {
  const bool on_cpu = node.on_cpu.value_or(false);
  const std::string host = fmt::format("host thread {}", node.tid.value_or(0));
  const bool computes = is(node, NodeType::comp);
  const bool communicates = node.type >= static_cast<int>(NodeType::comm_send) &&
                            node.type <= static_cast<int>(NodeType::comm_coll);
  if (on_cpu && (computes || communicates)) {
    counts_->add(name_of(node) + " of the CPU", "time of a thread of the host");
    return wait(node, host);
  }
  if (computes && node.microseconds == 0 && node.num_ops.value_or(0) > 0)
    return order_only(node, "order alone: it has num_ops and no duration", true);
  if (computes) {
    counts_->add(name_of(node), "computation");
    return {.kind = Runs::Kind::compute,
            .lane = lane(stream_of(node, "computations")),
            .time = time_of(node)};
  }
  if (is(node, NodeType::comm_coll)) return read_collective(node);
  if (communicates) return read_message(node);
  if (is(node, NodeType::metadata)) {
    if (groups_->lists_groups(node)) return order_only(node, "groups of ranks", false);
    return order_only(node, "order alone", false);
  }
  if (is(node, NodeType::invalid)) return order_only(node, "order alone", false);
  if (!knows(node)) return order_only(node, "order alone: not understood", true);
  if (node.microseconds == 0) return order_only(node, "order alone: it has no duration", true);
  counts_->add(name_of(node), "time, in parallel to the rest");
  return wait(node, name_of(node));
}

std::int64_t RankReader::needed(const Node& node, const std::optional<std::int64_t>& value,
                                std::string_view name, std::int64_t least,
                                std::int64_t most) const {
  if (!value) fail(node, "a {} needs the attribute '{}'", name_of(node), name);
  if (*value < least || *value > most)
    fail(node, "the attribute '{}' is {}, expected from {} to {}", name, *value, least, most);
  return *value;
}

Runs RankReader::read_message(const Node& node) {
  const bool sends = is(node, NodeType::comm_send);
  if (request_->every_rank_as >= 0)
    fail(node, "with 'every_rank_as' there are no messages: every rank would have one peer");
  const auto peer =
      static_cast<int>(needed(node, sends ? node.comm_dst : node.comm_src,
                              sends ? "comm_dst" : "comm_src", 0, request_->ranks - 1));
  if (peer == rank_) fail(node, "rank {} has itself as its peer", rank_);
  const auto& self = sends ? node.comm_src : node.comm_dst;
  if (self && *self != rank_)
    fail(node, "the attribute '{}' is {}, in the file of rank {}", sends ? "comm_src" : "comm_dst",
         *self, rank_);
  counts_->add(name_of(node), sends ? "a message sent" : "a message received");
  constexpr std::int64_t most_tag = std::numeric_limits<int>::max();
  const auto tag = node.comm_tag ? needed(node, node.comm_tag, "comm_tag", 0, most_tag) : 0;
  return {
      .kind = sends ? Runs::Kind::send : Runs::Kind::receive,
      .items = static_cast<std::uint64_t>(needed(node, node.comm_size, "comm_size", 0, most_bytes)),
      .peer = peer,
      .tag = static_cast<int>(tag)};
}

Runs RankReader::read_collective(const Node& node) {
  static const Value types = Value::from_text("chakra_collectives.yml", chakra_collectives_yml);
  const auto row = needed(node, node.comm_type, "comm_type", 0, std::ssize(types.items()) - 1);
  const Value& type = *(types.items().begin() + row);
  const std::string& collective = type.find("collective")->scalar();
  const bool barrier = collective == "barrier";
  const std::int64_t input = barrier ? 0 : needed(node, node.comm_size, "comm_size", 0, most_bytes);
  const int number = group_of(node);
  const traces::TraceGroup& group = groups_->group(number);
  const auto members = static_cast<std::int64_t>(group.ranks->size());
  const Algorithm* algorithm = request_->on_gpus(collective, type.find("algorithm")->scalar());
  counts_->add(fmt::format("{} {}", name_of(node), type.find("name")->scalar()),
               fmt::format("{}, {}", collective, algorithm->name));
  return {.kind = Runs::Kind::collective,
          .lane = lane(stream_of(node, group.name)),
          .items = static_cast<std::uint64_t>(type.find("of_parts")->boolean() ? input * members
                                                                               : input),
          .group = number,
          .algorithm = algorithm,
          .root = root_of(node, group)};
}

int RankReader::group_of(const Node& node) {
  const std::string name = node.group.value_or("");
  if (name.empty() && node.some_dimensions)
    fail(node,
         "'involved_dim' omits a dimension, and a trace does not list the ranks that remain: "
         "name them by 'pg_name' and a file of groups");
  const int number = groups_->index_of(name);
  if (number < 0) fail(node, unknown_name("group", name, groups_->known()));
  const auto& members = *groups_->group(number).ranks;
  if (std::ranges::find(members, rank_) == members.end())
    fail(node, "rank {} is not in the group '{}' that this is on", rank_, name);
  return number;
}

int RankReader::root_of(const Node& node, const traces::TraceGroup& group) const {
  if (!node.root) return 0;
  const auto found = std::ranges::find(*group.ranks, static_cast<int>(*node.root));
  if (found == group.ranks->end())
    fail(node, "its root, rank {}, is not in {}", *node.root, group.name);
  return static_cast<int>(found - group.ranks->begin());
}

void RankReader::add_dependences(Table<Runs>& nodes) const {
  std::unordered_map<std::uint64_t, int> numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!numbers.emplace(file_->nodes[i].id, static_cast<int>(i)).second)
      fail(file_->nodes[i], "another node has this number");
  const auto add = [&](std::size_t i, const std::vector<std::uint64_t>& ids) {
    for (const std::uint64_t id : ids) {
      const auto found = numbers.find(id);
      if (found == numbers.end())
        fail(file_->nodes[i], "it waits for node {}, which is not in the file", id);
      const Runs& other = nodes[found->second];
      const bool buffered = other.kind == Runs::Kind::send;
      (buffered ? nodes[i].after_starts : nodes[i].after).push_back(found->second);
    }
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    add(i, file_->nodes[i].data_deps);
    if (request_->ctrl_deps) add(i, file_->nodes[i].ctrl_deps);
  }
}

}  // namespace ringscope::chakra
