// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/hostfile.hpp"

#include <algorithm>
#include <sstream>

#include "topologies/input/data_files.hpp"
#include "topologies/placement/places.hpp"

namespace ringscope {
namespace {

constexpr int most_slots = 1 << 20;
constexpr std::size_t most_mebibytes = 64;

struct Line {
  std::string name;
  std::optional<int> slots;
};

int read_slots(const Value& number) { return static_cast<int>(number.integer(1, most_slots)); }

Line read_line(const std::vector<Value>& words) {
  const std::string& first = words.front().scalar();
  const auto colon = first.find(':');
  Line line{first.substr(0, colon), {}};
  if (line.name.empty()) words.front().fail("expected the name of a host");
  if (colon != std::string::npos) line.slots = read_slots(part_of(words.front(), colon + 1));
  for (const Value& word : std::span(words).subspan(1)) {
    const std::string& text = word.scalar();
    const auto equals = text.find('=');
    const std::string key = text.substr(0, equals);
    // Open MPI's upper limit on slots does not bear on where ranks run.
    if (equals != std::string::npos && (key == "max_slots" || key == "max-slots")) {
      read_slots(part_of(word, equals + 1));
      continue;
    }
    if (equals == std::string::npos || key != "slots")
      word.fail("expected \"slots=N\", got \"{}\"", text.substr(0, 60));
    if (line.slots) word.fail("duplicate slots of this host");
    line.slots = read_slots(part_of(word, equals + 1));
  }
  return line;
}

/// The host of "host0:2222".
int host_of_task(const Value& address, const HostNames& hosts) {
  const std::string name = address.text();
  const auto colon = name.rfind(':');
  if (colon == 0 || colon == std::string::npos || !whole_number(name.substr(colon + 1)))
    address.fail("expected a task's address such as \"host0:2222\", got \"{}\"",
                 name.substr(0, 60));
  return hosts.index(name.substr(0, colon), address.place());
}

}  // namespace

std::shared_ptr<const Source> read_source(const Value& path, std::string_view what) {
  return read_named(path, what, path_from(path.place(), path.text()), most_mebibytes);
}

Value part_of(const Value& word, std::size_t begin, std::size_t length) {
  Place place = word.place();
  place.column += static_cast<int>(begin);
  return Value::scalar_at(place, word.scalar().substr(begin, length));
}

std::vector<Value> divided(const Value& text) {
  std::vector<Value> parts;
  const std::string& all = text.scalar();
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(',', begin), all.size());
    const std::size_t first = std::min(all.find_first_not_of(' ', begin), end);
    std::size_t last = end;
    while (last > first && all[last - 1] == ' ') --last;
    parts.push_back(part_of(text, first, last - first));
    begin = end + 1;
  }
  return parts;
}

std::vector<Value> words_of(const Value& line) {
  constexpr std::string_view blanks = " \t\r";
  const std::string_view text = line.scalar();
  std::vector<Value> words;
  std::size_t begin = text.find_first_not_of(blanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(part_of(line, begin, end - begin));
    begin = text.find_first_not_of(blanks, end);
  }
  return words;
}

Place each_line(const Value& path, std::string_view what,
                const std::function<void(const Value&)>& read) {
  const auto source = read_source(path, what);
  each_line(source, read);
  return {source, 0, 0};
}

void each_line(const std::shared_ptr<const Source>& source,
               const std::function<void(const Value&)>& read) {
  std::istringstream stream(source->text);
  std::string text;
  for (int number = 1; std::getline(stream, text); ++number)
    read(Value::scalar_at({source, number, 1}, text));
}

int host_of(const Topology& topology, const std::string& name, const Place& place) {
  const auto hosts = topology.hosts();
  const auto found = std::ranges::find(hosts, name, &Host::name);
  if (found != hosts.end()) return static_cast<int>(found - hosts.begin());
  throw InputError(place, unknown_name("host", name, each_of(hosts, &Host::name)));
}

HostNames::HostNames(const Topology& topology) : topology_(&topology) {
  for (const Host& host : topology.hosts())
    indices_.emplace(host.name, static_cast<int>(indices_.size()));
}

std::optional<int> HostNames::find(const std::string& name) const {
  for (const std::string& known : {name, name.substr(0, name.find('.'))})
    if (const auto found = indices_.find(known); found != indices_.end()) return found->second;
  return {};
}

int HostNames::index(const std::string& name, const Place& place) const {
  if (const auto found = find(name)) return *found;
  return name == "localhost" || name == "127.0.0.1" ? 0 : host_of(*topology_, name, place);
}

std::vector<HostSlots> read_hostfile(const Value& path, const Topology& topology) {
  std::unordered_map<std::string, int> indices, lines;
  for (const Host& host : topology.hosts())
    indices.emplace(host.name, static_cast<int>(indices.size()));
  Table<HostSlots> result;
  const Place whole = each_line(path, "hostfile", [&](const Value& one) {
    const std::string& text = one.scalar();
    const auto words = words_of(Value::scalar_at(one.place(), text.substr(0, text.find('#'))));
    if (words.empty()) return;
    const Line line = read_line(words);
    const auto index = indices.find(line.name);
    const int host = index != indices.end() ? index->second
                                            : host_of(topology, line.name, words.front().place());
    const auto [first, is_new] = lines.emplace(line.name, one.place().line);
    if (!is_new)
      words.front().fail("duplicate host '{}', first on line {}", line.name, first->second);
    result.push_back({host, line.slots.value_or(cores_of(topology, host))});
  });
  if (result.empty()) throw InputError(whole, "names no host");
  return result;
}

bool is_host_list(const Value& value, const Topology& topology) {
  if (value.kind() != Value::Kind::scalar) return false;
  const std::string& text = value.scalar();
  const auto hosts = topology.hosts();
  // Counts have no letter but the x of 4x64.
  const bool named = std::ranges::any_of(text, [](char letter) {
    return letter != 'x' && ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'));
  });
  return text.find(':') != std::string::npos ||
         (named && (text.find(',') != std::string::npos ||
                    std::ranges::find(hosts, text, &Host::name) != hosts.end()));
}

std::vector<HostSlots> read_host_list(const Value& value, const Topology& topology) {
  Table<HostSlots> result;
  const HostNames names(topology);
  Table<int> at(topology.hosts().size(), -1);
  std::int64_t ranks = 0;
  for (const Value& part : divided(value)) {
    const std::string& text = part.scalar();
    const auto colon = text.find(':');
    const std::string name = text.substr(0, colon);
    if (name.empty())
      part.fail("expected hosts with their slots such as \"host0:4,host1:4\", got \"{}\"",
                value.scalar().substr(0, 60));
    const int slots = colon == std::string::npos
                          ? 1
                          : static_cast<int>(part_of(part, colon + 1).integer(1, most_ranks));
    const int host = names.index(name, part.place());
    int& index = at[host];
    if (index < 0) {
      index = static_cast<int>(result.size());
      result.push_back({host, 0});
    }
    ranks += slots;
    if (ranks > most_ranks) value.fail("more than {} ranks", most_ranks);
    result[index].slots += slots;
  }
  return result;
}

std::vector<HostSlots> read_tf_config(const Value& config, const Topology& topology) {
  Fields fields(config, "TF_CONFIG");
  const Value& cluster = fields.required("cluster");
  for (const char* key : {"task", "environment", "rpc_layer"}) fields.optional(key);
  fields.finish();
  Fields jobs(cluster, "TF_CONFIG.cluster");
  const HostNames hosts(topology);
  std::vector<HostSlots> ranks;
  // The servers of a job are its last ranks.
  for (const char* name : {"chief", "master", "worker", "ps"}) {
    const Value* tasks = jobs.optional(name);
    if (tasks == nullptr) continue;
    for (const Value& task :
         tasks->listed("a list of tasks such as [\"host0:2222\", \"host1:2222\"]", 0))
      ranks.push_back({host_of_task(task, hosts), 1});
  }
  jobs.optional("evaluator");  // takes no part in the training
  jobs.finish();
  if (ranks.empty()) cluster.fail("TF_CONFIG.cluster has no worker");
  return ranks;
}

}  // namespace ringscope
