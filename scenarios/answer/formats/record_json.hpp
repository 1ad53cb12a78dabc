// SPDX-License-Identifier: LGPL-2.1-or-later
// Records as JSON objects, written and read by the keys that their shapes give to their fields.
//
// name_fields(keys, record) names the fields of a record, for writing and for reading. `keys` has
//   keys(key, field)               a field that is always there
//   keys.unless_empty(key, field)  a list, an optional or a count, left out while it holds nothing
//   keys.derived(key, make)        written as make() says and not read: it follows from the others
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope::shape {

template <class Type, class Record>
concept Is = std::is_same_v<std::remove_const_t<Type>, Record>;

/// Its overloads, one for each kind of record, are found by the namespace of `keys`.
void name_fields() = delete;

/// Record with fields that an overload of `name_fields` names.
template <class Record, class Keys>
concept HasFields = requires(Keys& keys, Record& record) {
  name_fields(keys, record);
};

/// Makes a JSON object of a record.
class Writer {
 public:
  template <class Field>
  void operator()(const char* key, const Field& field) {
    json_[key] = written(field);
  }
  template <class Field>
  void or_null(const char* key, const Field& field, const Field& none) {
    json_[key] = field == none ? Json() : written(field);
  }
  template <class Names, class Values>
  void named(const char* key, const Names& names, const Values& values, bool only_nonzero) {
    Json map = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!only_nonzero || values[i] != 0) map[std::string(names[i])] = values[i];
    json_[key] = std::move(map);
  }
  template <class Item>
  void unless_empty(const char* key, const std::vector<Item>& list) {
    if (!list.empty()) json_[key] = written(list);
  }
  template <class Record>
  void unless_empty(const char* key, const std::optional<Record>& record) {
    if (record) json_[key] = written(*record);
  }
  void unless_empty(const char* key, std::size_t count) {
    if (count > 0) json_[key] = count;
  }
  void derived(const char* key, auto make) { json_[key] = make(); }

  template <class Field>
  static Json written(const Field& field) {
    if constexpr (HasFields<const Field, Writer>) {
      Writer writer;
      name_fields(writer, field);
      return std::move(writer.json_);
    } else if constexpr (std::is_same_v<Field, Cause>) {
      return cause_names[field];
    } else if constexpr (std::is_same_v<Field, ResourceKind>) {
      return resource_kind_names[field];
    } else if constexpr (std::is_same_v<Field, ResourceId>) {
      return field.name();
    } else if constexpr (std::is_same_v<Field, Value>) {
      return to_json(field);
    } else {
      return field;
    }
  }
  template <class Item>
  static Json written(const std::vector<Item>& list) {
    Json json = Json::array();
    for (const Item& item : list) json.push_back(written(item));
    return json;
  }

 private:
  Json json_ = Json::object();
};

/// Index of the name that the JSON text is; throws where it is none of them.
std::size_t position(const auto& names, const char* what, const Json& json) {
  const auto found = std::ranges::find(names, json.get_ref<const std::string&>());
  if (found == names.end())
    throw std::invalid_argument("unknown " + std::string(what) + " " + json.dump());
  return static_cast<std::size_t>(found - names.begin());
}

/// Reads a record from a JSON object; throws a std::exception for anything that a Writer does not
/// make.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(&json) {}
  template <class Field>
  void operator()(const char* key, Field& field) {
    read(json_->at(key), field);
  }
  template <class Field>
  void or_null(const char* key, Field& field, const Field& none) {
    const Json& json = json_->at(key);
    if (json.is_null())
      field = none;
    else
      read(json, field);
  }
  template <class Names, class Values>
  void named(const char* key, const Names& names, Values& values, bool /*only_nonzero*/) {
    const Json& map = json_->at(key);
    for (std::size_t i = 0; i < names.size(); ++i)
      values[i] = map.value(std::string(names[i]), 0.0);
  }
  template <class Field>
  void unless_empty(const char* key, Field& field) {
    if (json_->contains(key)) read(json_->at(key), field);
  }
  void derived(const char* /*key*/, const auto& /*make*/) {}

  template <class Field>
  static void read(const Json& json, Field& field) {
    if constexpr (HasFields<Field, Reader>) {
      Reader reader(json);
      name_fields(reader, field);
    } else if constexpr (std::is_same_v<Field, Cause>) {
      field = static_cast<Cause>(position(cause_names, "cause", json));
    } else if constexpr (std::is_same_v<Field, ResourceKind>) {
      field = static_cast<ResourceKind>(position(resource_kind_names, "kind of resource", json));
    } else if constexpr (std::is_same_v<Field, ResourceId>) {
      field = ResourceId::of_name(json.get<std::string>());
    } else if constexpr (std::is_same_v<Field, Value>) {
      // JSON is YAML: the scenario reads back with the reader that scenarios have.
      field = Value::from_text("a report's scenario", json.dump());
    } else {
      field = json.get<Field>();
    }
  }
  template <class Item>
  static void read(const Json& json, std::vector<Item>& list) {
    list.clear();
    for (const Json& item : json) read(item, list.emplace_back());
  }
  template <class Record>
  static void read(const Json& json, std::optional<Record>& record) {
    read(json, record.emplace());
  }

 private:
  const Json* json_;
};

}  // namespace ringscope::shape
