// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/scenario_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

/// Opens a name that stands for a map into which `key` reaches: "library: rdma" with
/// `library.endpoints` becomes "library: {base: rdma}". A hostfile takes the place of the counts.
void open_up(Value& tree, std::string_view key) {
  const auto dot = key.find('.');
  if (dot == std::string_view::npos || tree.kind() != Value::Kind::map) return;
  const std::string_view top = key.substr(0, dot);
  const Value* found = tree.find(top);
  if (found == nullptr || found->kind() != Value::Kind::scalar) return;
  const Value named = *found;
  Value map = Value::empty_map_at(named.place());
  if (top == "library" || top == "cluster") {
    map.set("base", named);
  } else if (top == "placement") {
    if (key != "placement.hostfile") map.set("hosts", named);
  } else {
    return;
  }
  tree.set(top, map);
}

CaseTree read_case(const Value& value, const Value& base, const std::string& stem) {
  Fields fields(value, "cases");
  CaseTree one{stem + " " + fields.required("name").text(), base, {}};
  if (const Value* set = fields.optional("set")) {
    if (set->kind() != Value::Kind::map) set->fail("expected a map such as {placement: 4-3-1}");
    for (const Value::Entry& entry : set->entries()) {
      lay_over(one.tree, entry.key, entry.value, entry.key_place);
      one.set_keys.push_back(entry.key);
    }
  }
  fields.finish();
  return one;
}

/// `compare`: the cases with which a lesson's page opens.
void check_pair(const Value& pair, const std::vector<CaseTree>& trees, const std::string& stem) {
  if (pair.kind() != Value::Kind::list || pair.items().size() != 2)
    pair.fail("expected the names of two cases, such as [4-2-2, 4-3-1]");
  std::vector<std::string> names;
  for (const CaseTree& one : trees)
    names.push_back(one.name.substr(std::min(one.name.size(), stem.size() + 1)));
  for (const Value& name : pair.items()) name.one_of("case", names);
}

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
        if (!entry.value.is_null() && std::ranges::find(without, entry.key) == without.end())
          entries.push_back(&entry);
      std::ranges::sort(entries, [](const auto* a, const auto* b) { return a->key < b->key; });
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

bool is_read_as_scenario(const std::string& name) {
  if (is_path(name)) {
    const Value file = Value::from_file(name);
    return file.kind() == Value::Kind::map &&
           (file.find("job") != nullptr || file.find("scenario") != nullptr);
  }
  for (const char* folder : {scenarios_folder, "scenarios/studies"}) {
    const std::vector<std::string> known = names_in(folder);
    if (std::ranges::find(known, name) != known.end()) return true;
  }
  return false;
}

std::string scenario_file(const std::string& name) {
  if (is_path(name)) return name;
  for (const char* folder : {scenarios_folder, "scenarios/studies"}) {
    const std::vector<std::string> known = names_in(folder);
    if (std::ranges::find(known, name) != known.end())
      return fmt::format("{}/{}/{}.yaml", data_directory(), folder, name);
  }
  return file_of(typed("SCENARIO", name), scenarios_folder, "scenario");
}

void refuse_study(const std::string& name, const Value& file) {
  const bool study = file.kind() == Value::Kind::map && file.find("scenario") != nullptr &&
                     file.find("job") == nullptr;
  if (!study) return;
  const bool sweep = file.find("sweep") != nullptr || file.find("place") == nullptr;
  file.fail("this is a study, and not a scenario: 'ringscope {} {}' reads it",
            sweep ? "sweep" : "place", name);
}

void refuse_scenario(const std::string& name, const Value& file) {
  const bool scenario = file.kind() == Value::Kind::map && file.find("job") != nullptr &&
                        file.find("scenario") == nullptr;
  if (!scenario) return;
  file.fail(
      "this is a scenario, and not a study: 'ringscope run {0}' reads it; a study has 'scenario: "
      "{0}' and, as 'sweep', what varies",
      name);
}

void lay_over(Value& tree, const std::string& key, const Value& value,
              const std::optional<Place>& key_place) {
  const std::string_view top = std::string_view(key).substr(0, key.find('.'));
  if (top == "cases" || top == "compare")
    throw InputError(key_place.value_or(value.place()),
                     top == "cases" ? "the cases cannot be set: set the keys that they set"
                                    : "'compare' cannot be set: it names cases of the file");
  open_up(tree, key);
  tree.set(key, value, key_place);
}

bool overlap(const std::string& a, const std::string& b) {
  return a == b || a.starts_with(b + ".") || b.starts_with(a + ".");
}

Override parse_override(const std::string& argument) {
  const auto equals = argument.find('=');
  const Place place{std::make_shared<const Source>(Source{"--set", argument}), 1, 1};
  if (equals == std::string::npos || equals == 0 || equals + 1 == argument.size()) {
    throw InputError(place, "expected KEY=VALUE such as \"job.bytes=64MiB\", got \"{}\"", argument);
  }
  return {.key = argument.substr(0, equals), .text = argument.substr(equals + 1)};
}

std::vector<Override> parse_overrides(const std::vector<std::string>& arguments) {
  return each_of(arguments, parse_override);
}

Place place_of_key(const Override& change) {
  const std::string key = change.option == "--set" ? change.key + "=" : "";
  return {std::make_shared<const Source>(Source{change.option, key + change.text}), 1, 1};
}

Value without_cases(Value tree) {
  for (const char* key : {"cases", "compare", "lesson"})
    if (tree.find(key) != nullptr) tree.set(key, Value());
  return tree;
}

std::vector<CaseTree> case_trees(const Value& file, const std::string& stem,
                                 const std::vector<Override>& overrides) {
  if (file.kind() != Value::Kind::map) file.fail("a scenario: expected a map of keys and values");
  const Value base = without_cases(file);
  std::vector<CaseTree> trees;
  if (const Value* cases = file.find("cases"); cases != nullptr && !cases->is_null()) {
    for (const Value& one :
         cases->listed("a list of cases such as [{name: 4-3-1, set: {placement: 4-3-1}}]"))
      trees.push_back(read_case(one, base, stem));
  } else {
    trees.push_back({stem, base, {}});
  }
  if (const Value* pair = file.find("compare"); pair != nullptr && !pair->is_null())
    check_pair(*pair, trees, stem);
  for (const Override& change : overrides) {
    const std::string what = change.option == "--set" ? " " + change.key : "";
    const Value value = Value::from_text(change.option + what, change.text);
    const Place key_place = place_of_key(change);
    for (CaseTree& one : trees) {
      lay_over(one.tree, change.key, value, key_place);
      // The case is named after what it set, and that has just been replaced.
      if (std::ranges::any_of(one.set_keys,
                              [&](const std::string& key) { return overlap(key, change.key); }))
        one.name += fmt::format(" but {}={}", change.key, change.text);
    }
  }
  return trees;
}

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

const Library& KnownParts::library_over(const std::string& transport, const Value& value) {
  const Library& library = this->library(value);
  const bool named = value.kind() == Value::Kind::scalar;
  const Value* base = named ? &value : value.find("base");
  if (transport.empty() || transport == library.transport_name || !library.blocks ||
      base == nullptr || value.find("transport") != nullptr)
    return library;
  Value below = Value::empty_map_at(value.place());
  below.set("base", *base);
  below.set("transport", Value::scalar_at(value.place(), transport));
  if (named) return this->library(below);
  Value over = value;
  over.set("base", below);
  return this->library(over);
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
