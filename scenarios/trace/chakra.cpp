#include "scenarios/trace/chakra.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "scenarios/trace/chakra_rank.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view endings[] = {".et", ".et.gz"};

/// A file's name: the trace's, and the rank's number.
struct Named {
  std::string trace;
  int rank = -1;
};

/// Nothing for a file of another kind.
std::optional<Named> named(const std::string& file) {
  for (const std::string_view ending : endings) {
    if (!file.ends_with(ending)) continue;
    const std::string stem = file.substr(0, file.size() - ending.size());
    const std::size_t dot = stem.rfind('.');
    if (dot == std::string::npos || dot == 0) continue;
    const std::string digits = stem.substr(dot + 1);
    constexpr std::size_t most_digits = 7;
    if (digits.empty() || digits.size() > most_digits ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      continue;
    return Named{stem.substr(0, dot), std::stoi(digits)};
  }
  return {};
}

fs::path folder_of(const std::string& files) {
  const fs::path folder = fs::path(files).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

/// The file of each rank that has one.
std::map<int, std::string> files_of(const std::string& files) {
  std::map<int, std::string> found;
  const std::string name = fs::path(files).filename().string();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_of(files), ignored)) {
    const auto one = named(entry.path().filename().string());
    if (one && one->trace == name) found[one->rank] = entry.path().string();
  }
  return found;
}

std::string ranks_text(const std::map<int, std::string>& files) {
  return fmt::format("there are files of {} rank{}, {} to {}", files.size(),
                     files.size() == 1 ? "" : "s", files.begin()->first, files.rbegin()->first);
}

/// The files that are read, one for each rank of the job.
std::vector<std::string> chosen_files(const TraceRequest& request) {
  const std::map<int, std::string> files = files_of(request.files);
  if (request.every_rank_as >= 0) {
    const auto found = files.find(request.every_rank_as);
    if (found == files.end())
      request.fail(fmt::format("every_rank_as: rank {} has no file: {}", request.every_rank_as,
                               ranks_text(files)));
    return {found->second};
  }
  for (int rank = 0; rank < static_cast<int>(files.size()); ++rank)
    if (files.count(rank) == 0)
      request.fail(fmt::format("the file of rank {} is missing: {}", rank, ranks_text(files)));
  const auto count = static_cast<int>(files.size());
  if (count != request.ranks)
    request.fail(
        fmt::format("{}, and the job has {}{}", ranks_text(files), request.ranks,
                    count == 1 ? ": 'every_rank_as: 0' lets each do what rank 0 did" : ""));
  std::vector<std::string> paths;
  for (const auto& [rank, path] : files) paths.push_back(path);
  return paths;
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

bool is_chakra(const std::string& files) { return !files_of(files).empty(); }

std::vector<std::string> chakra_names(const std::string& folder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (const auto one = named(entry.path().filename().string())) names.insert(one->trace);
  return {names.begin(), names.end()};
}

void read_chakra(const TraceRequest& request, TraceAnswer& into) {
  auto files = std::make_shared<std::vector<chakra::File>>();
  into.read = chosen_files(request);
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
    const chakra::File& file = (*files)[own ? static_cast<std::size_t>(rank) : 0];
    NodeCounts same;  // of a file that several ranks share, its nodes are counted once
    NodeCounts& counts = own || rank == 0 ? into.counts : same;
    into.trace.ranks.push_back(chakra::RankReader(request, file, rank, groups, counts).read());
  }
  into.trace.groups = groups.all();
  into.trace.asynchronous = computes_beside_messages(into.trace);
  const auto file_of = [files](traces::NodeId id) -> const chakra::File& {
    return (*files)[files->size() == 1 ? 0 : static_cast<std::size_t>(id.rank)];
  };
  into.words = [file_of](traces::NodeId id) {
    return text_of(file_of(id).nodes[static_cast<std::size_t>(id.node)]);
  };
  into.place = [file_of](traces::NodeId id) { return file_of(id).place(); };
}

}  // namespace ringscope
