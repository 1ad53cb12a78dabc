// SPDX-License-Identifier: LGPL-2.1-or-later
// The subcommands that are Python: fits, tables and pictures belong to numpy, scipy and matplotlib.
//
// Each is a script that gets all words behind the subcommand, and this program's path as RINGSCOPE,
// to simulate with.
#include "cli/commands/scripts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/screen.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

// Debian's own: the first python3 in PATH may lack Debian's modules.
constexpr const char* python = "/usr/bin/python3";

/// `path`: of the script, where that is not validation/calibration/NAME.
void add_script(Command& program, const std::string& name, const std::string& summary,
                const std::string& path = "") {
  Command script = program.add_subcommand(name, summary);
  script.take_all_words();  // the script has its own help
  const std::string found = path.empty() ? "validation/calibration/" + name : path;
  script.callback([script, found] { run_script(found, script.remaining()); });
}

}  // namespace

void run_script(const std::string& path, const std::vector<std::string>& arguments) {
  const std::string script = (fs::path(data_directory()) / path).string();
  if (!fs::exists(script))
    throw Failure(ExitCode::bad_input, fmt::format("there is no '{}'", script));
  setenv("RINGSCOPE", fs::read_symlink("/proc/self/exe").c_str(), 1);
  std::vector<std::string> words = {python, "-B", script};
  for (const std::string& word : arguments) {
    if (word == "--quiet")
      quiet() = true;
    else
      words.push_back(word);
  }
  if (quiet()) setenv("RINGSCOPE_QUIET", "1", 1);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(python, pointers.data());
  throw Failure(ExitCode::bad_input, fmt::format("{}: {}", python, std::strerror(errno)));
}

void add_import(Command& program) {
  add_script(program, "import",
             "Import benchmark results of OSU, IMB or nccl-tests as measurements");
}
void add_calibrate(Command& program) {
  add_script(program, "calibrate", "Fit a cluster and a library profile to measurements");
}
void add_validate(Command& program) {
  add_script(program, "validate", "Predict measured cases and report the errors");
}
void add_predict(Command& program) {
  add_script(program, "predict", "Predict a scenario with a 90 % interval from a calibrated model");
}
void add_doctor(Command& program) {
  add_script(program, "doctor", "Diagnose a benchmark log: normal for this cluster, or which cause",
             "validation/doctor/doctor");
}
void add_tune(Command& program) {
  add_script(program, "tune",
             "Find the fastest algorithm per message size and write the library's tuning file",
             "validation/tune/tune");
}
void add_plot(Command& program) {
  add_script(program, "plot", "Plot a result file (PNG, SVG, PDF or EPS)", "plots/plot");
}

}  // namespace ringscope
