// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/trace_file.hpp"

#include <algorithm>
#include <filesystem>

#include "scenarios/trace/chakra_rank.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view chakra_endings[] = {".et", ".et.gz"};

fs::path folder_of(const std::string& files) {
  const fs::path folder = fs::path(files).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

/// The user's file of groups, or the one beside the trace; "" where there is none.
std::string group_file_of(const TraceRequest& request) {
  if (!request.groups.empty()) return request.groups;
  const std::string names[] = {request.files + ".json",
                               (folder_of(request.files) / "comm_group.json").string()};
  std::error_code ignored;
  for (const std::string& path : names)
    if (fs::exists(path, ignored)) return path;
  return "";
}

/// A rank that does nothing beside its messages sees to them itself.
bool computes_beside_messages(const traces::Trace& trace) {
  using Kind = traces::Node::Kind;
  return std::ranges::any_of(trace.ranks, [](const std::vector<traces::Node>& nodes) {
    const auto has = [&](auto... kinds) {
      return std::ranges::any_of(
          nodes, [&](const traces::Node& node) { return ((node.kind == kinds) || ...); });
    };
    return has(Kind::compute, Kind::delay, Kind::collective) && has(Kind::send, Kind::receive);
  });
}

}  // namespace

bool is_chakra(const std::string& files) { return !rank_files(files, chakra_endings).empty(); }

void read_chakra(const TraceRequest& request, TraceAnswer& into) {
  auto files = std::make_shared<Table<chakra::File>>();
  into.read = chosen_files(request, rank_files(request.files, chakra_endings));
  for (const std::string& path : into.read) files->push_back(chakra::read_chakra_file(path));
  const std::string listed = group_file_of(request);
  if (!listed.empty()) into.read.push_back(listed);
  chakra::GroupTable groups(
      listed.empty() ? chakra::Groups{} : chakra::read_group_file(listed, request.ranks),
      request.ranks);
  for (const chakra::File& file : *files)
    for (const chakra::Node& node : file.nodes)
      if (node.type == static_cast<int>(chakra::NodeType::metadata)) groups.note(file, node);
  for (int rank = 0; rank < request.ranks; ++rank) {
    const bool own = request.every_rank_as < 0;
    const chakra::File& file = (*files)[own ? rank : 0];
    NodeCounts same;  // of a file that several ranks share, its nodes are counted once
    NodeCounts& counts = own || rank == 0 ? into.counts : same;
    into.trace.ranks.push_back(chakra::RankReader(request, file, rank, groups, counts).read());
  }
  into.trace.groups = groups.all();
  into.trace.asynchronous = computes_beside_messages(into.trace);
  const auto file_of = [files](traces::NodeId id) -> const chakra::File& {
    return (*files)[files->size() == 1 ? 0 : id.rank];
  };
  into.words = [file_of](traces::NodeId id) { return text_of(file_of(id).nodes[id.node]); };
  into.place = [file_of](traces::NodeId id) { return file_of(id).place(); };
}

}  // namespace ringscope
