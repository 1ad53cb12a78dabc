// SPDX-License-Identifier: LGPL-2.1-or-later
// Input that users write, with the place of every word, so that every error can show the line.
//
// A Value is a YAML tree that remembers where each node stood; Fields reads one map of it and
// refuses keys that nobody asked for. All errors are InputError, whose message is
//
//   scenarios/x.yaml:4:12: expected a bandwidth such as "10 Gbit/s", got "10", which has no unit
//     bandwidth: 10
//                ^
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topologies/input/units.hpp"

namespace ringscope {

/// A text and what to call it: a path, or "--set placement" for a command-line override.
struct Source {
  std::string name;
  std::string text;
};

/// Line and column count from 1; line 0 means the source as a whole.
struct Place {
  std::shared_ptr<const Source> source;
  int line = 0;
  int column = 0;
};

class InputError : public std::runtime_error {
 public:
  /// what() is "place: message", the line and a caret.
  InputError(const Place& place, const std::string& message);
  /// The message as fmt::format() makes it.
  template <typename First, typename... Rest>
  InputError(const Place& place, fmt::format_string<First, Rest...> text, First&& first,
             Rest&&... rest)
      : InputError(place,
                   fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// "unknown cluster 'rak'; did you mean 'rack'? (known: rack, torus)", for the message of an error.
/// `kind` is the noun. The suggestion stands only where one known name is near in edit distance.
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known);

/// True if `name` may be `known`, misspelt: as unknown_name() judges.
bool is_near(std::string_view name, std::string_view known);

/// A path as the file at `place` means it: relative to that file's folder.
std::string path_from(const Place& place, const std::string& path);

class Value {
 public:
  enum class Kind { null, scalar, list, map };
  struct Entry;

  static Value from_text(const std::string& name, const std::string& text);  ///< YAML; throws
  /// Reads the file; throws InputError when it cannot be read or is no YAML.
  static Value from_file(const std::string& path);
  /// A value made by the program (a default), at the given place.
  static Value scalar_at(Place place, std::string text);
  static Value empty_map_at(Place place);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  const Place& place() const { return place_; }
  const std::string& scalar() const { return scalar_; }       ///< requires kind() == scalar
  const std::vector<Value>& items() const { return items_; }  ///< requires kind() == list
  const std::vector<Entry>& entries() const;      ///< requires kind() == map, in file order
  const Value* find(std::string_view key) const;  ///< nullptr when absent

  /// Replaces (or adds) what stands at the dotted path, e.g. "library.shm.send_cost"; maps on the
  /// way are made where missing. Throws when the path leads through a non-map. Errors about keys of
  /// the path point to `key_place`, where it stands, or else to the value.
  void set(std::string_view dotted_path, Value value, const std::optional<Place>& key_place = {});
  /// Lays `over` over this value: maps are merged key by key, everything else is replaced.
  void merge(const Value& over);

  /// Throws InputError at this place: with the message, or with what fmt::format() makes.
  [[noreturn]] void fail(const std::string& message) const { throw InputError(place_, message); }
  template <typename... Parts>
  [[noreturn]] void fail(fmt::format_string<Parts...> text, Parts&&... parts) const {
    throw InputError(place_, fmt::format(text, std::forward<Parts>(parts)...));
  }

  // The value as a list or a quantity, or an error that says what was expected.

  /// The items of a list of at least `least`; the error names the list as `expected`.
  const std::vector<Value>& listed(std::string_view expected, std::size_t least = 1) const;
  Bytes bytes() const;
  Bandwidth bandwidth() const;
  Seconds seconds() const;
  ByteCost byte_cost() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  int whole(int least, int most) const { return static_cast<int>(integer(least, most)); }
  double number(double least, double most) const;
  bool boolean() const;
  std::string text() const;  ///< any non-empty scalar
  /// The index of the scalar in `names`; the error lists them and suggests. `kind` is the noun.
  std::size_t one_of(std::string_view kind, std::span<const std::string> names) const;

 private:
  friend class YamlReader;

  Kind kind_ = Kind::null;
  Place place_;
  std::string scalar_;
  std::vector<Value> items_;
  std::vector<Entry> entries_;
};

struct Value::Entry {
  std::string key;
  Place key_place;
  Value value;
};

/// A word that a user typed, as a scalar whose place is `where`: a subcommand or an option.
inline Value typed(const std::string& where, const std::string& word) {
  return Value::scalar_at({std::make_shared<const Source>(Source{where, word}), 0, 0}, word);
}

/// The entries of one map. Construction refuses a value that is no map; finish() refuses keys that
/// were never asked for (with a suggestion), so that a misspelt key is never silently ignored.
class Fields {
 public:
  /// `what` names the map in errors: "cluster", "library.shm".
  Fields(const Value& map, std::string what);

  /// Throws when absent: at the map, or at a key that nobody has asked for and that looks like this
  /// one, misspelt.
  const Value& required(std::string_view key);
  /// A key that is no misspelt one, though it looks like one that is required before it is read.
  void expect(std::string_view key) { expected_.emplace_back(key); }
  /// nullptr when absent or null; else enters resolved() as it is.
  const Value* optional(std::string_view key);
  /// The value, or the default written as it would stand in the file; enters resolved() either way.
  const Value& value_or(std::string_view key, const std::string& default_text);
  /// Reads the map at the key, where there is one, and enters it with its defaults filled in.
  void nested(std::string_view key, const std::function<void(Fields&)>& read);
  bool has(std::string_view key) const;
  /// Throws at the first of the keys that is there; {} in `why` is the key.
  void refuse(std::initializer_list<const char*> keys, std::string_view why);
  void finish() const;
  const Value& map() const { return *map_; }
  /// The map as it was read, defaults filled in, in the order of the calls: it parses back alike.
  /// A nested map whose defaults were filled in by its own Fields is entered with resolve().
  Value resolved() const;
  void resolve(std::string_view key, Value value);

 private:
  const Value* map_;
  std::string what_;
  std::vector<std::string> known_, expected_;
  std::deque<Value> defaults_;  ///< a deque, as value_or() hands out references
  Value resolved_;
};

}  // namespace ringscope
