// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/shard_option.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/terminal/failure.hpp"
#include "cli/terminal/option_word.hpp"
#include "topologies/placement/slots.hpp"

namespace ringscope {
namespace {

constexpr int most_shards = 1'000'000;  // as many as a study may have points
constexpr const char* teaching = "--store part-{shard}.sqlite";

/// Reads --shard.
Shard parsed(const std::string& text) {
  const Value word = option_word("--shard", text);
  const auto slash = text.find('/');
  const auto number = whole_number(text.substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::nullopt : whole_number(text.substr(slash + 1));
  if (!number || !count)
    word.fail(fmt::format("expected I/N such as 3/16, 'auto' or 'none', got '{}'", text));
  if (*count < 1 || *count > most_shards)
    word.fail(fmt::format("expected from 1 to {} shards, got {}", most_shards, *count));
  if (*number < 1)
    word.fail(fmt::format("shards are counted from 1: the first of {0} is 1/{0}, the last {0}/{0}",
                          *count));
  if (*number > *count)
    word.fail(fmt::format("there are {0} shards, and no {1}: the first is 1/{0}, the last {0}/{0}",
                          *count, *number));
  return {static_cast<std::size_t>(*number), static_cast<std::size_t>(*count)};
}

/// Fills in {shard} and {shards}; nothing else may stand in braces.
std::string filled_in(const std::string& store, const Shard& shard) {
  const std::vector<std::string> names = {"shard", "shards"};
  std::string filled;
  for (std::size_t at = 0; at < store.size();) {
    const std::size_t open = store.find('{', at), close = store.find('}', open);
    filled += store.substr(at, close == std::string::npos ? close : open - at);
    if (close == std::string::npos) break;
    const std::string name = store.substr(open + 1, close - open - 1);
    if (name != names[0] && name != names[1])
      option_word("--store", store).fail(unknown_name("placeholder", name, names));
    filled += std::to_string(name == names[0] ? shard.number : shard.count);
    at = close + 1;
  }
  return filled;
}

/// Where a launcher names the shards, one command line is all of theirs.
void require_own_store(const StudyOptions& options, const std::optional<Launch>& launch) {
  const std::string shard = text_of(*options.part);
  const std::string who = launch ? fmt::format("this is shard {}, as {} say", shard, launch->names)
                                 : fmt::format("this is shard {}", shard);
  const std::string hint =
      launch ? "; '--shard none' does the whole study in this process" : std::string();
  if (options.no_store)
    throw Failure(ExitCode::bad_input,
                  fmt::format("--no-store: {}: it keeps its results for 'ringscope merge': {}{}",
                              who, teaching, hint));
  if (options.store.empty())
    throw Failure(
        ExitCode::bad_input,
        fmt::format("{}, and has no store: name one for each, which 'ringscope merge' reads: {}{}",
                    who, teaching, hint));
  if (launch && options.part->count > 1 && options.store.find("{shard}") == std::string::npos)
    option_word("--store", options.store)
        .fail(fmt::format("{}: {} shards would write to one file; name one for each: {}{}", who,
                          options.part->count, teaching, hint));
}

}  // namespace

void settle_shard(StudyOptions& options, Variable variable) {
  const bool asked = options.shard == "auto";
  std::optional<Launch> launch;
  if (asked || options.shard.empty()) launch = launch_of(variable, asked);
  if (asked && !launch)
    option_word("--shard", options.shard)
        .fail(
            "no launcher has started this process: expected OMPI_COMM_WORLD_RANK and _SIZE, "
            "SLURM_PROCID and SLURM_NTASKS, SLURM_ARRAY_TASK_ID and _COUNT, or PMI_RANK and "
            "PMI_SIZE in the environment; or --shard 3/16");
  if (!asked && launch && launch->process.count == 1) launch.reset();
  if (launch) {
    options.part = launch->process;
    options.processes_here = launch->local_size;
  } else if (!options.shard.empty() && options.shard != "none") {
    options.part = parsed(options.shard);
  }
  if (options.part) {
    require_own_store(options, launch);
    options.store = filled_in(options.store, *options.part);
  } else if (options.store.find("{shard") != std::string::npos) {
    option_word("--store", options.store)
        .fail("there is no shard to name the file by: --shard 3/16 says which one this is");
  }
}

void settle_shard(StudyOptions& options) {
  settle_shard(options, [](const char* name) -> const char* { return std::getenv(name); });
}

void refuse_answers(const StudyOptions& options,
                    const std::vector<std::pair<std::string, std::string>>& answers,
                    const std::string& command) {
  if (!options.part) return;
  for (const auto& [option, text] : answers)
    if (!text.empty())
      throw Failure(ExitCode::bad_input,
                    fmt::format("{}: shard {} is a part of the answer; the whole one comes by "
                                "'ringscope merge part-*.sqlite -o all.sqlite' and then 'ringscope "
                                "{} ... --store all.sqlite {} {}'",
                                option, text_of(*options.part), command, option, text));
}

}  // namespace ringscope
