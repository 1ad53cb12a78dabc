// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ringscope {

std::vector<HostSlots> read_counts(const Value& value, const Topology& topology) {
  const int hosts = static_cast<int>(topology.hosts().size());
  const std::string text = value.text();
  const auto refuse = [&] {
    value.fail("expected ranks per host such as \"4-3-1\", got \"{}\"{}", text.substr(0, 60),
               text.size() > 60 ? "..." : "");
  };
  Table<HostSlots> result;
  std::int64_t ranks = 0;
  for (std::string_view rest = text; true;) {
    const auto dash = rest.find('-');
    const std::string_view part = rest.substr(0, dash);
    const auto x = part.find('x');
    const auto count = whole_number(part.substr(0, x));
    const auto times = x == std::string_view::npos ? 1 : whole_number(part.substr(x + 1));
    if (!count || !times || *times < 1) refuse();
    if (*times > hosts - static_cast<int>(result.size()))
      value.fail("the placement names more hosts than the cluster's {}", hosts);
    for (int i = 0; i < *times; ++i) result.push_back({static_cast<int>(result.size()), *count});
    ranks += std::int64_t{*count} * *times;
    if (ranks > most_ranks) value.fail("more than {} ranks", most_ranks);
    if (dash == std::string_view::npos) break;
    rest.remove_prefix(dash + 1);
  }
  if (ranks == 0) value.fail("the placement has no rank");
  return result;
}

std::vector<HostSlots> fill(const std::vector<HostSlots>& hosts, int ranks, MapBy map_by) {
  const int at_once = map_by == MapBy::node ? 1 : most_ranks;
  Table<HostSlots> result = hosts;
  for (HostSlots& host : result) host.slots = 0;
  std::vector<std::size_t> open;  // the hosts with room left in this round
  std::vector<int> room;
  while (ranks > 0) {
    if (open.empty()) {
      room = each_of(hosts, &HostSlots::slots);
      open = numbers_below<std::size_t>(hosts.size());
    }
    for (const std::size_t i : open) {
      const int taken = std::min({ranks, room[i], at_once});
      result[i].slots += taken;
      room[i] -= taken;
      ranks -= taken;
    }
    std::erase_if(open, [&](std::size_t i) { return room[i] == 0; });
  }
  return result;
}

std::vector<int> host_of_each_rank(const std::vector<HostSlots>& hosts, MapBy map_by) {
  Table<int> result;
  if (map_by != MapBy::node) {
    for (const HostSlots& host : hosts)
      for (int i = 0; i < host.slots; ++i) result.push_back(host.host);
    return result;
  }
  std::vector<HostSlots> left = hosts;
  while (!left.empty()) {
    std::erase_if(left, [](const HostSlots& host) { return host.slots == 0; });
    for (HostSlots& host : left) {
      result.push_back(host.host);
      --host.slots;
    }
  }
  return result;
}

std::string counts_text(const std::vector<int>& host_of_rank) {
  Table<int> counts;
  for (const int host : host_of_rank) ++counts.grown(host);
  std::string text;
  for (auto begin = counts.begin(); begin != counts.end();) {
    auto end = std::find_if(begin, counts.end(), [&](int count) { return count != *begin; });
    if (end - begin <= 3) end = begin + 1;
    text += text.empty() ? "" : "-";
    text += end - begin > 1 ? fmt::format("{}x{}", *begin, end - begin) : std::to_string(*begin);
    begin = end;
  }
  return text;
}

std::string counts_words(std::string_view counts) {
  const auto end = counts.find_first_of(", ");
  const bool listed =
      end < counts.size() && end + 1 < counts.size() &&
      std::isdigit(static_cast<unsigned char>(counts[end + 1])) != 0;  // "0x3 1x2 0"
  counts = counts.substr(0, end);
  if (listed || counts.find('x') == std::string_view::npos) return "";
  std::string text;
  for (std::string_view rest = counts; true;) {
    const auto dash = rest.find('-');
    const std::string_view part = rest.substr(0, dash);
    const auto x = part.find('x');
    const auto ranks = whole_number(part.substr(0, x));
    if (!ranks) return "";
    text += fmt::format(
        "{}{}{} on {}", text.empty() ? "" : ", then ", *ranks,
        !text.empty() ? ""
        : *ranks == 1 ? " rank"
                      : " ranks",
        x == std::string_view::npos ? "one" : fmt::format("each of {} hosts", part.substr(x + 1)));
    if (dash == std::string_view::npos) return text;
    rest.remove_prefix(dash + 1);
  }
}

}  // namespace ringscope
