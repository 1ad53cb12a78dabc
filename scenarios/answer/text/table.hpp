// SPDX-License-Identifier: LGPL-2.1-or-later
// Text tables for people: aligned columns, and times that compare at a glance.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace ringscope
