// End of the program when it cannot answer.
#pragma once

#include <stdexcept>
#include <string>

namespace ringscope {

enum class ExitCode : int { ok = 0, bad_input = 1, stuck = 3, wrong_result = 4 };

/// End of the program: a message for people and the code for scripts.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace ringscope
