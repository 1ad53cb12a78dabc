// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "cli/mpi/job.hpp"
#include "cli/terminal/failure.hpp"

namespace ringscope::mpi {
namespace {

namespace fs = std::filesystem;

enum class RecordedClock { wall, cpu };

struct RecordArguments {
  std::string folder;
  RecordedClock clock = RecordedClock::wall;
  std::vector<std::string> program;
};

/// The library that records, built with this program for the same MPI: beside it, or where it was
/// installed. Throws Failure.
std::string recorder_library() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* folder : {".", RINGSCOPE_RECORDER_FOLDER})
    if (const fs::path path = here / folder / RINGSCOPE_RECORDER; fs::exists(path)) {
      std::string found = fs::canonical(path).string();
      // Both separate the names in LD_PRELOAD.
      if (found.find_first_of(" :") == std::string::npos) return found;
      throw BadInput("'{}' cannot be loaded into a program: a blank or a colon is in its path",
                     found);
    }
  throw BadInput("file not found next to this program: '{}'; build it, or install all of Ringscope",
                 RINGSCOPE_RECORDER);
}

/// Every rank makes it; one of them is the first. Throws Failure.
std::string made_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && access(folder.c_str(), W_OK) != 0) error.assign(errno, std::generic_category());
  if (error) throw BadInput("{}: cannot be written: {}", folder, error.message());
  return fs::absolute(folder).string();
}

/// Becomes the program, with the recorder in it. Throws Failure when that cannot be.
[[noreturn]] void record_command(RecordArguments& arguments) {
  std::string preload = recorder_library();
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0')
    preload += fmt::format(":{}", others);
  setenv("RINGSCOPE_RECORD", made_folder(arguments.folder).c_str(), 1);
  setenv("RINGSCOPE_RECORD_CLOCK", arguments.clock == RecordedClock::cpu ? "cpu" : "wall", 1);
  setenv("LD_PRELOAD", preload.c_str(), 1);
  std::vector<char*> words;
  for (std::string& word : arguments.program) words.push_back(word.data());
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  throw BadInput("{}: cannot be started: {}", words.front(), std::strerror(errno));
}

}  // namespace

void add_record(Command& program, const std::string&) {
  auto [record, arguments] = program.add_subcommand("record", record_command);
  record.add_option("-o,--output", arguments.folder).required();
  const std::map<std::string, RecordedClock> clocks = {{"wall", RecordedClock::wall},
                                                       {"cpu", RecordedClock::cpu}};
  record.add_choice("--clock", arguments.clock, clocks);
  record.add_option("program", arguments.program).required();
}

}  // namespace ringscope::mpi
