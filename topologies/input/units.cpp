// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/input/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

namespace ringscope {
namespace {

/// A unit is 10^ten * 2^two of the base unit.
struct Unit {
  std::string_view name;
  int ten = 0;
  int two = 0;
};

constexpr Unit byte_units[] = {{"B"},          {"kB", 3},      {"MB", 6},
                               {"GB", 9},      {"TB", 12},     {"KiB", 0, 10},
                               {"MiB", 0, 20}, {"GiB", 0, 30}, {"TiB", 0, 40}};
constexpr Unit bandwidth_units[] = {
    {"B/s"},           {"kB/s", 3},       {"MB/s", 6},       {"GB/s", 9},       {"TB/s", 12},
    {"KiB/s", 0, 10},  {"MiB/s", 0, 20},  {"GiB/s", 0, 30},  {"TiB/s", 0, 40},  {"bit/s", 0, -3},
    {"kbit/s", 3, -3}, {"Mbit/s", 6, -3}, {"Gbit/s", 9, -3}, {"Tbit/s", 12, -3}};
// The micro sign and the Greek letter mu look the same and are both typed.
constexpr Unit second_units[] = {{"s"},           {"ms", -3}, {"us", -6}, {"\u00b5s", -6},
                                 {"\u03bcs", -6}, {"ns", -9}, {"ps", -12}};
constexpr Unit byte_cost_units[] = {{"s/B"},           {"us/B", -6}, {"\u00b5s/B", -6},
                                    {"\u03bcs/B", -6}, {"ns/B", -9}, {"ps/B", -12}};

// Units for printing: powers of ten, the smallest first.
constexpr Unit printed_bytes[] = {{"B"}, {"kB", 3}, {"MB", 6}, {"GB", 9}, {"TB", 12}};
constexpr Unit printed_binary[] = {
    {"B"}, {"KiB", 0, 10}, {"MiB", 0, 20}, {"GiB", 0, 30}, {"TiB", 0, 40}};
constexpr Unit printed_bandwidths[] = {
    {"B/s"}, {"kB/s", 3}, {"MB/s", 6}, {"GB/s", 9}, {"TB/s", 12}};
constexpr Unit printed_seconds[] = {{"ps", -12}, {"ns", -9}, {"us", -6}, {"ms", -3}, {"s"}};
constexpr Unit printed_byte_costs[] = {{"ps/B", -12}, {"ns/B", -9}, {"us/B", -6}, {"s/B"}};

constexpr std::string_view unlimited_text = "unlimited";
constexpr std::uint64_t unlimited_bytes = std::numeric_limits<std::uint64_t>::max();
// From here on a double no longer holds every whole number.
constexpr double exact_doubles = 9007199254740992.0;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// "1.5e3 us" in its parts: 1.5, 3, us.
struct Written {
  std::string_view mantissa;
  int exponent = 0;
  Unit unit;
};

std::optional<Written> split(std::string_view text, std::span<const Unit> units) {
  constexpr std::string_view digits = "0123456789";
  text = trimmed(text);
  Written written;
  written.mantissa = text.substr(0, text.find_first_not_of("0123456789."));
  if (written.mantissa.find_first_of(digits) == std::string_view::npos) return {};
  text.remove_prefix(written.mantissa.size());
  if (text.starts_with('e') || text.starts_with('E')) {
    const std::size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 1 : 0;
    const char* begin = text.data() + 1 + (text.substr(1).starts_with('+') ? 1 : 0);
    if (text.size() <= 1 + sign || digits.find(text[1 + sign]) == std::string_view::npos) return {};
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), written.exponent);
    if (error != std::errc{} || std::abs(written.exponent) > 9999) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  const auto unit = std::ranges::find(units, trimmed(text), &Unit::name);
  if (unit == units.end()) return {};
  written.unit = *unit;
  return written;
}

/// The double nearest to the decimal text: the unit's power of ten goes into the exponent before
/// the one rounding, so that "1.5 us" is 1.5e-6 and every text that we print reads back the same.
std::optional<double> value_of(const Written& written) {
  const std::string number =
      fmt::format("{}e{}", written.mantissa, written.exponent + written.unit.ten);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || end != number.data() + number.size()) return {};
  value = std::ldexp(value, written.unit.two);
  if (!std::isfinite(value)) return {};
  return value;
}

std::optional<double> parse(std::string_view text, std::span<const Unit> units) {
  const auto written = split(text, units);
  return written ? value_of(*written) : std::nullopt;
}

/// `digits` with the decimal point after the first `before` of them, which may be negative.
std::string with_point(std::string digits, int before) {
  const int count = static_cast<int>(digits.size());
  if (before > 21 || before < -6) {
    const std::string fraction = count > 1 ? "." + digits.substr(1) : "";
    return fmt::format("{}{}e{}", digits[0], fraction, before - 1);
  }
  if (before <= 0) return fmt::format("0.{:0<{}}{}", "", -before, digits);
  if (before >= count) return fmt::format("{:0<{}}", digits, before);
  digits.insert(digits.begin() + before, '.');
  return digits;
}

/// `precision` significant digits, or with 0 as many as it takes to read back the same double.
std::string scaled(double value, std::span<const Unit> units, int precision = 0) {
  const auto base = std::ranges::find(units, 0, &Unit::ten);
  if (value == 0 || !std::isfinite(value)) return fmt::format("{} {}", value, base->name);
  char buffer[64];
  const double size = std::abs(value);
  const auto end = precision > 0 ? std::to_chars(buffer, buffer + sizeof buffer, size,
                                                 std::chars_format::scientific, precision - 1)
                                 : std::to_chars(buffer, buffer + sizeof buffer, size,
                                                 std::chars_format::scientific);
  const std::string text(buffer, end.ptr);
  const auto e = text.find('e');
  std::string digits(text.substr(0, e));
  std::erase(digits, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  const auto sign = text[e + 1] == '+' ? 2u : 1u;
  int exponent = 0;
  std::from_chars(text.data() + e + sign, text.data() + text.size(), exponent);
  const Unit* unit = &units.front();
  for (const Unit& larger : units)
    if (larger.ten <= exponent) unit = &larger;
  return fmt::format("{}{} {}", value < 0 ? "-" : "", with_point(digits, exponent + 1 - unit->ten),
                     unit->name);
}

}  // namespace

bool Bandwidth::is_unlimited() const { return std::isinf(bytes_per_second); }
Bandwidth Bandwidth::unlimited() { return {std::numeric_limits<double>::infinity()}; }

std::optional<Bytes> parse_bytes(std::string_view text) {
  if (trimmed(text) == unlimited_text) return Bytes{unlimited_bytes};
  const auto written = split(text, byte_units);
  if (!written) return {};
  const auto count = whole_number<std::uint64_t>(written->mantissa);
  if (count && written->exponent == 0) {
    std::uint64_t unit = std::uint64_t{1} << written->unit.two;
    for (int i = 0; i < written->unit.ten; ++i) unit *= 10;
    if (*count >= unlimited_bytes / unit) return {};
    return Bytes{*count * unit};
  }
  const auto value = value_of(*written);
  if (!value || *value >= exact_doubles || *value != std::floor(*value)) return {};
  return Bytes{static_cast<std::uint64_t>(*value)};
}

std::optional<Bandwidth> parse_bandwidth(std::string_view text) {
  if (trimmed(text) == unlimited_text) return Bandwidth::unlimited();
  const auto value = parse(text, bandwidth_units);
  return value ? std::optional(Bandwidth{*value}) : std::nullopt;
}

std::optional<Seconds> parse_seconds(std::string_view text) {
  const auto value = parse(text, second_units);
  return value ? std::optional(Seconds{*value}) : std::nullopt;
}

std::optional<ByteCost> parse_byte_cost(std::string_view text) {
  const auto value = parse(text, byte_cost_units);
  return value ? std::optional(ByteCost{*value}) : std::nullopt;
}

std::string to_text(Bytes bytes) {
  if (bytes.count == unlimited_bytes) return std::string(unlimited_text);
  const std::string plain = fmt::format("{} B", bytes.count);
  const auto value = static_cast<double>(bytes.count);
  if (value < 1000 || value >= exact_doubles) return plain;
  std::string shortest;
  for (const auto& units : {std::span(printed_binary), std::span(printed_bytes)}) {
    for (const Unit& unit : units.subspan(1)) {
      const double size = std::ldexp(std::pow(10.0, unit.ten), unit.two);
      if (value < size || value >= 1000 * size) continue;
      const std::string text = fmt::format("{} {}", value / size, unit.name);
      if (parse_bytes(text) != bytes) continue;
      if (shortest.empty() || text.size() < shortest.size()) shortest = text;
    }
  }
  // "64 KiB", but "65537 B" and not "65.537 kB", which would stand beside it as another kind of
  // unit.
  return shortest.empty() || shortest.size() > plain.size() + 1 ? plain : shortest;
}

std::string to_text(Bandwidth bandwidth) {
  if (bandwidth.is_unlimited()) return std::string(unlimited_text);
  return scaled(bandwidth.bytes_per_second, printed_bandwidths);
}
std::string to_text(Seconds seconds) { return scaled(seconds.count(), printed_seconds); }
std::string to_text(ByteCost cost) { return scaled(cost.seconds_per_byte, printed_byte_costs); }

std::string to_short_text(Seconds seconds, int digits) {
  return scaled(seconds.count(), printed_seconds, digits);
}

std::string to_short_text(Bytes bytes, int digits) {
  const std::string exact = to_text(bytes);
  const auto count = std::ranges::count_if(exact, [](char c) { return c >= '0' && c <= '9'; });
  if (count <= digits) return exact;
  const Unit* unit = &printed_binary[0];
  const auto value = static_cast<double>(bytes.count);
  for (const Unit& larger : printed_binary)
    if (std::ldexp(1.0, larger.two) <= value) unit = &larger;
  return fmt::format("{:.{}g} {}", std::ldexp(value, -unit->two), std::max(digits, 4), unit->name);
}

std::string to_short_text(Bandwidth bandwidth, int digits) {
  if (bandwidth.is_unlimited()) return std::string(unlimited_text);
  return scaled(bandwidth.bytes_per_second, printed_bandwidths, digits);
}

}  // namespace ringscope
