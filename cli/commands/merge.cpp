// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/merge.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/output_file.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "cli/terminal/screen.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_lines = 20;

struct MergeArguments {
  std::vector<std::string> parts;
  std::string output;
  bool partial = false;
};

std::string count_text(std::uint64_t count) {
  return fmt::format("{} point{}", count, count == 1 ? "" : "s");
}

/// Each shard that has not ended, and the first of its points that are not there.
std::string list_of(const Merged& merged) {
  std::vector<std::string> lines;
  for (const MissingPoints& one : merged.missing) {
    const std::string shard = "shard " + text_of(one.shard);
    if (one.file.empty()) {
      lines.push_back(fmt::format("{} is in none of the files: {}", shard, count_text(one.count)));
      continue;
    }
    lines.push_back(fmt::format("{} lacks {} of {}:", one.file, count_text(one.count), shard));
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
                     count_text(merged.points), merged.study,
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
        fmt::format("{}, and {} was not written:\n{}\nstart these shards again, with the "
                    "stores that they had: each goes on where it was; or --partial",
                    missing_text(merged), arguments.output, list_of(merged)));
  });
  bar.end();
  if (!merged.missing.empty())
    fmt::print(stderr, "warning: {}:\n{}\n", missing_text(merged), list_of(merged));
  if (quiet()) return;
  fmt::print(stderr, "{}: {} of '{}', from {} part{}\n", arguments.output,
             count_text(merged.points - merged.missing_points()), merged.study,
             arguments.parts.size(), arguments.parts.size() == 1 ? "" : "s");
}

}  // namespace

void add_merge(Command& program) {
  Command command = program.add_subcommand("merge", "Merge the result files of a sharded study");
  const auto arguments = std::make_shared<MergeArguments>();
  command.add_option("PART", arguments->parts, "the stores of the shards").required();
  command.add_option("-o,--output", arguments->output, "the store of the whole study").required();
  command.add_flag("--partial", arguments->partial,
                   "write the store although some points are missing");
  command.footer(
      "The store equals the store of a single process: 'sweep' or 'place' reads it with --store,\n"
      "and simulates only missing points.\n\n"
      "Examples:\n"
      "  ringscope merge part-*.sqlite -o all.sqlite\n"
      "  ringscope sweep my-study.yaml --store all.sqlite --csv points.csv");
  command.callback([arguments] { merge(*arguments); });
}

}  // namespace ringscope
