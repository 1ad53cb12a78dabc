// SPDX-License-Identifier: LGPL-2.1-or-later
// ringscope-cuda: the scenarios of the simulator, run for real on the GPUs of this machine.
#include "cli/cuda/open_gpus.hpp"
#include "cli/terminal/failure.hpp"
#include "topologies/input/input.hpp"
#include "validation/executors/cuda/gpus/gpus.hpp"
#include "validation/executors/replayed.hpp"

int main(int count, char** words) {
  using namespace ringscope;
  try {
    return run_program("ringscope-cuda", cuda::subcommands, count, words);
  } catch (const Failure& failure) {
    return report(failure.what(), failure.code());
  } catch (const InputError& error) {
    return report(error.what(), ExitCode::bad_input);
  } catch (const WrongResult& error) {
    return report(error.what(), ExitCode::wrong_result);
  } catch (const cuda::GpuError& error) {
    return report(error.what(), ExitCode::wrong_result);
  } catch (const std::exception& error) {
    return report(error.what(), ExitCode::stuck);
  }
}
