// SPDX-License-Identifier: LGPL-2.1-or-later
// A Value as a quantity, a number or a word, or an error that says what was expected.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "topologies/input/input.hpp"

namespace ringscope {
namespace {

std::string described(const Value& value) {
  constexpr std::size_t longest = 60;
  switch (value.kind()) {
    case Value::Kind::null:
      return "nothing";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::map:
      return "a map";
    case Value::Kind::scalar:
      break;
  }
  const std::string& text = value.scalar();
  return fmt::format("\"{}\"{}", text.substr(0, longest), text.size() > longest ? "..." : "");
}

[[noreturn]] void fail_expecting(const Value& value, const std::string& what,
                                 const std::string& hint = "") {
  value.fail("expected {}, got {}{}", what, described(value), hint);
}

template <typename Number>
bool parse_number(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Reason why a text that looks like a quantity is none.
std::string hint_for(const Value& value) {
  double number = 0;
  if (value.kind() != Value::Kind::scalar) return "";
  if (value.scalar().starts_with('-')) return ", which is negative";
  return parse_number(value.scalar(), number) ? ", which has no unit" : "";
}

/// "; 50% is 0.5", or nothing.
std::string hint_for_percent(const Value& value) {
  double number = 0;
  const std::string text = value.kind() == Value::Kind::scalar ? value.scalar() : "";
  const auto end = text.find_last_not_of(" %");
  if (!text.ends_with('%') || end == std::string::npos ||
      !parse_number(text.substr(0, end + 1), number))
    return "";
  return fmt::format("; {} is {:g}", text, number / 100);
}

/// The unit behind a number: "10 Gbps" has "Gbps".
std::string unit_in(const std::string& text) {
  const bool has_number = !text.empty() && text.front() >= '0' && text.front() <= '9';
  return has_number ? text.substr(text.find_last_of("0123456789. ") + 1) : "";
}

/// ", did you mean ..." for a unit that is written in another way; or nothing.
template <typename Parse>
std::string other_unit(const std::string& text, const std::string& unit, Parse parse) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"bps", "bit/s"}, {"b/s", "bit/s"}, {"bit", "bit/s"}, {"b", "bit/s"}, {"Bps", "B/s"},
      {"KB", "kB"},     {"KB/s", "kB/s"}, {"K", "KiB"},     {"k", "KiB"},   {"M", "MiB"},
      {"G", "GiB"},     {"T", "TiB"},     {"i", "iB"},      {"sec", "s"}};
  for (const auto& [other, right] : words) {
    if (!unit.ends_with(other)) continue;
    std::string number = text.substr(0, text.size() - unit.size());
    number.resize(number.find_last_not_of(' ') + 1);
    const std::string meant =
        fmt::format("{} {}{}", number, unit.substr(0, unit.size() - other.size()), right);
    if (parse(meant)) return fmt::format("; did you mean \"{}\"?", meant);
  }
  return "";
}

template <typename Parse>
auto quantity(const Value& value, Parse parse, const std::string& what, const char* units) {
  if (value.kind() != Value::Kind::scalar) fail_expecting(value, what);
  const auto parsed = parse(value.scalar());
  if (parsed) return *parsed;
  const std::string unit = unit_in(value.scalar());
  if (unit.empty() || parse("1 " + unit)) fail_expecting(value, what, hint_for(value));
  const std::string other = other_unit(value.scalar(), unit, parse);
  fail_expecting(value, what, other.empty() ? fmt::format("; the units are {}", units) : other);
}

// Wide enough for every machine, and narrow enough that no product or quotient of the few that meet
// in a simulation leaves the range of a double (1e-308 to 1e308), or becomes 0 or no number.
constexpr double smallest = 1e-24;
constexpr double largest_number = 1e24;
constexpr double largest_seconds = 1e12, largest_byte_cost = 1e6;
constexpr double smallest_bandwidth = 1e-6, largest_bandwidth = 1e21;

/// `least` does not hold for 0, which is exact.
void require_range(const Value& value, const std::string& what, double number, double least,
                   double most, const char* unit) {
  if (number != 0 && number < least)
    fail_expecting(value, what, fmt::format(", which is below {:g}{}", least, unit));
  if (number > most)
    fail_expecting(value, what, fmt::format(", which is above {:g}{}", most, unit));
}

}  // namespace

Bytes Value::bytes() const {
  const std::string what = "a whole number of bytes such as \"64 MiB\"";
  return quantity(*this, parse_bytes, what, "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB");
}

Bandwidth Value::bandwidth() const {
  const std::string what = "a bandwidth such as \"10 Gbit/s\"";
  const Bandwidth bandwidth =
      quantity(*this, parse_bandwidth, what, "bit/s to Tbit/s, B/s to TB/s, KiB/s to TiB/s");
  if (bandwidth.bytes_per_second <= 0) fail_expecting(*this, what, ", which is not positive");
  if (!bandwidth.is_unlimited())
    require_range(*this, what, bandwidth.bytes_per_second, smallest_bandwidth, largest_bandwidth,
                  " B/s");
  return bandwidth;
}

Seconds Value::seconds() const {
  const std::string what = "a time such as \"1.5 us\"";
  const Seconds seconds = quantity(*this, parse_seconds, what, "s, ms, us, ns, ps");
  require_range(*this, what, seconds.count(), smallest, largest_seconds, " s");
  return seconds;
}

ByteCost Value::byte_cost() const {
  const std::string what = "a cost per byte such as \"0.8 ns/B\"";
  const ByteCost cost = quantity(*this, parse_byte_cost, what, "s/B, us/B, ns/B, ps/B");
  require_range(*this, what, cost.seconds_per_byte, smallest, largest_byte_cost, " s/B");
  return cost;
}

std::int64_t Value::integer(std::int64_t least, std::int64_t most) const {
  std::string what = fmt::format("a whole number from {} to {}", least, most);
  if (most == std::numeric_limits<std::int64_t>::max())
    what = fmt::format("a whole number of at least {}", least);
  if (least == most) what = std::to_string(least);
  std::int64_t number = 0;
  if (kind_ != Kind::scalar || !parse_number(scalar_, number) || number < least || number > most)
    fail_expecting(*this, what);
  return number;
}

double Value::number(double least, double most) const {
  const std::string what = most >= std::numeric_limits<double>::max()
                               ? fmt::format("a number of at least {}", least)
                               : fmt::format("a number from {} to {}", least, most);
  double number = 0;
  // Written so that "nan" fails; "inf" is above every finite limit and refused where there is none.
  if (kind_ != Kind::scalar || !parse_number(scalar_, number) ||
      !(number >= least && number <= std::min(most, std::numeric_limits<double>::max())))
    fail_expecting(*this, what, hint_for_percent(*this));
  require_range(*this, what, std::abs(number), smallest, largest_number, "");
  return number;
}

bool Value::boolean() const {
  if (kind_ != Kind::scalar || (scalar_ != "true" && scalar_ != "false"))
    fail_expecting(*this, "true or false");
  return scalar_ == "true";
}

const std::vector<Value>& Value::listed(std::string_view expected, std::size_t least) const {
  if (kind_ != Kind::list || items_.size() < least) fail("expected {}", expected);
  return items_;
}

std::string Value::text() const {
  if (kind_ != Kind::scalar || scalar_.empty()) fail_expecting(*this, "a text");
  return scalar_;
}

std::size_t Value::one_of(std::string_view kind, std::span<const std::string> names) const {
  const bool vowel = std::string_view("aeiou").find(kind.front()) != std::string_view::npos;
  if (kind_ != Kind::scalar)
    fail_expecting(*this, fmt::format("the name of {} {}", vowel ? "an" : "a", kind));
  const auto found = std::ranges::find(names, scalar_);
  if (found == names.end()) fail(unknown_name(kind, scalar_, names));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace ringscope
