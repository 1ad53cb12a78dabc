// SPDX-License-Identifier: LGPL-2.1-or-later
// End of the program when it cannot answer.
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "topologies/input/input.hpp"

namespace ringscope {

// A word of the command line, as a value that can say what is wrong with it.

/// Errors name the option as their place: "--sizes:1:1: expected a size ...".
inline Value option_word(const std::string& option, const std::string& text) {
  return Value::scalar_at({std::make_shared<const Source>(Source{option, text}), 1, 1}, text);
}

/// Bandwidth of --link; nullopt if the option is not given. Throws InputError.
inline std::optional<Bandwidth> link_of(const std::string& word) {
  if (word.empty()) return {};
  return typed("--link", word).bandwidth();
}

// The end of the program.

enum class ExitCode : int {
  ok = 0,
  bad_input = 1,
  internal = 2,
  stuck = 3,
  wrong_result = 4,
  interrupted = 130
};

/// End of the program: a message for people and the code for scripts.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Failure by what the user gave.
struct BadInput : Failure {
  explicit BadInput(const std::string& message) : Failure(ExitCode::bad_input, message) {}
  /// The message as fmt::format() makes it.
  template <typename First, typename... Rest>
  BadInput(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
      : BadInput(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// Prints why a program ends, the one place where that is done: what it repeats of the input cannot
/// drive a terminal. Returns the code.
int report(const char* message, ExitCode code);

// ^C as a wish that a long search can grant.

/// Keeps ^C from ending the program while it lives: whoever made it asks whether it came. A second
/// one ends the program. Threads that are started meanwhile leave it to the one that made this.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt& operator=(Interrupt&&) = delete;  ///< neither copied nor moved

  bool asked();  ///< by the thread that made it

 private:
  sigset_t interrupt_{}, before_{};
  bool asked_ = false;
};

}  // namespace ringscope
