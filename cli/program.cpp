// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/program.hpp"

#include <fmt/format.h>

#include <new>
#include <string>

#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/words.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "sim/kernel/kernel.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {
namespace {

/// Lines with the compiler, the C++ standard, the build type, the sanitizers and the libraries'
/// versions, for reports of bugs. Nothing of the machine on which the program runs: no paths, names
/// or environment.
std::string build_text() {
  return fmt::format(
      "compiler:   {}\n"
      "standard:   C++ {}\n"
      "build type: {}\n"
      "sanitizers: {}\n"
      "libraries:  {}\n"
      "SimGrid:    {}, module {}",
      RINGSCOPE_COMPILER, __cplusplus, RINGSCOPE_BUILD_TYPE, RINGSCOPE_SANITIZERS,
      RINGSCOPE_LIBRARIES, RINGSCOPE_SIMGRID_VERSION,
      sim::simgrid_module_found() ? "found" : "not found");
}

void add_everything(Command& program) {
  program.footer(
      "Examples:\n"
      "  ringscope list scenarios\n"
      "  ringscope compare 03-anomaly\n"
      "  ringscope run my.yaml --set placement=4-3-1 --json -\n"
      "  ringscope show 03-anomaly --from 0 --to 7\n\n"
      "Exit codes: 0 done, 1 bad input, 2 internal error, 3 deadlock, 4 wrong result, 5 threshold\n"
      "missed, 6 cannot tell, 130 stopped by ^C.");
  for (const Subcommand& one : subcommands) {
    program.begin_group(one.group);
    if (one.add != nullptr)
      one.add(program);
    else
      add_script(program, one);
  }
}

/// CLI11 only says that a word was not expected.
void refuse_unknown_subcommand(const Program& program, int count, char** words) {
  if (count < 2 || words[1][0] == '-') return;
  const std::vector<std::string> names = program.subcommand_names();
  for (const std::string& name : names) {
    if (name == words[1]) return;
  }
  throw BadInput(unknown_name("subcommand", words[1], names));
}

/// An option that has a new name; the old one works for one more release, with a note.
struct Renamed {
  std::string_view subcommands, old, now;
};

constexpr Renamed renamed[] = {
    {"run compare explain what-if lesson sweep", "--limit", "--time-limit"},
    {"place", "--time", "--time-limit"},
    {"place sweep", "--jobs", "--threads"},
    {"place", "--own", "--baseline"},
    {"place", "--taken", "--exclude"},
    {"place", "--taken-from", "--exclude"},
    {"sweep", "--by", "--objective"},
    {"import-machine import-fabric", "--as", "--format"},
    {"tune", "--for", "--format"},
    {"tune", "--error", "--min-gain"},
    {"tune", "--formats", "--list-formats"},
    {"doctor", "--causes", "--list-causes"},
    {"import", "--kind", "--only"},
    {"doctor", "-o", "--figure"},
    {"doctor", "--output", "--figure"},
    {"validate", "--figures", "--figure"},
};

std::vector<std::string> with_new_names(int count, char** words) {
  std::vector<std::string> now(words, words + count);
  for (std::size_t i = 2; i < now.size(); ++i)
    for (const Renamed& one : renamed) {
      const std::string name = now[i].substr(0, now[i].find('='));
      const std::string subcommands = fmt::format(" {} ", one.subcommands);
      if (name != one.old || subcommands.find(fmt::format(" {} ", now[1])) == std::string::npos)
        continue;
      now[i].replace(0, name.size(), one.now);
      std::fprintf(stderr, "note: %s is now %s\n", name.c_str(), std::string(one.now).c_str());
    }
  return now;
}

int run_or_throw(int count, char** words) {
  Program program(
      "Simulate collectives and training steps on a described cluster, and explain the result",
      "ringscope", "ringscope " + std::string(version()), build_text);
  add_everything(program);
  require_utf8_words(count, words);
  refuse_unknown_subcommand(program, count, words);
  std::vector<std::string> now = with_new_names(count, words);
  std::vector<char*> pointers;
  for (std::string& word : now) pointers.push_back(word.data());
  return static_cast<int>(program.parse(count, pointers.data()));
}

}  // namespace

int run_program(int count, char** words) {
  try {
    return run_or_throw(count, words);
  } catch (const Failure& failure) {
    return report(failure.what(), failure.code());
  } catch (const InputError& error) {
    return report(error.what(), ExitCode::bad_input);
  } catch (const std::bad_alloc&) {
    return report(
        "the memory is not enough: lower the hosts of the cluster, the ranks of the "
        "placement or the points of the study",
        ExitCode::bad_input);
  } catch (const std::exception& error) {
    return report(error.what(), ExitCode::internal);
  }
}

}  // namespace ringscope
