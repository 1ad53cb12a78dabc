// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/recorded/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace ringscope {
extern const char* const choices_yml;
}

namespace ringscope::recorded {
namespace {

constexpr std::string_view between_groups = "inter";

/// "all ranks", "ranks 1,3", or of the second such one "ranks 1,3 (2)".
std::string name_of(std::string_view members, bool all, int turn) {
  const std::string name = all ? "all ranks" : fmt::format("ranks {}", members);
  return turn == 0 ? name : fmt::format("{} ({})", name, turn + 1);
}

}  // namespace

SharedRanks Groups::members(const Line& line, std::string_view text) {
  const auto known = members_.find(text);
  if (known != members_.end()) return known->second;
  std::vector<int> ranks;
  Table<bool> there(ranks_);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view range = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), range.size() + 1));
    const std::size_t dash = range.find('-');
    const std::int64_t first = line.number_at(range.substr(0, dash), "a rank", 0);
    const std::int64_t last = dash == std::string_view::npos
                                  ? first
                                  : line.number_at(range.substr(dash + 1), "a rank", first);
    if (last >= ranks_)
      line.fail(range, "rank {} is none of the {} ranks of the program", last, ranks_);
    for (std::int64_t rank = first; rank <= last; ++rank) {
      if (there[rank]) line.fail(range, "duplicate rank {} in the communicator", rank);
      there[rank] = true;
      ranks.push_back(static_cast<int>(rank));
    }
  }
  auto shared = std::make_shared<const Table<int>>(std::move(ranks));
  members_.emplace(text, shared);
  return shared;
}

Communicator Groups::read(const Line& line, int rank,
                          std::map<std::string, int, std::less<>>& turns) {
  constexpr std::size_t words = 3;
  if (line.words.size() != words)
    line.fail({}, "expected 'communicator NUMBER MEMBERS', with members such as 0-3,8");
  const std::string_view text = line.words[2];
  if (text == between_groups) return {};
  Communicator made{.ranks = members(line, text)};
  const auto self = std::ranges::find(*made.ranks, rank);
  if (self == made.ranks->end())
    line.fail(text, "rank {} is no member of the communicator in its own line", rank);
  made.self = static_cast<int>(self - made.ranks->begin());
  const int turn = turns[std::string(text)]++;
  const auto [place, is_new] =
      indices_.try_emplace({std::string(text), turn}, static_cast<int>(all_.size()));
  made.group = place->second;
  const bool all = made.size() == ranks_ && std::ranges::is_sorted(*made.ranks);
  if (is_new) all_.push_back({name_of(text, all, turn), made.ranks});
  return made;
}

int Groups::tag(int group, std::int64_t tag) {
  constexpr int own_tags = 1 << 20;
  if (group == 0 && tag >= 0 && tag < own_tags) return static_cast<int>(tag);
  const int next = own_tags + static_cast<int>(tags_.size());
  return tags_.try_emplace({group, tag}, next).first->second;
}

std::string_view choice_of(std::string_view library, std::string_view collective, int ranks,
                           std::uint64_t bytes) {
  static const Value choices = Value::from_text("choices.yml", choices_yml);
  const auto count = static_cast<std::uint64_t>(ranks);
  const auto fits = [&](const Value& row) {
    const auto within = [&](std::string_view key, std::uint64_t value) {
      const Value* most = row.find(key);
      return most == nullptr || value <= whole_number<std::uint64_t>(most->scalar());
    };
    const Value* of = row.find("library");
    return (of == nullptr || library.starts_with(of->scalar())) && within("bytes", bytes) &&
           within("part", bytes / count) && within("ranks", count) &&
           (row.find("power_of_two") == nullptr || std::has_single_bit(count));
  };
  return std::ranges::find_if(choices.find(collective)->items(), fits)->find("algorithm")->scalar();
}

}  // namespace ringscope::recorded
