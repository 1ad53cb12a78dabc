// SPDX-License-Identifier: LGPL-2.1-or-later
// Words of a text in GOAL, each with its place.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope::goal {

constexpr std::int64_t most_bytes = std::int64_t{1} << 49;

struct Word {
  std::string_view text;
  Place place;
};

/// The words of a text, line by line, without comments. Braces, and the colon behind a label, are
/// words.
class Words {
 public:
  explicit Words(const std::shared_ptr<const Source>& source) : source_(source) {}

  /// False at the end of the text.
  bool next_line(std::vector<Word>& words) {
    words.clear();
    const std::string_view text = source_->text;
    while (words.empty() && at_ < text.size()) {
      const std::size_t end = std::min(text.find('\n', at_), text.size());
      ++line_;
      split(text.substr(at_, end - at_), words);
      at_ = end + 1;
    }
    return !words.empty();
  }
  bool in_comment() const { return in_comment_; }
  Place end() const { return {source_, std::max(1, line_), 1}; }

 private:
  void split(std::string_view line, std::vector<Word>& words) {
    constexpr std::string_view blanks = " \t\r", single = "{}:";
    std::size_t at = 0;
    while (at < line.size()) {
      if (in_comment_) {
        const std::size_t close = line.find("*/", at);
        if (close == std::string_view::npos) return;
        in_comment_ = false;
        at = close + 2;
      } else if (line.substr(at, 2) == "//") {
        return;
      } else if (line.substr(at, 2) == "/*") {
        in_comment_ = true;
        at += 2;
      } else if (blanks.find(line[at]) != std::string_view::npos) {
        ++at;
      } else {
        std::size_t end = at + 1;
        const auto ends = [&](std::size_t i) {
          return blanks.find(line[i]) != std::string_view::npos ||
                 single.find(line[i]) != std::string_view::npos || line.substr(i, 2) == "//" ||
                 line.substr(i, 2) == "/*";
        };
        if (single.find(line[at]) == std::string_view::npos)
          while (end < line.size() && !ends(end)) ++end;
        words.push_back({line.substr(at, end - at), {source_, line_, static_cast<int>(at) + 1}});
        at = end;
      }
    }
  }

  std::shared_ptr<const Source> source_;
  std::size_t at_ = 0;
  int line_ = 0;
  bool in_comment_ = false;
};

/// One line, word after word.
class Line {
 public:
  explicit Line(const std::vector<Word>& words) : words_(&words) {}

  bool ended() const { return next_ == words_->size(); }
  bool is_next(std::string_view text) const { return !ended() && (*words_)[next_].text == text; }
  const Word& take(std::string_view expected) {
    if (ended())
      throw InputError(place(), fmt::format("expected {}, got the end of the line", expected));
    return (*words_)[next_++];
  }
  void take_word(std::string_view text) {
    const Word& word = take(fmt::format("'{}'", text));
    if (word.text != text)
      throw InputError(word.place, fmt::format("expected '{}', got '{}'", text, word.text));
  }
  std::int64_t number(std::string_view what, std::int64_t least, std::int64_t most) {
    const Word& word = take(what);
    return number_of(word, word.text, what, least, most);
  }
  /// "64b", or "64 b".
  std::uint64_t bytes() {
    const Word& word = take("a size such as 64b");
    std::string_view digits = word.text;
    if (digits.ends_with('b'))
      digits.remove_suffix(1);
    else
      take_word("b");
    return static_cast<std::uint64_t>(number_of(word, digits, "a size such as 64b", 0, most_bytes));
  }
  /// Place of the next word, or of the end.
  Place place() const {
    if (!ended()) return (*words_)[next_].place;
    const Word& last = words_->back();
    Place place = last.place;
    place.column += static_cast<int>(last.text.size());
    return place;
  }
  void finish() const {
    if (!ended())
      throw InputError((*words_)[next_].place, fmt::format("expected the end of the line, got '{}'",
                                                           (*words_)[next_].text));
  }

 private:
  static std::int64_t number_of(const Word& word, std::string_view digits, std::string_view what,
                                std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() ||
        value < least || value > most)
      throw InputError(word.place, fmt::format("expected {} from {} to {}, got '{}'", what, least,
                                               most, word.text));
    return value;
  }
  const std::vector<Word>* words_;
  std::size_t next_ = 0;
};

}  // namespace ringscope::goal
