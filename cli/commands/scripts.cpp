// SPDX-License-Identifier: LGPL-2.1-or-later
// The subcommands that are Python: fits, tables and pictures belong to numpy, scipy and matplotlib.
//
// Each is a script that gets all words behind the subcommand, and this program's path as RINGSCOPE,
// to simulate with.
#include "cli/commands/subcommands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

// Debian's own: the first python3 in PATH may lack Debian's modules.
constexpr const char* python = "/usr/bin/python3";

}  // namespace

void run_script(const std::string& path, const std::vector<std::string>& arguments) {
  const std::string script = (fs::path(data_directory()) / path).string();
  if (!fs::exists(script)) throw BadInput("file not found: '{}'", script);
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
  throw BadInput("{}: {}", python, std::strerror(errno));
}

void add_script(Command& program, const Subcommand& script) {
  Command command = program.add_subcommand(script.name);
  command.take_all_words();  // the script has its own help
  const std::string path = fmt::format("{}/{}", script.folder, script.name);
  command.callback([command, path] { run_script(path, command.remaining()); });
}

}  // namespace ringscope
