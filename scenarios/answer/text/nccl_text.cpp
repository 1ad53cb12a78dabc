// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/text/topology_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "nccl/choice/choice.hpp"
#include "nccl/choice/rccl.hpp"
#include "scenarios/answer/text/table.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_named = 64;  ///< ranks of a ring or tree

std::string joined(const std::vector<int>& numbers) {
  const std::size_t named = std::min(most_named, numbers.size());
  std::string text = fmt::format("{}", fmt::join(std::span(numbers).first(named), " "));
  if (named < numbers.size()) text += fmt::format(" and {} more", numbers.size() - named);
  return text;
}

std::string port_name(const nccl::HostGraph& graph, int port) {
  return port < 0 ? "-" : fmt::format("nic{}", graph.nics[port]);
}

/// Each different item once, with the numbers of all that are equal to it.
template <typename Items>
auto equal_ones(const Items& items) {
  std::vector<std::pair<typename Items::value_type, std::vector<int>>> different;
  for (int number = 0; const auto& item : items) {
    auto known = std::ranges::find_if(different, [&](auto& one) { return one.first == item; });
    if (known == different.end()) known = different.insert(known, {item, {}});
    known->second.push_back(number++);
  }
  return different;
}

/// Channels of one search, those that are equal in one line.
std::string channels_text(const nccl::HostGraph& graph, const nccl::Found& found,
                          std::string_view what) {
  if (found.channels.empty()) return fmt::format("{}: none\n", what);
  std::string text =
      fmt::format("{}: {} of {} GB/s ({})", what, plural(found.channels.size(), "channel"),
                  found.inside, nccl::name_of(found.farthest_gpu));
  if (graph.several_hosts)
    text += fmt::format(", to the NICs {} GB/s ({})", found.outside,
                        nccl::name_of(found.farthest_port));
  TextTable table({text_column("channels"), text_column("GPUs in order"), text_column("in by"),
                   text_column("out by")});
  for (const auto& [channel, numbers] : equal_ones(found.channels)) {
    std::vector<int> gpus;
    for (const int gpu : channel.gpus) gpus.push_back(graph.numbers[gpu]);
    table.add({joined(numbers), joined(gpus), port_name(graph, channel.ports[0]),
               port_name(graph, channel.ports[1])});
  }
  return text + '\n' + table.text(2);
}

/// Heads by the switches that add up and copy: the first GPU of each channel of that search.
std::string heads_text(const nccl::HostGraph& graph, const nccl::Found& found) {
  if (found.channels.empty()) return "";
  std::vector<int> gpus;
  for (const nccl::FoundChannel& channel : found.channels)
    gpus.push_back(graph.numbers[channel.gpus.front()]);
  std::string text =
      fmt::format("  NVLS: {} of {} GB/s", plural(gpus.size(), "head"), found.inside);
  if (graph.several_hosts) text += fmt::format(", to the NICs {} GB/s", found.outside);
  return text + fmt::format(": GPUs {}\n", joined(gpus));
}

/// Most ranks between the root and another.
int depth_of(const Table<TreeEnds>& tree) {
  int most = 0;
  for (const TreeEnds& place : tree) {
    int depth = 0;
    for (int above = place.parent; above >= 0; ++depth) above = tree[above].parent;
    most = std::max(most, depth);
  }
  return most;
}

/// A rank and what hangs below it: a chain as "0 > 1 > 2", a fork as "0 (> 1 > 2) (> 4 > 5)".
std::string tree_text(const Table<TreeEnds>& tree) {
  const auto root = std::ranges::find(tree, -1, &TreeEnds::parent);
  if (tree.size() > most_named)
    return fmt::format("{} ranks below rank {}, {} deep", tree.size(), root - tree.begin(),
                       depth_of(tree));
  std::string text;
  const auto add = [&](const auto& self, int rank) -> void {
    text += std::to_string(rank);
    std::vector<int> children;
    for (const int child : tree[rank].children)
      if (child >= 0) children.push_back(child);
    for (const int child : children) {
      text += children.size() > 1 ? " (> " : " > ";
      self(self, child);
      if (children.size() > 1) text += ')';
    }
  };
  add(add, static_cast<int>(root - tree.begin()));
  return text;
}

/// Lines of text by the channels that have them.
std::string by_channel(const std::vector<std::string>& lines, const std::string& heading) {
  std::vector<std::array<std::string, 2>> rows = {{"channels", heading}};
  for (const auto& [line, numbers] : equal_ones(lines)) rows.push_back({joined(numbers), line});
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row[0].size());
  std::string text;
  for (const auto& row : rows) text += fmt::format("  {:<{}}  {}\n", row[0], width, row[1]);
  return text;
}

std::string hosts_text(const Topology& topology, const nccl::JobChannels& channels) {
  std::string text;
  for (std::size_t i = 0; i < channels.hosts.size(); ++i) {
    const auto& search = channels.hosts[i].found;
    const auto is_same = [&](const nccl::HostShare& host) { return host.found == search; };
    const auto first = std::ranges::find_if(channels.hosts, is_same);
    if (first != channels.hosts.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    const auto count = std::ranges::count_if(channels.hosts, is_same);
    text += topology.hosts()[channels.hosts[i].host].name;
    if (count > 1) text += fmt::format(" and {} like it", count - 1);
    text += '\n' + channels_text(search->graph, search->channels.ring, "  rings") +
            channels_text(search->graph, search->channels.tree, "  trees") +
            heads_text(search->graph, search->channels.multicast) + '\n';
  }
  return text;
}

std::string name_of(const NcclTuningRow& row) {
  return fmt::format("{} {}", nccl::algorithm_names[static_cast<std::size_t>(row.choice.algorithm)],
                     protocol_names[row.choice.protocol]);
}

/// Times of one function, a line for each size.
std::string times_text(std::span<const NcclTuningRow> rows, std::span<const std::uint64_t> sizes) {
  std::vector<TextTable::Column> columns = {"bytes"};
  for (const NcclTuningRow& row : rows) columns.push_back(name_of(row));
  columns.push_back(text_column("choice"));
  TextTable table(columns);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::vector<std::string> cells = {to_short_text(Bytes{sizes[i]})};
    for (const NcclTuningRow& row : rows) cells.push_back(fmt::format("{:.1f}", row.times[i]));
    for (const NcclTuningRow& row : rows)
      if (row.chosen[i]) cells.push_back(name_of(row));
    table.add(std::move(cells));
  }
  return table.text(2);
}

}  // namespace

std::string print_nccl_tuning(const nccl::Platform& machine, int ranks, int hosts) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = 8; bytes <= std::uint64_t{8} << 30; bytes *= 4) sizes.push_back(bytes);
  const std::vector<NcclTuningRow> rows = nccl_tuning(ranks, hosts, machine, sizes);
  TextTable table({text_column("function"), text_column("by"), "latency [us]", "bandwidth [GB/s]"});
  std::vector<std::pair<std::string, std::string>> times;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    const std::string name(nccl::function_names[static_cast<std::size_t>(rows[begin].function)]);
    for (; end < rows.size() && rows[end].function == rows[begin].function; ++end)
      table.add({name, name_of(rows[end]), fmt::format("{:.1f}", rows[end].latency),
                 fmt::format("{:.1f}", rows[end].bandwidth)});
    std::string own = times_text(std::span(rows).subspan(begin, end - begin), sizes);
    if (!times.empty() && times.back().second == own)
      times.back().first += ", " + name;
    else
      times.emplace_back(name, std::move(own));
  }
  const std::string library =
      nccl::is_rccl(machine) ? "RCCL" : fmt::format("NCCL 2.{}", machine.version % 100);
  std::string text = fmt::format("{} on {} GPUs of {}\n\n{}", library, ranks, plural(hosts, "host"),
                                 table.text(2));
  for (const auto& [names, lines] : times)
    text += fmt::format("\nExpected times in us: {}\n{}", names, lines);
  return text;
}

std::string print_nccl(const Topology& topology, std::span<const nccl::GpuPlace> ranks) {
  const nccl::JobChannels channels = nccl::find_channels(topology, ranks);
  std::vector<std::string> rings, trees;
  for (const auto& ring : channels.rings) rings.push_back(joined(ring));
  for (const auto& tree : channels.trees) trees.push_back(tree_text(tree));
  std::string text = fmt::format("NCCL on {} GPUs: {} channels", ranks.size(), rings.size());
  text += channels.multicast > 0
              ? fmt::format(", and {} by NVSwitch (NVLS)\n\n", channels.multicast)
              : std::string("\n\n");
  return text + hosts_text(topology, channels) + by_channel(rings, "ring of ranks") + '\n' +
         by_channel(trees, "tree of ranks");
}

}  // namespace ringscope
