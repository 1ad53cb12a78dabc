// SPDX-License-Identifier: LGPL-2.1-or-later
// A word of the command line, as a value that can say what is wrong with it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "topologies/input/input.hpp"

namespace ringscope {

/// Errors name the option as their place: "--sizes:1:1: expected a size ...".
inline Value option_word(const std::string& option, const std::string& text) {
  return Value::scalar_at({std::make_shared<const Source>(Source{option, text}), 1, 1}, text);
}

/// Bandwidth of --link; nullopt if the option is not given. Throws InputError.
inline std::optional<Bandwidth> link_of(const std::string& word) {
  if (word.empty()) return {};
  return typed("--link", word).bandwidth();
}

}  // namespace ringscope
