// SPDX-License-Identifier: LGPL-2.1-or-later
// Nodes of one rank of a Chakra trace, as nodes that run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/trace/chakra_file.hpp"
#include "scenarios/trace/trace_file.hpp"

namespace ringscope::chakra {

/// Groups by their names; the name "", and "0" where no group is called so, mean all ranks.
/// Source: astra-sim/astra-sim, astra-sim/workload/Workload.cc, extract_comm_group.
class GroupTable {
 public:
  GroupTable(Groups groups, int ranks) : groups_(std::move(groups)), ranks_(ranks) {}

  /// Takes the groups that a metadata node lists.
  void note(const File& file, const Node& node);
  bool lists_groups(const Node& node) const { return listing_.count(&node) > 0; }
  /// Index among all(); -1 where there is no such group.
  int index_of(const std::string& name);
  const traces::TraceGroup& group(int index) const { return all_[index]; }
  std::vector<std::string> known() const;
  const Table<traces::TraceGroup>& all() const { return all_; }

 private:
  Groups groups_;
  int ranks_;
  std::map<const Node*, bool> listing_;
  std::map<std::string, int> indices_;
  Table<traces::TraceGroup> all_;
};

class RankReader {
 public:
  RankReader(const TraceRequest& request, const File& file, int rank, GroupTable& groups,
             NodeCounts& counts)
      : request_(&request), file_(&file), rank_(rank), groups_(&groups), counts_(&counts) {}

  Table<traces::Node> read();

 private:
  traces::Node read_node(const Node& node);
  traces::Node read_message(const Node& node);
  traces::Node read_collective(const Node& node);
  int group_of(const Node& node);
  int root_of(const Node& node, const traces::TraceGroup& group) const;
  traces::Node wait(const Node& node, const std::string& lane);
  traces::Node order_only(const Node& node, const std::string& why, bool ignored);
  /// Value of an attribute that the node has to have, within limits.
  std::int64_t needed(const Node& node, const std::optional<std::int64_t>& value,
                      std::string_view name, std::int64_t least, std::int64_t most) const;
  int lane(const std::string& name);
  std::string stream_of(const Node& node, const std::string& otherwise) const;
  void choose_first_lane();
  void add_dependences(Table<traces::Node>& nodes) const;
  [[noreturn]] void fail(const Node& node, const std::string& why) const;
  template <typename... Parts>
  [[noreturn]] void fail(const Node& node, fmt::format_string<Parts...> why,
                         Parts&&... parts) const {
    fail(node, fmt::format(why, std::forward<Parts>(parts)...));
  }

  const TraceRequest* request_;
  const File* file_;
  int rank_;
  GroupTable* groups_;
  NodeCounts* counts_;
  std::map<std::string, int> lanes_;
};

}  // namespace ringscope::chakra
