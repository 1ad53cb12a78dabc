#include "cli/terminal/failure.hpp"

#include <cstdio>

#include "topologies/input/characters.hpp"

namespace ringscope {

// Not fmt::print: it throws when standard error is full too.
int report(const char* message, ExitCode code) {
  std::fputs(for_terminal(message).c_str(), stderr);
  std::fputc('\n', stderr);
  return static_cast<int>(code);
}

}  // namespace ringscope
