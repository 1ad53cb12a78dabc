// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>

#include "base/view.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

Fields::Fields(const Value& map, std::string what) : map_(&map), what_(std::move(what)) {
  if (map.kind() != Value::Kind::map) {
    constexpr Array<std::string_view, 4> kinds = {"nothing", "a text", "a list", "a map"};
    const bool rate = map.kind() == Value::Kind::scalar && parse_bandwidth(map.scalar());
    map.fail(
        fmt::format("{}: expected a map of keys and values, got {}{}", what_, kinds[map.kind()],
                    rate ? fmt::format("; did you mean its 'bandwidth', {}?", map.scalar()) : ""));
  }
  resolved_ = Value::empty_map_at(map.place());
}

const Value& Fields::required(std::string_view key) {
  const Value* value = optional(key);
  if (value) return *value;
  const auto unknown = [&](const std::string& name) {
    return std::ranges::find(known_, name) == known_.end() &&
           std::ranges::find(expected_, name) == expected_.end();
  };
  // "send_bandwidth" is another key, and no "bandwidth" misspelt.
  const auto holds = [key](std::string_view name) { return name.find(key) != name.npos; };
  for (const auto& entry : map_->entries())
    if (unknown(entry.key) && !holds(entry.key) && is_near(entry.key, key))
      throw InputError(entry.key_place, fmt::format("{}: unknown key '{}'; did you mean '{}'?",
                                                    what_, entry.key, key));
  map_->fail(fmt::format("{}: the key '{}' is missing", what_, key));
}

const Value* Fields::optional(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
  const Value* value = map_->find(key);
  if (!value || value->is_null()) return nullptr;
  resolve(key, *value);
  return value;
}

const Value& Fields::value_or(std::string_view key, const std::string& default_text) {
  if (const Value* value = optional(key)) return *value;
  const bool nested = default_text.starts_with('[') || default_text.starts_with('{');
  defaults_.push_back(
      nested ? Value::from_text(fmt::format("{}: the default of '{}'", what_, key), default_text)
             : Value::scalar_at(map_->place(), default_text));
  resolve(key, defaults_.back());
  return defaults_.back();
}

bool Fields::has(std::string_view key) const {
  const Value* value = map_->find(key);
  return value && !value->is_null();
}

void Fields::finish() const {
  for (const auto& entry : map_->entries()) {
    if (std::ranges::find(known_, entry.key) == known_.end())
      throw InputError(entry.key_place,
                       fmt::format("{}: {}", what_, unknown_name("key", entry.key, known_)));
  }
}

Value Fields::resolved() const { return resolved_; }

void Fields::resolve(std::string_view key, Value value) { resolved_.set(key, std::move(value)); }

}  // namespace ringscope
