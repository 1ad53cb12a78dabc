// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <variant>

#include "base/table.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_points = 1'000'000;
constexpr Array<std::string_view, 6> kind_names = {"a size",          "a bandwidth", "a time",
                                                   "a cost per byte", "a number",    "a number"};
const std::string scale_names[] = {"linear", "log"};
const std::string either =
    "expected a list such as [4-2-2, 4-3-1] or a range such as {from: 1 us, to: 8 us, steps: 8}";

void require_few(const Value& value, double points) {
  if (points > static_cast<double>(most_points))
    value.fail("{:.0f} points, and a study has at most {}", points, most_points);
}

/// A range whose values are the strata's, or a list whose items are.
using Choice = std::variant<ValueRange, std::vector<Value>>;

std::vector<Value> items_of(const Value& list) {
  if (list.kind() != Value::Kind::list || list.items().empty()) list.fail(either);
  return list.items();
}

/// Values of a grid for one key: rounding may make values of a range equal, and they count once.
std::vector<Value> grid_values(const std::string& key, const Value& value) {
  if (value.kind() != Value::Kind::map) return items_of(value);
  Fields fields(value, key);
  const ValueRange range(fields);
  const auto steps = fields.required("steps").integer(2, most_points);
  fields.finish();
  std::vector<Value> values;
  for (std::int64_t i = 0; i < steps; ++i) {
    Value next = range.at(static_cast<double>(i) / static_cast<double>(steps - 1));
    if (values.empty() || values.back().scalar() != next.scalar())
      values.push_back(std::move(next));
  }
  return values;
}

/// Each point with each of the values, which are read from `said`.
void add_key(Variation& all, const std::string& key, const Value& said,
             const std::vector<Value>& values) {
  require_few(said, static_cast<double>(all.points.size()) * static_cast<double>(values.size()));
  std::vector<std::vector<Value>> points;
  for (const auto& point : all.points)
    for (const Value& value : values) {
      points.push_back(point);
      points.back().push_back(value);
    }
  all.keys.push_back(key);
  all.points = std::move(points);
}

Variation read_grid(const Value& grid) {
  if (grid.kind() != Value::Kind::map || grid.entries().empty())
    grid.fail("expected a map of keys to values such as {placement: [4-2-2, 4-3-1]}");
  Variation all{{}, {{}}};
  for (const Value::Entry& entry : grid.entries())
    add_key(all, entry.key, entry.value, grid_values(entry.key, entry.value));
  return all;
}

Variation read_points(const Value& list) {
  require_few(
      list,
      static_cast<double>(
          list.listed("a list of points such as [{placement: 4-2-2, job.bytes: 1 MiB}]").size()));
  Variation all;
  for (const Value& point : list.items()) {
    if (point.kind() != Value::Kind::map || point.entries().empty())
      point.fail("expected a map of keys to values such as {placement: 4-2-2, job.bytes: 1 MiB}");
    for (const Value::Entry& entry : point.entries())
      if (std::ranges::find(all.keys, entry.key) == all.keys.end()) all.keys.push_back(entry.key);
  }
  for (const Value& point : list.items()) {
    std::vector<Value> values(all.keys.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      // A key may have dots, and find() looks for them as they stand.
      const Value* value = point.find(all.keys[i]);
      if (value != nullptr) values[i] = *value;
    }
    all.points.push_back(std::move(values));
  }
  return all;
}

Choice read_choice(const std::string& key, const Value& value) {
  if (value.kind() != Value::Kind::map) return items_of(value);
  Fields fields(value, key);
  ValueRange range(fields);
  if (const Value* steps = fields.optional("steps"))
    steps->fail("a Latin hypercube has as many steps as points: omit this");
  fields.finish();
  return range;
}

/// `share` in [0, 1).
Value chosen(const Choice& choice, double share) {
  if (const auto* range = std::get_if<ValueRange>(&choice)) return range->at(share);
  const auto& items = std::get<std::vector<Value>>(choice);
  return items[static_cast<std::size_t>(share * static_cast<double>(items.size()))];
}

/// McKay, Beckman and Conover (1979): each of the n strata of each key holds one of the n points.
Variation read_latin(const Value& value) {
  Fields fields(value, "latin");
  const auto n = static_cast<std::size_t>(fields.required("n").integer(1, most_points));
  std::mt19937_64 random(static_cast<std::uint64_t>(
      fields.value_or("seed", "1").integer(0, std::numeric_limits<std::int64_t>::max())));
  const Value& keys = fields.required("keys");
  fields.finish();
  if (keys.kind() != Value::Kind::map || keys.entries().empty())
    keys.fail("expected a map of keys to ranges such as {job.bytes: {from: 1 KiB, to: 1 MiB}}");
  Variation all{{}, std::vector<std::vector<Value>>(n)};
  for (const Value::Entry& entry : keys.entries()) {
    const Choice choice = read_choice(entry.key, entry.value);
    std::vector<std::size_t> strata = numbers_below<std::size_t>(n);
    // The same on every machine, unlike std::shuffle and std::uniform_real_distribution.
    for (std::size_t i = n - 1; i > 0; --i) std::swap(strata[i], strata[random() % (i + 1)]);
    for (std::size_t i = 0; i < n; ++i) {
      const double inside = static_cast<double>(random() >> 11) * 0x1p-53;
      const double share = (static_cast<double>(strata[i]) + inside) / static_cast<double>(n);
      all.points[i].push_back(chosen(choice, std::min(share, std::nextafter(1.0, 0.0))));
    }
    all.keys.push_back(entry.key);
  }
  return all;
}

}  // namespace

ValueRange::End ValueRange::read_end(const Value& value) {
  const std::string text = value.text();
  if (text == "unlimited") value.fail("expected an end of a range, and \"unlimited\" is none");
  if (const auto bytes = parse_bytes(text)) return {Kind::bytes, static_cast<double>(bytes->count)};
  if (const auto bandwidth = parse_bandwidth(text))
    return {Kind::bandwidth, bandwidth->bytes_per_second};
  if (const auto seconds = parse_seconds(text)) return {Kind::seconds, seconds->count()};
  if (const auto cost = parse_byte_cost(text)) return {Kind::cost, cost->seconds_per_byte};
  constexpr double most = 1e15;  // whole numbers up to it are doubles
  const double number = value.number(-most, most);
  const bool whole = text.find_first_not_of("+-0123456789") == std::string::npos;
  return {whole ? Kind::whole : Kind::real, number};
}

ValueRange::ValueRange(Fields& fields) : place_(fields.map().place()) {
  const Value& from = fields.required("from");
  const Value& to = fields.required("to");
  const End first = read_end(from), last = read_end(to);
  const auto name = [](Kind kind) { return kind_names[kind]; };
  if (name(first.kind) != name(last.kind))
    to.fail("expected {}, as 'from' is, got {}", name(first.kind), name(last.kind));
  kind_ = std::max(first.kind, last.kind);
  from_ = first.number;
  to_ = last.number;
  logarithmic_ = fields.value_or("scale", "linear").one_of("scale", scale_names) == 1;
  if (logarithmic_ && (from_ <= 0 || to_ <= 0))
    (from_ <= 0 ? from : to).fail("expected more than 0, for a logarithmic scale");
}

Value ValueRange::at(double share) const {
  double number =
      logarithmic_ ? from_ * std::pow(to_ / from_, share) : from_ + (to_ - from_) * share;
  if (share == 0) number = from_;
  if (share == 1) number = to_;
  // 5 and not 4.999999999999999: the digits of a file, without what adding them up leaves.
  number = std::stod(fmt::format("{:.14g}", number));
  const auto text = [&]() -> std::string {
    if (kind_ == Kind::bytes)
      return to_text(Bytes{static_cast<std::uint64_t>(std::llround(number))});
    if (kind_ == Kind::bandwidth) return to_text(Bandwidth{number});
    if (kind_ == Kind::seconds) return to_text(Seconds(number));
    if (kind_ == Kind::cost) return to_text(ByteCost{number});
    return kind_ == Kind::whole ? std::to_string(std::llround(number)) : fmt::format("{}", number);
  };
  return Value::scalar_at(place_, text());
}

Variation read_variation(const Value& sweep) {
  Fields fields(sweep, "sweep");
  const Value* grid = fields.optional("grid");
  const Value* points = fields.optional("points");
  const Value* latin = fields.optional("latin");
  fields.finish();
  if ((grid != nullptr) + (points != nullptr) + (latin != nullptr) != 1)
    sweep.fail("sweep: expected one of 'grid', 'points' and 'latin'");
  if (grid != nullptr) return read_grid(*grid);
  return points != nullptr ? read_points(*points) : read_latin(*latin);
}

void multiply(Variation& variation, const std::string& key, const Value& values) {
  add_key(variation, key, values, items_of(values));
}

}  // namespace ringscope
