// SPDX-License-Identifier: LGPL-2.1-or-later
// A word of the command line, as a value that can say what is wrong with it.
#pragma once

#include <memory>
#include <string>

#include "topologies/input/input.hpp"

namespace ringscope {

/// Errors name the option as their place: "--sizes:1:1: expected a size ...".
inline Value option_word(const std::string& option, const std::string& text) {
  return Value::scalar_at({std::make_shared<const Source>(Source{option, text}), 1, 1}, text);
}

}  // namespace ringscope
