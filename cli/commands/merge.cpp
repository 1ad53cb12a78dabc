// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/shard.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_lines = 20;

struct MergeArguments {
  std::vector<std::string> parts;
  std::string output;
  bool partial = false;
};

/// Each shard that has not ended, and the first of its points that are not there.
std::string list_of(const Merged& merged) {
  std::vector<std::string> lines;
  for (const MissingPoints& one : merged.missing) {
    const std::string shard = "shard " + text_of(one.shard);
    if (one.file.empty()) {
      lines.push_back(
          fmt::format("{} is in none of the files: {}", shard, plural(one.count, "point")));
      continue;
    }
    lines.push_back(fmt::format("{} lacks {} of {}:", one.file, plural(one.count, "point"), shard));
    for (const std::string& words : one.words) lines.push_back("  " + words);
    if (one.count > one.words.size())
      lines.push_back(fmt::format("  and {} more", one.count - one.words.size()));
  }
  if (lines.size() > most_lines) {
    lines.resize(most_lines);
    lines.push_back("...");
  }
  return fmt::format("  {}", fmt::join(lines, "\n  "));
}

std::string missing_text(const Merged& merged) {
  return fmt::format("{} of the {} of '{}' {} missing", merged.missing_points(),
                     plural(merged.points, "point"), merged.study,
                     merged.missing_points() == 1 ? "is" : "are");
}

/// It is replaced: a file that is no store was hardly meant. What a program that was killed left to
/// be undone in it is undone, and not in the new one.
void require_replaceable(const MergeArguments& arguments) {
  require_writable(arguments.output);
  std::error_code ignored;
  if (!std::filesystem::exists(arguments.output, ignored)) return;
  for (const std::string& part : arguments.parts)
    if (std::filesystem::equivalent(part, arguments.output, ignored))
      refuse_file(arguments.output, "is one of the parts: name another file for the whole");
  if (!std::filesystem::is_regular_file(arguments.output, ignored))
    refuse_file(arguments.output, "is no file: a store can be nothing else");
  Database there(arguments.output, Database::Open::existing);
  require_store(there);
}

void merge(const MergeArguments& arguments) {
  require_replaceable(arguments);
  Interrupt interrupt;  // so that ^C leaves no half of a file
  const auto go_on = [&] {
    if (interrupt.asked())
      throw Failure(ExitCode::interrupted, "interrupted: " + arguments.output + " was not written");
  };
  ProgressBar bar("merging");
  Merged merged;
  make_output(arguments.output, [&](const std::string& file) {
    merged = merge_parts(arguments.parts, file, go_on);
    go_on();
    if (merged.missing.empty() || arguments.partial) return;
    throw BadInput(
        "{}, and {} was not written:\n{}\nstart these shards again, with the "
        "stores that they had: each goes on where it was; or --partial",
        missing_text(merged), arguments.output, list_of(merged));
  });
  bar.end();
  if (!merged.missing.empty())
    fmt::print(stderr, "warning: {}:\n{}\n", missing_text(merged), list_of(merged));
  if (quiet()) return;
  fmt::print(stderr, "{}: {} of '{}', from {}\n", arguments.output,
             plural(merged.points - merged.missing_points(), "point"), merged.study,
             plural(arguments.parts.size(), "part"));
}

}  // namespace

void add_merge(Command& program) {
  auto [command, arguments] = program.add_subcommand("merge", merge);
  command.add_option("PART", arguments.parts).required();
  command.add_option("-o,--output", arguments.output).required();
  command.add_flag("--partial", arguments.partial);
}

}  // namespace ringscope
