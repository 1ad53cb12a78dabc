// SPDX-License-Identifier: LGPL-2.1-or-later
// What an import guessed and what it omitted, for the head of the YAML that it writes.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ringscope {

struct Noted {
  std::vector<std::string> notes;  ///< "guessed: ..., because ...", "omitted: ..."

  /// Adds a note, as fmt::format() makes it, once.
  template <typename... Parts>
  void note(fmt::format_string<Parts...> text, Parts&&... parts) {
    std::string made = fmt::format(text, std::forward<Parts>(parts)...);
    if (std::ranges::find(notes, made) == notes.end()) notes.push_back(std::move(made));
  }
};

}  // namespace ringscope
