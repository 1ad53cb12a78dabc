// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace ringscope {
namespace {

constexpr std::size_t widest_cell = 56;

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::string cut(const std::string& cell) {
  if (width(cell) <= widest_cell) return cell;
  std::size_t end = 0, characters = 0;
  while (characters < widest_cell - 2 || !starts_character(cell[end])) {
    if (starts_character(cell[end++])) ++characters;
  }
  return cell.substr(0, end) + "..";
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = cut(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(int indent) const {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) lines[0].push_back(column.header);
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  std::vector<std::size_t> widest(columns_.size());
  for (const auto& cells : lines)
    for (std::size_t i = 0; i < cells.size(); ++i) widest[i] = std::max(widest[i], width(cells[i]));
  std::string text;
  for (const auto& cells : lines) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widest[i] - width(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::left ? cells[i] + padding : padding + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string square_text(const std::string& corner, std::size_t count,
                        const std::function<std::string(std::size_t, std::size_t)>& cell) {
  std::vector<TextTable::Column> columns = {corner};
  for (std::size_t to = 0; to < count; ++to) columns.push_back(std::to_string(to));
  TextTable table(std::move(columns));
  const std::string colon = corner.ends_with(':') ? ":" : "";
  for (std::size_t from = 0; from < count; ++from) {
    std::vector<std::string> cells = {std::to_string(from) + colon};
    for (std::size_t to = 0; to < count; ++to) cells.push_back(cell(from, to));
    table.add(std::move(cells));
  }
  return table.text(0);
}

TimeScale::TimeScale(double largest_s) {
  struct Unit {
    double per_second;
    std::string_view name;
  };
  constexpr std::array<Unit, 4> units = {{{1, "s"}, {1e3, "ms"}, {1e6, "us"}, {1e9, "ns"}}};
  const double largest = std::abs(largest_s);
  if (largest == 0) return;
  const auto fits = [&](const Unit& unit) { return largest * unit.per_second >= 1; };
  const auto found = std::ranges::find_if(units, fits);
  const Unit& unit = found == units.end() ? units.back() : *found;
  per_second_ = unit.per_second;
  unit_ = unit.name;
  const int digits_before_point =
      1 + std::max(0, static_cast<int>(std::floor(std::log10(largest * per_second_))));
  decimals_ = std::clamp(4 - digits_before_point, 0, 3);
}

std::string TimeScale::text(double seconds) const {
  if (seconds == 0) return "-";
  return fmt::format("{:.{}f} {}", seconds * per_second_, decimals_, unit_);
}

std::string TimeScale::difference(double seconds) const {
  const double shown = rounded(seconds) == 0 ? 0 : seconds;  // not "-0.0"
  return fmt::format("{:+.{}f} {}", shown * per_second_, decimals_, unit_);
}

double TimeScale::rounded(double seconds) const {
  const double steps = per_second_ * std::pow(10.0, decimals_);
  return std::round(seconds * steps) / steps;
}

}  // namespace ringscope
