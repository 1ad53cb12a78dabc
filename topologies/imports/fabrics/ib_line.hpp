// SPDX-License-Identifier: LGPL-2.1-or-later
// One line of ibnetdiscover's output, read word by word.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "topologies/input/input.hpp"

namespace ringscope {

class IbLine {
 public:
  IbLine(std::string_view text, Place place) : text_(text), place_(std::move(place)) {}

  bool starts_with(std::string_view word) const { return text_.starts_with(word); }
  /// Skips blanks, and the word if it is the next; true if it was.
  bool take(std::string_view word);
  /// `"S-2c5eab0300b87b40"`, without the quotes; `what` is the noun.
  std::string quoted(std::string_view what);
  int number(std::string_view what);
  /// `[12]`, and what may stand behind it: `(e09d7303007a4bd8)`, `[ext 3]`.
  int port();
  /// The last text in quotes that the rest of the line holds; "" where there is none.
  Value last_quoted() const;
  /// Width and speed, the last such word of the rest: 4xNDR.
  Bandwidth rate() const;

  Place here() const;
  [[noreturn]] void fail(const std::string& message) const;  ///< at the next character

 private:
  void skip_blanks();

  std::string_view text_;
  Place place_;
  std::size_t at_ = 0;
};

/// Data that "4xNDR" carries each way: lanes times what one of them has left of its signal's rate
/// after coding. Nothing where it is no such rate.
std::optional<Bandwidth> ib_rate(std::string_view word);

}  // namespace ringscope
