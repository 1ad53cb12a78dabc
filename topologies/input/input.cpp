// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/input/input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "base/table.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

/// One line, in which nothing could drive a terminal.
std::string printable(std::string_view text) {
  std::string clean = for_terminal(text);
  std::ranges::replace(clean, '\n', ' ');
  return clean;
}

std::optional<std::string_view> line_of(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  if (text.empty()) return {};
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

/// The line and a caret under its column. Of a long line, the part around the column.
std::string excerpt(std::string_view line, std::size_t column) {
  constexpr std::size_t widest = 120, before_caret = 60;
  column = std::min(column, line.size());
  if (line.size() > widest) {
    const std::size_t begin = column > before_caret ? column - before_caret : 0;
    line = line.substr(begin, widest);
    column -= begin;
  }
  std::string indent;
  for (const char c : line.substr(0, column)) {
    const bool continues_character = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    if (!continues_character) indent += c == '\t' ? '\t' : ' ';
  }
  return fmt::format("\n  {}\n  {}^", printable(line), indent);
}

std::string error_text(const Place& place, const std::string& message) {
  const std::string name = place.source ? printable(place.source->name) : "input";
  if (place.line == 0 || !place.source) return fmt::format("{}: {}", name, printable(message));
  std::string text =
      fmt::format("{}:{}:{}: {}", name, place.line, place.column, printable(message));
  if (const auto line = line_of(place.source->text, place.line))
    text += excerpt(*line, static_cast<std::size_t>(place.column - 1));
  return text;
}

/// Letters to add, to drop or to replace; with `swaps`, also to swap with the next one.
std::size_t edit_distance(std::string_view a, std::string_view b, bool swaps) {
  std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      next[j + 1] = std::min({row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1});
      if (swaps && i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before = row;
    std::swap(row, next);
  }
  return row.back();
}

}  // namespace

InputError::InputError(const Place& place, const std::string& message)
    : std::runtime_error(error_text(place, message)) {}

namespace {

constexpr std::size_t longest_name = 60;

/// Number of letters of a name that may be wrong.
std::size_t most_wrong(std::string_view name) {
  return std::max<std::size_t>(1, (name.size() + 1) / 3);
}

/// The only name that continues `begin`; null: none, or several do.
const std::string* only_longer(std::string_view begin, std::span<const std::string> known) {
  constexpr std::size_t least = 3;
  const std::string* found = nullptr;
  for (const std::string& one : known) {
    if (begin.size() < least || !one.starts_with(begin)) continue;
    if (found != nullptr) return nullptr;
    found = &one;
  }
  return found;
}

/// The only known name that is nearest, and near enough; null: none, or several are.
const std::string* only_nearest(std::string_view name, std::span<const std::string> known,
                                bool swaps) {
  const std::string* nearest = nullptr;
  std::size_t least = most_wrong(name) + 1;
  for (const std::string& candidate : known) {
    if (name.size() > longest_name || candidate.size() > longest_name) continue;
    const std::size_t distance = edit_distance(name, candidate, swaps);
    if (distance > least || distance > most_wrong(name)) continue;
    nearest = distance == least ? nullptr : &candidate;
    least = distance;
  }
  return nearest;
}

}  // namespace

bool is_near(std::string_view name, std::string_view known) {
  return name.size() <= longest_name && known.size() <= longest_name &&
         edit_distance(name, known, true) <= most_wrong(name);
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known) {
  constexpr std::size_t most_listed = 60, most_compared = 1000;
  const auto compared = known.first(std::min(known.size(), most_compared));
  const std::string* nearest = only_nearest(name, compared, false);
  if (!nearest) nearest = only_nearest(name, compared, true);
  if (!nearest) nearest = only_longer(name, compared);
  std::string text = fmt::format("unknown {} '{}'{}", kind, name.substr(0, longest_name),
                                 name.size() > longest_name ? "..." : "");
  if (nearest) text += fmt::format("; did you mean '{}'?", *nearest);
  if (known.empty()) return text;
  const auto listed = known.first(std::min(known.size(), most_listed));
  return text + fmt::format(" (known: {}{})", fmt::join(listed, ", "),
                            known.size() > most_listed ? ", ..." : "");
}

std::string path_from(const Place& place, const std::string& path) {
  const std::filesystem::path folder =
      place.source ? std::filesystem::path(place.source->name).parent_path() : "";
  return (folder / path).string();
}

Value Value::scalar_at(Place place, std::string text) {
  Value value;
  value.kind_ = Kind::scalar;
  value.place_ = std::move(place);
  value.scalar_ = std::move(text);
  return value;
}

Value Value::empty_map_at(Place place) {
  Value value;
  value.kind_ = Kind::map;
  value.place_ = std::move(place);
  return value;
}

const std::vector<Value::Entry>& Value::entries() const { return entries_; }

const Value* Value::find(std::string_view key) const {
  const auto entry = std::ranges::find(entries_, key, &Entry::key);
  return entry == entries_.end() ? nullptr : &entry->value;
}

void Value::set(std::string_view dotted_path, Value value, const std::optional<Place>& key_place) {
  constexpr int deepest = 64;
  const auto place_of = [&](std::string_view part) {
    Place place = key_place.value_or(value.place());
    if (key_place) place.column += static_cast<int>(dotted_path.size() - part.size());
    return place;
  };
  if (std::ranges::count(dotted_path, '.') >= deepest)
    throw InputError(place_of(dotted_path), "a key has at most {} parts", deepest);
  Value* here = this;
  std::string_view rest = dotted_path;
  while (true) {
    const auto dot = rest.find('.');
    const std::string_view key = rest.substr(0, dot);
    if (key.empty())
      throw InputError(place_of(rest), "'{}' is no key: a part of it is empty", dotted_path);
    if (here->is_null()) *here = empty_map_at(value.place());
    if (here->kind_ != Kind::map) {
      const auto parent = dotted_path.substr(0, dotted_path.size() - rest.size());
      throw InputError(place_of(rest), "'{}' cannot be set: '{}' is no map", dotted_path,
                       parent.substr(0, parent.size() - (parent.empty() ? 0 : 1)));
    }
    auto entry = std::ranges::find(here->entries_, key, &Entry::key);
    if (entry == here->entries_.end())
      entry = here->entries_.insert(entry, {std::string(key), place_of(rest), {}});
    here = &entry->value;
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  *here = std::move(value);
}

void Value::merge(const Value& over) {
  if (kind_ != Kind::map || over.kind_ != Kind::map) {
    *this = Value(over);
    return;
  }
  for (const Entry& entry : over.entries_) {
    const auto mine = std::ranges::find(entries_, entry.key, &Entry::key);
    if (mine == entries_.end()) {
      entries_.push_back(entry);
    } else {
      mine->key_place = entry.key_place;
      mine->value.merge(entry.value);
    }
  }
}

Fields::Fields(const Value& map, std::string what) : map_(&map), what_(std::move(what)) {
  if (map.kind() != Value::Kind::map) {
    constexpr Array<std::string_view, 4> kinds = {"nothing", "a text", "a list", "a map"};
    const bool rate = map.kind() == Value::Kind::scalar && parse_bandwidth(map.scalar());
    map.fail("{}: expected a map of keys and values, got {}{}", what_, kinds[map.kind()],
             rate ? fmt::format("; did you mean its 'bandwidth', {}?", map.scalar()) : "");
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
      throw InputError(entry.key_place, "{}: unknown key '{}'; did you mean '{}'?", what_,
                       entry.key, key);
  map_->fail("{}: the key '{}' is missing", what_, key);
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

void Fields::nested(std::string_view key, const std::function<void(Fields&)>& read) {
  const Value* map = optional(key);
  if (map == nullptr) return;
  Fields fields(*map, fmt::format("{}.{}", what_, key));
  read(fields);
  fields.finish();
  resolve(key, fields.resolved());
}

bool Fields::has(std::string_view key) const {
  const Value* value = map_->find(key);
  return value && !value->is_null();
}

void Fields::refuse(std::initializer_list<const char*> keys, std::string_view why) {
  for (const char* key : keys)
    if (const Value* value = optional(key)) value->fail(fmt::format(fmt::runtime(why), key));
}

void Fields::finish() const {
  for (const auto& entry : map_->entries()) {
    if (std::ranges::find(known_, entry.key) == known_.end())
      throw InputError(entry.key_place, "{}: {}", what_, unknown_name("key", entry.key, known_));
  }
}

Value Fields::resolved() const { return resolved_; }

void Fields::resolve(std::string_view key, Value value) { resolved_.set(key, std::move(value)); }

}  // namespace ringscope
