// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <span>
#include <string>

#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/words.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "sim/kernel/kernel.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

extern const char* const renamed_yml;

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
  for (const Subcommand& one : subcommands) {
    program.begin_group(one.group);
    if (one.add != nullptr)
      one.add(program);
    else
      add_script(program, one);
  }
}

/// CLI11 only says that a word was not expected.
void refuse_unknown_subcommand(const Program& program, std::span<const std::string> words) {
  if (words.size() < 2 || words[1].starts_with('-')) return;
  const std::vector<std::string> names = program.subcommand_names();
  if (std::ranges::find(names, words[1]) != names.end()) return;
  throw BadInput(unknown_name("subcommand", words[1], names));
}

/// `help COMMAND` becomes `COMMAND --help`, and old names of options the new ones, with a note.
std::vector<std::string> with_new_names(int count, char** words) {
  std::vector<std::string> now(words, words + count);
  if (count > 1 && now[1] == "help") {
    now.erase(now.begin() + 1);
    now.emplace_back("--help");
  }
  const Value renamed = Value::from_text("renamed.yml", renamed_yml);
  for (std::size_t i = 2; i < now.size(); ++i)
    for (const Value& one : renamed.items()) {
      const std::string name = now[i].substr(0, now[i].find('='));
      const std::string &old = one.find("old")->scalar(), &new_name = one.find("now")->scalar();
      const auto& subcommands = one.find("subcommands")->items();
      if (name != old ||
          std::ranges::find(subcommands, now[1], &Value::scalar) == subcommands.end())
        continue;
      now[i].replace(0, name.size(), new_name);
      std::fprintf(stderr, "note: %s is now %s\n", name.c_str(), new_name.c_str());
    }
  return now;
}

int run_or_throw(int count, char** words) {
  Program program("ringscope", "ringscope " + std::string(version()), build_text);
  add_everything(program);
  require_utf8_words(count, words);
  std::vector<std::string> now = with_new_names(count, words);
  refuse_unknown_subcommand(program, now);
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
