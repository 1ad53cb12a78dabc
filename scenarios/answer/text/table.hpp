// SPDX-License-Identifier: LGPL-2.1-or-later
// Text tables for people: aligned columns, and times that compare at a glance.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/answer/report.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {

/// Rows of cells under headers; each column is as wide as its widest cell, two spaces apart.
class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string header;
    Align align = Align::right;  ///< as numbers stand below each other; text_column(): left
    Column(const char* text) : header(text) {}
    Column(std::string text, Align side = Align::right) : header(std::move(text)), align(side) {}
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// One cell per column; cells of more than 56 characters are cut, so that a screen stays one.
  void add(std::vector<std::string> cells);
  /// Each line starts with `indent` spaces, ends without any, and with a newline.
  std::string text(int indent) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A row and a column for each of `count` things, by their numbers under `corner`; `cell` of a row
/// and a column.
std::string square_text(const std::string& corner, std::size_t count,
                        const std::function<std::string(std::size_t, std::size_t)>& cell);

inline TextTable::Column text_column(std::string header) {
  return {std::move(header), TextTable::Align::left};
}

/// One unit and one number of decimals for all times of a table: the largest has four digits.
class TimeScale {
 public:
  explicit TimeScale(double largest_s);
  std::string text(double seconds) const;        ///< "12.3 ms"; "-" for exactly nothing
  std::string difference(double seconds) const;  ///< with its sign: "+12.3 ms"
  /// The nearest time that `text` shows without rounding.
  double rounded(double seconds) const;

 private:
  double per_second_ = 1;  ///< units in a second
  std::string_view unit_ = "s";
  int decimals_ = 0;
};

// Tables of reports beside those of times: stale weights, differences of two runs, streams.

/// "" where nothing that was observed is stale. Asynchronous updates act like a momentum of 1 - 1/W
/// with W equal workers, which find W - 1 updates of others before their own: Mitliagkas et al.,
/// "Asynchrony begets momentum", 2016, arXiv:1605.09774, theorem 3, where computations take
/// exponentially distributed times.
std::string freshness_text(const Report& report);

/// Steps per second of all workers beside the age of their weights, by case; "" where no case has
/// stale weights or pulls.
std::string freshness_table(std::span<const Report> reports, const std::vector<std::string>& names);

/// Causes of the difference of two runs, whose column adds up: the rows up to the first that would
/// show nothing, at most `most` of them, and the others as one; without `most` all of them. Each
/// shows the difference of two rounded running sums: off by one digit at most, and the column adds
/// up to its last line. `names`: of the first run and the other.
std::string difference_table(const Report& first, const Report& other,
                             std::span<const std::string> names, std::span<const Difference> rows,
                             std::optional<std::size_t> most);

/// Time of streams, as its mean over the ranks, by what it was spent on, and the least and the most
/// of any rank.
std::string streams_text(const Report& report);

/// Loads as monitors sample them, a row each. Requires that there are any.
std::string samples_text(const Report& report);

}  // namespace ringscope
