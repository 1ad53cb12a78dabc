// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/known_parts.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace ringscope {
namespace {

constexpr std::size_t most_known = 64;

/// Appends a text behind its length, so that different sequences of texts are different bytes.
void append(std::string& bytes, char kind, std::string_view text) {
  bytes += kind;
  bytes += std::to_string(text.size());
  bytes += ':';
  bytes += text;
}

using Keys = std::initializer_list<std::string_view>;

void append(std::string& bytes, const Value& value, Keys without = {}) {
  switch (value.kind()) {
    case Value::Kind::null:
      bytes += 'n';
      break;
    case Value::Kind::scalar:
      append(bytes, 's', value.scalar());
      break;
    case Value::Kind::list:
      bytes += '[';
      for (const Value& item : value.items()) append(bytes, item);
      bytes += ']';
      break;
    case Value::Kind::map: {
      std::vector<const Value::Entry*> entries;
      for (const Value::Entry& entry : value.entries())
        if (!entry.value.is_null() &&
            std::find(without.begin(), without.end(), entry.key) == without.end())
          entries.push_back(&entry);
      std::sort(entries.begin(), entries.end(),
                [](const auto* a, const auto* b) { return a->key < b->key; });
      bytes += '{';
      for (const Value::Entry* entry : entries) {
        append(bytes, 'k', entry->key);
        append(bytes, entry->value);
      }
      bytes += '}';
      break;
    }
  }
}

template <typename Part, typename Read>
const Part& known_or_read(std::unordered_map<std::string, Part>& known, const Value& value,
                          Read read) {
  // The same path means another file, seen from another folder.
  std::string asked = canonical(value);
  if (value.place().source) asked += value.place().source->name;
  if (const auto found = known.find(asked); found != known.end()) return found->second;
  Part part = read(value);
  if (known.size() >= most_known) known.clear();
  return known.emplace(std::move(asked), std::move(part)).first->second;
}

}  // namespace

std::string canonical(const Value& value, Keys without) {
  std::string bytes;
  append(bytes, value, without);
  return bytes;
}

const Cluster& KnownParts::cluster(const Value& value) {
  return known_or_read(clusters_, value, read_cluster);
}

const Library& KnownParts::library(const Value& value) {
  return known_or_read(libraries_, value, read_library);
}

const nccl::HostChannels& KnownParts::channels(const nccl::HostGraph& host) {
  const auto found =
      std::ranges::find_if(searches_, [&](const auto& one) { return one.graph.alike(host); });
  if (found != searches_.end()) return found->channels;
  if (searches_.size() >= most_known) searches_.clear();
  searches_.push_back({host, nccl::channels_of_host(host)});
  return searches_.back().channels;
}

}  // namespace ringscope
