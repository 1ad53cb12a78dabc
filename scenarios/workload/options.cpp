// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

// 512 TiB; beyond 8 PiB a double would no longer count single bytes.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 49;
constexpr double least_share = 1e-6;
constexpr std::int64_t most_repeats = 1'000'000, most_threads = 1024, most_gpus = 64;

/// Context in which a value is read.
struct Reading {
  Options& options;
  int ranks = 0;
};

struct Option {
  std::string_view name;
  std::string default_text;
  void (*read)(const Value& value, const Reading& into);
};

int whole(const Value& value, std::int64_t least, std::int64_t most) {
  return static_cast<int>(value.integer(least, most));
}

constexpr std::array<std::string_view, 5> forced_names = {"auto", "ring", "tree", "nvls", "pat"};
constexpr std::array<std::string_view, 4> protocols_to_force = {
    "auto", protocol_names[0], protocol_names[1], protocol_names[2]};

/// The name as text that lives as long as the program.
std::string_view one_of(const Value& value, std::string_view kind,
                        std::span<const std::string_view> names) {
  return names[value.one_of(kind, std::vector<std::string>(names.begin(), names.end()))];
}

/// The allreduce of one of two levels.
std::string_view level_name(const Value& value) {
  const Algorithm* named = algorithm_named(value, "allreduce");
  if (named->nonblocking > 0)
    value.fail("expected an allreduce of one level, got '{}', which has two", named->name);
  return named->name;
}

/// One line per option.
const std::vector<Option>& table() {
  using V = const Value&;
  using R = const Reading&;
  static const std::vector<Option> all = {
      {"segment", "64 KiB", [](V value, R into) { into.options.segment = read_size(value, 1); }},
      {"item", "4 B", [](V value, R into) { into.options.number_bytes = read_size(value, 1); }},
      {"compute", "0 s", [](V value, R into) { into.options.compute = value.seconds(); }},
      {"rounds", "1", [](V value, R into) { into.options.rounds = whole(value, 1, most_repeats); }},
      {"root", "0", [](V value, R into) { into.options.root = whole(value, 0, into.ranks - 1); }},
      {"rings", "1", [](V value, R into) { into.options.rings = whole(value, 1, most_threads); }},
      {"threads", "2",
       [](V value, R into) { into.options.threads = whole(value, 1, most_threads); }},
      {"servers", "1",
       [](V value, R into) {
         into.options.servers = whole(value, 1, std::max(1, into.ranks - 1));
       }},
      {"steps", "1", [](V value, R into) { into.options.steps = whole(value, 1, most_repeats); }},
      {"update", "0 s/B",
       [](V value, R into) { into.options.update = Seconds(value.byte_cost().seconds_per_byte); }},
      {"bound", "0", [](V value, R into) { into.options.bound = whole(value, 0, most_repeats); }},
      {"pause", "0 s", [](V value, R into) { into.options.pause = value.seconds(); }},
      {"default_stream", "0",
       [](V value, R into) { into.options.default_stream = whole(value, 0, most_repeats); }},
      {"push_share", "1",
       [](V value, R into) { into.options.push_share = value.number(least_share, 1); }},
      {"own_copy", "false", [](V value, R into) { into.options.own_copy = value.boolean(); }},
      {"algorithm", "auto",
       [](V value, R into) { into.options.algorithm = one_of(value, "algorithm", forced_names); }},
      {"protocol", "auto",
       [](V value, R into) {
         into.options.protocol = one_of(value, "protocol", protocols_to_force);
       }},
      {"channels", "0", [](V value, R into) { into.options.channels = whole(value, 0, 64); }},
      {"sms", "0", [](V value, R into) { into.options.sms = whole(value, 0, most_threads); }},
      {"gpus_per_thread", "1",
       [](V value, R into) { into.options.gpus_per_thread = whole(value, 1, most_gpus); }},
      {"inside", "ring", [](V value, R into) { into.options.inside = level_name(value); }},
      {"between", "ring", [](V value, R into) { into.options.between = level_name(value); }},
  };
  return all;
}

/// An option that exists, but not for this algorithm, would be a number without effect.
void refuse_unread(const Algorithm& algorithm, const Value& options) {
  for (const Value::Entry& entry : options.entries()) {
    const auto has_it = [&](const Algorithm& one) { return reads(one, entry.key); };
    if (has_it(algorithm) || std::ranges::none_of(catalogue(), has_it)) continue;
    const std::string has = algorithm.options.empty()
                                ? "it has no options"
                                : fmt::format("it has {}", fmt::join(algorithm.options, ", "));
    throw InputError(entry.key_place, "the {} {} has no option '{}'; {}", algorithm.collective,
                     algorithm.name, entry.key, has);
  }
}

/// The options of a kind of parameter servers that the job names, under the job's own.
Value with_servers(const Value& options) {
  const Value* named = options.kind() == Value::Kind::map ? options.find("servers_by") : nullptr;
  if (named == nullptr || named->is_null()) return options;
  const std::string file = file_of(*named, "scenarios/servers", "kind of parameter servers");
  const Value read = Value::from_file(file);
  Fields fields(read, "servers_by");
  fields.optional("about");
  Value all = fields.required("options");
  fields.finish();
  all.merge(options);
  return all;
}

}  // namespace

bool reads(const Algorithm& algorithm, std::string_view option) {
  return std::ranges::find(algorithm.options, option) != algorithm.options.end();
}

bool takes_groups(const Algorithm& algorithm) { return reads(algorithm, "micro_batches"); }

const Algorithm* algorithm_named(const Value& value, const std::string& collective,
                                 bool (*suits)(const Algorithm&)) {
  const std::vector<std::string> names = algorithm_names(collective, suits);
  return find_algorithm(collective, names[value.one_of("algorithm of " + collective, names)]);
}

std::uint64_t read_size(const Value& value, std::uint64_t least) {
  const Bytes size = value.bytes();
  if (size.count < least || size.count > most_bytes) {
    value.fail("expected from {} to {}, got {}", to_text(Bytes{least}), to_text(Bytes{most_bytes}),
               to_text(size));
  }
  return size.count;
}

ReadOptions read_options(Fields& job, const Algorithm& algorithm, int ranks, bool nccl) {
  ReadOptions read;
  Options& options = read.options;
  const Value map = with_servers(job.value_or("options", "{}"));
  Fields fields(map, "job.options");
  refuse_unread(algorithm, map);
  for (const Option& option : table())
    if (reads(algorithm, option.name))
      option.read(fields.value_or(option.name, option.default_text), {options, ranks});
  if (reads(algorithm, "model")) {
    read.training = takes_groups(algorithm) ? read_llm(fields, read_groups(job, ranks), nccl)
                                            : read_training(fields, algorithm, nccl);
    options.training = read.training.get();
    options.number_bytes = read.training->element;
  }
  if (reads(algorithm, "sizes")) read.sizes = read_pair_sizes(fields, ranks);
  options.sizes = read.sizes.get();
  fields.finish();
  job.resolve("options", fields.resolved());
  return read;
}

}  // namespace ringscope
