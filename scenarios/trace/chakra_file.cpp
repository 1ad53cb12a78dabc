// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/chakra_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/trace/trace_file.hpp"

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

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

/// Value of an attribute, as the number of its field in AttributeProto says.
struct Attribute {
  std::string_view name;
  Field value{};  ///< number 0: none
  std::size_t at = 0;
};

constexpr int int32_val = 7, int64_val = 9, uint32_val = 11, uint64_val = 13, sint32_val = 15,
              sint64_val = 17, fixed32_val = 19, fixed64_val = 21, sfixed32_val = 23,
              sfixed64_val = 25, bool_val = 27, bool_list = 28, string_val = 29;

class NodeReader {
 public:
  NodeReader(std::string_view bytes, std::size_t at, const Place& place)
      : wire_(bytes, at, place), place_(&place) {
    node_.at = at;
  }

  Node read() {
    while (const auto field = wire_.field()) take(*field);
    return std::move(node_);
  }

 private:
  void take(const Field& field) {
    if (field.number == 1) node_.id = number(field);
    if (field.number == 2) node_.name = text(field);
    if (field.number == 3)
      node_.type = static_cast<int>(std::min<std::uint64_t>(number(field), 1 << 20));
    if (field.number == 4) each(field, [&](std::uint64_t id) { node_.ctrl_deps.push_back(id); });
    if (field.number == 5) each(field, [&](std::uint64_t id) { node_.data_deps.push_back(id); });
    if (field.number == 7) node_.microseconds = number(field);
    if (field.number == 8) read_inputs(field);
    if (field.number == 10) read_attribute(field);
    // The others: when it began, its outputs, and what later schemas add.
  }

  std::uint64_t number(const Field& field) const {
    if (field.wire != Field::Wire::varint)
      wire_.fail(node_.at, "field {} of a node is no number", field.number);
    return field.value;
  }
  std::string_view text(const Field& field) const {
    if (field.wire != Field::Wire::bytes)
      wire_.fail(node_.at, "field {} of a node is no text", field.number);
    return field.bytes;
  }

  /// Numbers in a row, packed or one by one.
  template <class Do>
  void each(const Field& field, const Do& act) {
    if (field.wire == Field::Wire::varint) return act(field.value);
    Wire packed(text(field), field.at, *place_);
    while (!packed.ended()) act(packed.varint());
  }

  void read_inputs(const Field& field) {
    Wire inputs(text(field), field.at, *place_);
    while (const auto one = inputs.field())
      if (one->number == 1) node_.values = text(*one);
  }

  void read_attribute(const Field& field) {
    Attribute attribute{.name = {}, .at = field.at};
    Wire wire(text(field), field.at, *place_);
    while (const auto one = wire.field()) {
      if (one->number == 1) attribute.name = text(*one);
      if (one->number > 2) attribute.value = *one;
    }
    keep(attribute);
  }

  void keep(const Attribute& one) {
    struct Number {
      std::string_view name;
      std::optional<std::int64_t> Node::*into;
    };
    static constexpr Number numbers[] = {
        {"comm_type", &Node::comm_type}, {"comm_size", &Node::comm_size},
        {"comm_src", &Node::comm_src},   {"comm_dst", &Node::comm_dst},
        {"comm_tag", &Node::comm_tag},   {"tid", &Node::tid},
        {"num_ops", &Node::num_ops},     {"root", &Node::root}};
    if (one.value.number == 0) return;
    const auto found = std::ranges::find(numbers, one.name, &Number::name);
    if (found != std::end(numbers)) node_.*(found->into) = whole(one);
    if (one.name == "is_cpu_op") node_.on_cpu = whole(one) != 0;
    if (one.name == "pg_name")
      node_.group = one.value.number == string_val ? std::string(one.value.bytes)
                                                   : std::to_string(whole(one));
    if (one.name == "involved_dim" && one.value.number == bool_list)
      node_.some_dimensions = leaves_one_out(one.value);
  }

  bool leaves_one_out(const Field& list) {
    bool out = false;
    Wire values(list.bytes, list.at, *place_);
    while (const auto one = values.field())
      each(*one, [&](std::uint64_t value) { out = out || value == 0; });
    return out;
  }

  std::int64_t whole(const Attribute& one) const {
    const std::uint64_t bits = one.value.value;
    switch (one.value.number) {
      case int32_val:
      case int64_val:
      case uint32_val:
      case uint64_val:
      case fixed32_val:
      case fixed64_val:
      case sfixed64_val:
      case bool_val:
        return static_cast<std::int64_t>(bits);
      case sfixed32_val:
        return static_cast<std::int32_t>(bits);
      case sint32_val:
      case sint64_val:
        return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
      default:
        wire_.fail(one.at, "the attribute '{}' of a node is no whole number", one.name);
    }
  }

  Wire wire_;
  const Place* place_;
  Node node_;
};

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

std::uint64_t Wire::varint() {
  constexpr int most_bits = 64, bits = 7;
  const std::size_t begin = at();
  std::uint64_t value = 0;
  for (int shift = 0; shift < most_bits; shift += bits) {
    if (ended()) fail(begin, "the file is cut off inside a number");
    const auto byte = static_cast<unsigned char>(bytes_[next_++]);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  fail(begin, "a number has more than ten bytes: this is no protobuf");
}

std::string_view Wire::take(std::size_t count, std::string_view what) {
  const std::size_t left = bytes_.size() - next_;
  if (count > left)
    fail(at(), "{} has {} bytes, and {} are left: the file is cut off, or no protobuf", what, count,
         left);
  const std::string_view taken = bytes_.substr(next_, count);
  next_ += count;
  return taken;
}

std::string_view Wire::behind_length(std::string_view what) {
  const std::uint64_t length = varint();
  return take(length, what);
}

std::optional<Field> Wire::field() {
  if (ended()) return {};
  const std::size_t begin = at();
  const std::uint64_t key = varint();
  constexpr std::uint64_t most_fields = (1u << 29) - 1;
  Field field;
  if (key >> 3 == 0 || key >> 3 > most_fields) fail(begin, "a field has no number");
  field.number = static_cast<int>(key >> 3);
  field.wire = static_cast<Field::Wire>(key & 7);
  const std::string what = fmt::format("field {}", field.number);
  switch (field.wire) {
    case Field::Wire::varint:
      field.value = varint();
      return field;
    case Field::Wire::fixed64:
      field.value = little_endian(take(8, what));
      return field;
    case Field::Wire::fixed32:
      field.value = little_endian(take(4, what));
      return field;
    case Field::Wire::bytes:
      field.bytes = behind_length(what);
      field.at = at() - field.bytes.size();
      return field;
  }
  fail(begin, "field {} has the encoding type {}, which is not in protobuf", field.number, key & 7);
}

std::string text_of(const Node& node) {
  return fmt::format("node {} '{}' (byte {})", node.id, node.name, node.at);
}

File read_chakra_bytes(const std::string& path, std::string_view bytes) {
  File file{std::make_shared<const Source>(Source{path, ""}), {}};
  const Place place = file.place();
  if (bytes.empty()) throw InputError(place, "the file is empty: a trace begins with its metadata");
  Wire messages(bytes, 0, place);
  const std::string_view metadata = messages.behind_length("the metadata");
  Wire fields(metadata, messages.at() - metadata.size(), place);
  while (fields.field()) {
  }
  while (!messages.ended()) {
    const std::string_view node = messages.behind_length("a node");
    file.nodes.push_back(NodeReader(node, messages.at() - node.size(), place).read());
  }
  return file;
}

File read_chakra_file(const std::string& path) {
  return read_chakra_bytes(path, read_packed_file(path));
}

}  // namespace ringscope::chakra
