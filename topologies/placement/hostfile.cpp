// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/hostfile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "topologies/input/characters.hpp"
#include "topologies/input/read_file.hpp"

namespace ringscope {
namespace {

constexpr int most_slots = 1 << 20;
constexpr std::size_t most_mebibytes = 16;

std::shared_ptr<const Source> read_source(const Value& path) {
  const std::string name = path_from(path.place(), path.text());
  std::string text = read_file(name, most_mebibytes, [&](const std::string& why) {
    path.fail(fmt::format("the hostfile '{}' {}", name, why));
  });
  auto source = std::make_shared<const Source>(Source{name, std::move(text)});
  require_utf8(source);
  return source;
}

/// The words of one line up to a comment, each at its place.
std::vector<Value> words_of(std::string_view line, const Place& start) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<Value> words;
  line = line.substr(0, line.find('#'));
  std::size_t begin = line.find_first_not_of(blanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    Place place = start;
    place.column = static_cast<int>(begin) + 1;
    words.push_back(Value::scalar_at(place, std::string(line.substr(begin, end - begin))));
    begin = line.find_first_not_of(blanks, end);
  }
  return words;
}

/// Rest of a word behind its first `length` characters, at its own place.
Value rest_of(const Value& word, std::size_t length) {
  Place place = word.place();
  place.column += static_cast<int>(length);
  return Value::scalar_at(place, word.scalar().substr(length));
}

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
  if (colon != std::string::npos) line.slots = read_slots(rest_of(words.front(), colon + 1));
  for (const Value& word : std::span(words).subspan(1)) {
    const std::string& text = word.scalar();
    const auto equals = text.find('=');
    const std::string key = text.substr(0, equals);
    // Open MPI's upper limit on slots does not bear on where ranks run.
    if (equals != std::string::npos && (key == "max_slots" || key == "max-slots")) {
      read_slots(rest_of(word, equals + 1));
      continue;
    }
    if (equals == std::string::npos || key != "slots")
      word.fail(fmt::format("expected \"slots=N\", got \"{}\"", text.substr(0, 60)));
    if (line.slots) word.fail("the slots of this host are given twice");
    line.slots = read_slots(rest_of(word, equals + 1));
  }
  return line;
}

}  // namespace

int cores_of(const Topology& topology, int host) {
  int cores = 0;
  for (const Vertex domain : topology.hosts()[static_cast<std::size_t>(host)].numa_domains)
    cores += topology.graph()[domain].cores;
  return cores;
}

int host_of(const Topology& topology, const std::string& name, const Place& place) {
  const auto hosts = topology.hosts();
  const auto found = std::ranges::find(hosts, name, &Host::name);
  if (found != hosts.end()) return static_cast<int>(found - hosts.begin());
  std::vector<std::string> known;
  for (const Host& host : hosts) known.push_back(host.name);
  throw InputError(place, unknown_name("host", name, known));
}

std::vector<HostSlots> read_hostfile(const Value& path, const Topology& topology) {
  const auto source = read_source(path);
  std::unordered_map<std::string, int> indices, lines;
  for (const Host& host : topology.hosts())
    indices.emplace(host.name, static_cast<int>(indices.size()));
  std::vector<HostSlots> result;
  std::istringstream stream(source->text);
  std::string text;
  for (int number = 1; std::getline(stream, text); ++number) {
    const auto words = words_of(text, {source, number, 1});
    if (words.empty()) continue;
    const Line line = read_line(words);
    const auto index = indices.find(line.name);
    const int host = index != indices.end() ? index->second
                                            : host_of(topology, line.name, words.front().place());
    const auto [first, is_new] = lines.emplace(line.name, number);
    if (!is_new)
      words.front().fail(
          fmt::format("the host '{}' stands twice, first on line {}", line.name, first->second));
    result.push_back({host, line.slots.value_or(cores_of(topology, host))});
  }
  if (result.empty()) throw InputError({source, 0, 0}, "names no host");
  return result;
}

}  // namespace ringscope
