// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/fabrics/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ringscope {
namespace {

constexpr std::size_t most_names = 1 << 16;  // the YAML of more hosts is too long to be read
constexpr std::size_t most_digits = 9;

/// Error at an offset of the list, which stands on one line.
[[noreturn]] void fail_at(const Value& list, std::string_view text, std::size_t at,
                          std::string_view expected) {
  Place place = list.place();
  if (place.column > 0) place.column += static_cast<int>(at);
  throw InputError(place, "expected {} in the list of names '{}'", expected, text.substr(0, 60));
}

/// The parts between commas that stand in no bracket, each with its offset.
struct Part {
  std::string_view text;
  std::size_t at = 0;
};

std::vector<Part> parts_of(const Value& list, std::string_view text) {
  std::vector<Part> parts;
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '[' && depth++ > 0) fail_at(list, text, i, "no '[' inside of another");
    if (c == ']' && depth-- == 0) fail_at(list, text, i, "a '[' before each ']'");
    if (i == text.size() && depth > 0) fail_at(list, text, i, "a ']' for each '['");
    if (c != ',' || depth > 0) continue;
    if (i == begin) fail_at(list, text, i, "a name");
    parts.push_back({text.substr(begin, i - begin), begin});
    begin = i + 1;
  }
  return parts;
}

/// Names for which one item in brackets stands: "01-03", "7", or a word.
std::vector<std::string> range_of(const Value& list, std::string_view text, Part item) {
  const std::size_t dash = item.text.find('-');
  if (dash == std::string_view::npos) return {std::string(item.text)};
  const std::string_view ends[] = {item.text.substr(0, dash), item.text.substr(dash + 1)};
  unsigned number[2] = {};
  for (const int i : {0, 1}) {
    const auto end = whole_number<unsigned>(ends[i]);
    if (!end || ends[i].size() > most_digits)
      fail_at(list, text, item.at, "two numbers such as 01-16");
    number[i] = *end;
  }
  if (number[0] > number[1]) fail_at(list, text, item.at, "the smaller number first");
  if (number[1] - number[0] >= most_names)
    fail_at(list, text, item.at, fmt::format("at most {} names", most_names));
  std::vector<std::string> names;
  for (unsigned i = number[0]; i <= number[1]; ++i)
    names.push_back(fmt::format("{:0{}}", i, ends[0].size()));
  return names;
}

void append_names(const Value& list, std::string_view text, Part part,
                  std::vector<std::string>& names) {
  std::vector<std::string> found = {""};
  std::string_view rest = part.text;
  std::size_t at = part.at;
  while (!rest.empty()) {
    const std::size_t open = std::min(rest.find('['), rest.size());
    for (std::string& name : found) name += rest.substr(0, open);
    if (open == rest.size()) break;
    const std::size_t close = rest.find(']');
    std::vector<std::string> longer, words;
    std::string_view inner = rest.substr(open + 1, close - open - 1);
    if (inner.empty()) fail_at(list, text, at + open, "numbers between '[' and ']'");
    for (std::size_t begin = 0; begin <= inner.size();) {
      const std::size_t end = std::min(inner.find(',', begin), inner.size());
      if (end == begin) fail_at(list, text, at + open + 1 + begin, "a number");
      const auto more =
          range_of(list, text, {inner.substr(begin, end - begin), at + open + 1 + begin});
      words.insert(words.end(), more.begin(), more.end());
      if (found.size() * words.size() > most_names)
        fail_at(list, text, part.at, fmt::format("at most {} names", most_names));
      begin = end + 1;
    }
    for (const std::string& name : found)
      for (const std::string& word : words) longer.push_back(name + word);
    found = std::move(longer);
    rest.remove_prefix(close + 1);
    at += close + 1;
  }
  if (names.size() + found.size() > most_names)
    fail_at(list, text, part.at, fmt::format("at most {} names", most_names));
  names.insert(names.end(), found.begin(), found.end());
}

}  // namespace

std::vector<std::string> names_of_hostlist(const Value& list) {
  const std::string text = list.text();
  std::vector<std::string> names;
  for (const Part& part : parts_of(list, text)) append_names(list, text, part, names);
  return names;
}

}  // namespace ringscope
