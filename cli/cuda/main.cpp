// ringscope-cuda: the scenarios of the simulator, run for real on the GPUs of this machine.
#include <fmt/format.h>

#include <cstdio>

#include "cli/cuda/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/words.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/input.hpp"
#include "validation/cuda/gpus/gpus.hpp"
#include "validation/replayed.hpp"

namespace ringscope::cuda {
namespace {

int run_program(int count, char** words) {
  Program program("The scenarios of the simulator, run for real on this machine's GPUs",
                  "ringscope-cuda", std::string("ringscope-cuda ") + RINGSCOPE_VERSION);
  program.footer(
      "Exit codes: 0 done, 1 bad input or no GPU, 3 a run that is stuck, 4 a wrong result or a "
      "CUDA error.");
  const std::string command = fmt::format("{}", fmt::join(words, words + count, " "));
  for (const auto add : subcommands) add(program, command);
  require_utf8_words(count, words);
  return static_cast<int>(program.parse(count, words));
}

int report(const char* message, ExitCode code) {
  std::fputs(for_terminal(message).c_str(), stderr);
  std::fputc('\n', stderr);
  return static_cast<int>(code);
}

}  // namespace
}  // namespace ringscope::cuda

int main(int count, char** words) {
  using namespace ringscope;
  try {
    return cuda::run_program(count, words);
  } catch (const Failure& failure) {
    return cuda::report(failure.what(), failure.code());
  } catch (const InputError& error) {
    return cuda::report(error.what(), ExitCode::bad_input);
  } catch (const WrongResult& error) {
    return cuda::report(error.what(), ExitCode::wrong_result);
  } catch (const cuda::GpuError& error) {
    return cuda::report(error.what(), ExitCode::wrong_result);
  } catch (const std::exception& error) {
    return cuda::report(error.what(), ExitCode::stuck);
  }
}
