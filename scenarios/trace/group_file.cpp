// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/group_file.hpp"

#include "base/table.hpp"

namespace ringscope::chakra {
namespace {

std::vector<int> read_ranks(const Value& list, int ranks, const std::string& name) {
  if (list.kind() != Value::Kind::list)
    list.fail("group '{}': expected a list of ranks such as [0, 1]", name);
  std::vector<int> members;
  Table<bool> there(ranks);
  for (const Value& one : list.items()) {
    const auto rank = one.whole(0, ranks - 1);
    if (there[rank]) one.fail("duplicate rank {} in group '{}'", rank, name);
    there[rank] = true;
    members.push_back(rank);
  }
  return members;
}

/// Without the place, which is one in a text that nobody sees.
std::string message_of(const InputError& error) {
  const std::string text = error.what();
  const std::size_t place = text.find(": "), line = text.find('\n');
  return text.substr(place + 2, line - place - 2);
}

}  // namespace

Groups read_group_file(const std::string& path, int ranks) {
  const Value file = Value::from_file(path);
  if (file.kind() != Value::Kind::map)
    file.fail("expected groups of ranks, such as {\"1\": [0, 1], \"2\": [2, 3]}");
  Groups groups;
  for (const Value::Entry& entry : file.entries()) {
    std::vector<int> members = read_ranks(entry.value, ranks, entry.key);
    if (members.empty()) entry.value.fail("group '{}' has no ranks", entry.key);
    groups[entry.key] = std::move(members);
  }
  return groups;
}

bool add_listed_groups(const std::string& text, int ranks, const Place& place,
                       const std::string& words, Groups& into) {
  const std::size_t begin = text.find("[{"), end = text.rfind("}]");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return false;
  std::optional<Value> list;
  try {
    list = Value::from_text("groups", text.substr(begin, end + 2 - begin));
  } catch (const InputError&) {
    return false;
  }
  if (list->kind() != Value::Kind::list) return false;
  for (const Value& one : list->items()) {
    if (one.kind() != Value::Kind::map) return false;
    const Value *name = one.find("pg_name"), *members = one.find("ranks");
    if (name == nullptr || members == nullptr) return false;
    try {
      std::vector<int> read = read_ranks(*members, ranks, name->text());
      into[name->text()] = read.empty() ? numbers_below(ranks) : std::move(read);
    } catch (const InputError& error) {
      throw InputError(place, words + ": " + message_of(error));
    }
  }
  return true;
}

}  // namespace ringscope::chakra
