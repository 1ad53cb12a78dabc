// SPDX-License-Identifier: LGPL-2.1-or-later
// Quantities with their units as types. A bare number is never a quantity, in code or in a file.
//
// Prefixes: k, M, G, T are powers of 1000; Ki, Mi, Gi, Ti powers of 1024. "B" is a byte.
#pragma once

#include <charconv>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace ringscope {

using Seconds = std::chrono::duration<double>;

struct Bytes {
  std::uint64_t count = 0;
  auto operator<=>(const Bytes&) const = default;
};

/// Bytes per second; `unlimited` for what never is a bottleneck.
struct Bandwidth {
  double bytes_per_second = 0;
  auto operator<=>(const Bandwidth&) const = default;
  bool is_unlimited() const;
  static Bandwidth unlimited();
};

/// CPU seconds per byte moved, or per byte reduced.
struct ByteCost {
  double seconds_per_byte = 0;
  auto operator<=>(const ByteCost&) const = default;
};

inline Seconds operator/(Bytes bytes, Bandwidth bandwidth) {
  return Seconds(static_cast<double>(bytes.count) / bandwidth.bytes_per_second);
}
inline Seconds operator*(Bytes bytes, ByteCost cost) {
  return Seconds(static_cast<double>(bytes.count) * cost.seconds_per_byte);
}

// Each returns nothing when the text is not such a quantity: no number, no unit, a unit of another
// kind, negative, not finite, too large for the type, or a fraction of a byte.

/// "64 MiB", "1B", "unlimited"
std::optional<Bytes> parse_bytes(std::string_view text);
/// "10 Gbit/s", "12 GB/s", "unlimited"
std::optional<Bandwidth> parse_bandwidth(std::string_view text);
/// "1.5 us", "0 s", "3 ms"
std::optional<Seconds> parse_seconds(std::string_view text);
/// "0.8 ns/B", "0 s/B"
std::optional<ByteCost> parse_byte_cost(std::string_view text);

/// The shortest text that parses back to the same value, with a unit that keeps the number between
/// 1 and 1000 where one exists: "64 MiB", "1.5 us", "12.5 GB/s". For files and resolved scenarios.
std::string to_text(Bytes);
std::string to_text(Bandwidth);
std::string to_text(Seconds);
std::string to_text(ByteCost);

/// The number that the text is in decimal digits, and nothing else; nullopt: it is none, or beyond
/// the limits.
template <std::integral Number = int>
std::optional<Number> whole_number(std::string_view text, Number least = 0,
                                   Number most = std::numeric_limits<Number>::max()) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number < least || number > most) return {};
  return number;
}

/// Short text for people: at most `digits` significant digits, with a unit ("41.2 us").
std::string to_short_text(Seconds, int digits = 4);
std::string to_short_text(Bytes, int digits = 4);
std::string to_short_text(Bandwidth, int digits = 4);

}  // namespace ringscope
