// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests: the whole message of the error that an input draws.
#pragma once

#include <string>

#include "topologies/input/input.hpp"

namespace ringscope {

/// A broken input and what is said about it.
struct Broken {
  std::string input;
  std::string complaint;
};

template <typename Action>
std::string complaint_of(Action action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace ringscope
