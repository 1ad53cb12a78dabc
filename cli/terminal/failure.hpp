// SPDX-License-Identifier: LGPL-2.1-or-later
// End of the program when it cannot answer.
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
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

// Files that are there whole or not at all.

/// Writes beside `path` and renames, so that no reader sees half a file and a failed write leaves
/// what was there before. "-" is standard output; devices and pipes are written straight.
/// Throws Failure (bad_input) with the system's reason.
void write_output(const std::string& path, std::string_view text);

/// Writes likewise a file that `make` writes under the name that it is called with. What `make`
/// throws is thrown, and nothing is left then.
void make_output(const std::string& path, const std::function<void(const std::string&)>& make);

/// Checks before a long run: throws what `write_output` would for a folder in the place of `path`,
/// or one around it that is missing or not writable.
void require_writable(const std::string& path);

}  // namespace ringscope
