// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/progress_bar.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <vector>

#include "cli/terminal/failure.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr std::size_t least_columns = 20, least_cell = 6, gap = 2;

using Line = std::u32string;
using Lines = std::vector<Line>;

/// A terminal's columns count characters, not bytes. What comes here is UTF-8.
Line characters(std::string_view text) {
  Line line;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if ((value & 0xC0U) == 0x80U && !line.empty())
      line.back() = (line.back() << 8U) | value;
    else
      line.push_back(value);
  }
  return line;
}

/// The bytes again: characters() packs them into one number each.
std::string bytes(const Line& line) {
  std::string text;
  for (const char32_t character : line)
    for (unsigned shift = 24;; shift -= 8U) {
      const auto byte = static_cast<char>((character >> shift) & 0xFFU);
      if (byte != 0 || shift == 0) text.push_back(byte);
      if (shift == 0) break;
    }
  return text;
}

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(characters(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// A column of a table: from its first character to the gap behind it.
struct Column {
  std::size_t begin, end;
};

bool blank(const Line& line, std::size_t at) { return at >= line.size() || line[at] == U' '; }

/// Columns of a block of lines: what stands between gaps that go through all of them.
std::vector<Column> columns_of(const Lines& block) {
  std::size_t width = 0;
  for (const Line& line : block) width = std::max(width, line.size());
  const auto empty = [&block](std::size_t at) {
    return std::ranges::all_of(block, [at](const Line& line) { return blank(line, at); });
  };
  std::vector<Column> columns;
  std::size_t spaces = gap;  // before the first character a column may begin at once
  for (std::size_t at = 0; at < width; ++at) {
    if (empty(at)) {
      ++spaces;
      continue;
    }
    if (spaces >= gap || columns.empty())
      columns.push_back({at, at + 1});
    else
      columns.back().end = at + 1;
    spaces = 0;
  }
  return columns;
}

std::size_t indent_of(const Line& line) {
  return std::min(line.find_first_not_of(U' '), line.size());
}

bool is_table(const Lines& block) { return block.size() > 1 && columns_of(block).size() > 1; }

bool has_digit(const Line& line) {
  return std::ranges::any_of(line, [](char32_t one) { return one >= U'0' && one <= U'9'; });
}

/// Words may be shortened, numbers with their units not, whatever heads them: lines without a digit
/// count only where all are such.
bool has_words(const Lines& block, const Column& column) {
  const bool numbers = std::ranges::any_of(block, has_digit);
  return std::ranges::any_of(block, [&column, numbers](const Line& line) {
    if (column.begin >= line.size() || (numbers && !has_digit(line))) return false;
    const Line cell = line.substr(column.begin, column.end - column.begin);
    const auto letters = std::ranges::count_if(
        cell, [](char32_t one) { return one > 127 || std::isalpha(static_cast<int>(one)) != 0; });
    return letters > 5;
  });
}

Line cell_of(const Line& line, const Column& column, std::size_t width) {
  Line cell =
      column.begin < line.size() ? line.substr(column.begin, column.end - column.begin) : Line();
  if (cell.find_first_not_of(U' ', std::min(width, cell.size())) != Line::npos) {
    cell.resize(width - 1);
    cell.push_back(U'~');
  }
  cell.resize(width, U' ');
  return cell;
}

/// Takes too much width from the widest columns of words, one character at a time.
std::vector<std::size_t> widths_for(const Lines& block, const std::vector<Column>& columns,
                                    std::size_t room) {
  std::vector<std::size_t> widths;
  std::size_t total = columns.back().end;
  for (const Column& column : columns) widths.push_back(column.end - column.begin);
  while (total > room) {
    std::size_t widest = columns.size();
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (widths[i] > least_cell && has_words(block, columns[i]) &&
          (widest == columns.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == columns.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

/// Columns that stand beside each other; those that find no room stand below, beside the first one
/// again.
std::vector<std::vector<std::size_t>> parts_of(const std::vector<Column>& columns,
                                               const std::vector<std::size_t>& widths,
                                               std::size_t room) {
  std::vector<std::vector<std::size_t>> parts = {{0}};
  std::size_t used = columns.front().begin + widths.front();
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const std::size_t wide = columns[i].begin - columns[i - 1].end + widths[i];
    if (used + wide > room && parts.back().size() > 1) {
      parts.push_back({0});
      used = columns.front().begin + widths.front();
    }
    parts.back().push_back(i);
    used += wide;
  }
  return parts;
}

Lines narrowed(const Lines& block, std::size_t room) {
  const std::vector<Column> columns = columns_of(block);
  const std::vector<std::size_t> widths = widths_for(block, columns, room);
  Lines narrow;
  for (const std::vector<std::size_t>& part : parts_of(columns, widths, room)) {
    for (const Line& line : block) {
      Line row(columns.front().begin, U' ');
      for (const std::size_t i : part) {
        if (i > 0) row.append(columns[i].begin - columns[i - 1].end, U' ');
        row += cell_of(line, columns[i], widths[i]);
      }
      row.erase(row.find_last_not_of(U' ') + 1);
      narrow.push_back(std::move(row));
    }
  }
  return narrow;
}

/// The line in pieces of whole words, as far in as it begins.
Lines folded(Line line, std::size_t room) {
  const std::size_t indent = std::min(indent_of(line), room / 2);
  Lines pieces;
  while (line.size() > room) {
    std::size_t end = line.rfind(U' ', room);
    if (end == Line::npos || end <= indent) end = line.find(U' ', room);
    if (end == Line::npos) break;
    pieces.push_back(line.substr(0, end));
    pieces.back().erase(pieces.back().find_last_not_of(U' ') + 1);
    const std::size_t next = line.find_first_not_of(U' ', end);
    line = next == Line::npos ? Line() : Line(indent, U' ') + line.substr(next);
  }
  if (!line.empty() || pieces.empty()) pieces.push_back(std::move(line));
  return pieces;
}

bool is_sentence(const Line& line) { return columns_of({line}).size() < 2; }

/// Blocks of lines between empty ones; each empty one is a block of its own, and so is each of the
/// sentences that stand above a table.
std::vector<Lines> blocks_of(std::string_view text) {
  std::vector<Lines> blocks;
  bool inside = false;
  for (Line& line : lines_of(text)) {
    if (line.empty() || !inside) blocks.emplace_back();
    inside = !line.empty() && (inside || !is_sentence(line));
    blocks.back().push_back(std::move(line));
  }
  return blocks;
}

bool at_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// No limit where nobody knows one.
std::size_t width() {
  const std::string_view said = variable("COLUMNS");
  std::size_t columns = 0;
  std::from_chars(said.data(), said.data() + said.size(), columns);
  if (columns > 0) return columns;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return std::numeric_limits<std::size_t>::max();
}

// https://no-color.org: set, and not empty.
bool in_colours() { return variable("NO_COLOR").empty() && variable("TERM") != "dumb"; }

}  // namespace

std::string fitted(std::string_view text, std::size_t columns) {
  const std::size_t room = std::max(columns, least_columns);
  std::string result;
  for (const Lines& block : blocks_of(text)) {
    const bool fits =
        std::ranges::all_of(block, [room](const Line& line) { return line.size() <= room; });
    for (const Line& line : !fits && is_table(block) ? narrowed(block, room) : block)
      for (const Line& piece : folded(line, room)) result += bytes(piece) + '\n';
  }
  return result;
}

std::string coloured(std::string_view text) {
  constexpr std::string_view bold = "\033[1m", yellow = "\033[33m", plain = "\033[0m";
  std::string result;
  for (const Lines& block : blocks_of(text)) {
    const bool head = is_table(block) && !has_digit(block[0]) && has_digit(block[1]);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::string line = bytes(block[i]);
      std::string_view look = head && i == 0 ? bold : "";
      if (line.starts_with("warning")) look = yellow;
      result.append(look).append(line).append(look.empty() ? "" : plain).push_back('\n');
    }
  }
  return result;
}

bool& quiet() {
  static bool said = false;
  return said;
}

void show_screen(const std::string& text) {
  if (!at_terminal()) return write_output("-", text);
  const std::string lines = fitted(text, width());
  write_output("-", in_colours() ? coloured(lines) : lines);
}

void show_or_write(const std::string& text, const std::string& output, bool for_people) {
  if (output == "-" && for_people)
    show_screen(text);
  else
    write_output(output, text);
}

void suggest(const std::string& command) {
  if (quiet() || !at_terminal()) return;
  const std::string line = "next: " + for_terminal(command);
  write_output("-", '\n' + (in_colours() ? "\033[2m" + line + "\033[0m" : line) + '\n');
}

}  // namespace ringscope
