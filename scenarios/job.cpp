#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "scenarios/scenario_tree.hpp"

namespace ringscope {
namespace {

// 512 TiB; beyond 8 PiB a double would no longer count single bytes.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 49;
constexpr std::int64_t most_repeats = 1'000'000;

std::vector<std::string> collectives() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : catalogue()) {
    const std::string name(algorithm.collective);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

const Algorithm& read_algorithm(Fields& fields) {
  const std::vector<std::string> known = collectives();
  const std::string collective = known[fields.required("collective").one_of("collective", known)];
  std::vector<std::string> names;
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.collective == collective) names.emplace_back(algorithm.name);
  }
  const std::size_t chosen =
      fields.required("algorithm").one_of("algorithm of " + collective, names);
  return *find_algorithm(collective, names[chosen]);
}

bool reads(const Algorithm& algorithm, std::string_view option) {
  return std::find(algorithm.options.begin(), algorithm.options.end(), option) !=
         algorithm.options.end();
}

/// An option that exists, but not for this algorithm, would be a number without effect.
void refuse_unread(const Algorithm& algorithm, const Value& options) {
  for (const Value::Entry& entry : options.entries()) {
    const bool exists = entry.key == "segment" || entry.key == "compute" || entry.key == "rounds";
    if (!exists || reads(algorithm, entry.key)) continue;
    const std::string has = algorithm.options.empty()
                                ? "it has no options"
                                : fmt::format("it has {}", fmt::join(algorithm.options, ", "));
    throw InputError(entry.key_place,
                     fmt::format("the {} {} has no option '{}'; {}", algorithm.collective,
                                 algorithm.name, entry.key, has));
  }
}

std::uint64_t read_size(const Value& value, std::uint64_t least) {
  const Bytes size = value.bytes();
  if (size.count < least || size.count > most_bytes) {
    value.fail(fmt::format("expected from {} to {}, got {}", to_text(Bytes{least}),
                           to_text(Bytes{most_bytes}), to_text(size)));
  }
  return size.count;
}

Options read_options(Fields& job, const Algorithm& algorithm) {
  Options options;
  const Value& map = job.value_or("options", "{}");
  Fields fields(map, "job.options");
  refuse_unread(algorithm, map);
  if (reads(algorithm, "segment")) {
    options.segment = read_size(fields.value_or("segment", "64 KiB"), 1);
  }
  if (reads(algorithm, "compute")) {
    options.compute = fields.value_or("compute", "0 s").seconds();
  }
  if (reads(algorithm, "rounds")) {
    options.rounds = static_cast<int>(fields.value_or("rounds", "1").integer(1, most_repeats));
  }
  fields.finish();
  job.resolve("options", fields.resolved());
  return options;
}

/// The sizes, each with the value to stand in the resolved job. A barrier carries no data.
std::vector<Value> read_sizes(Fields& fields, const Algorithm& algorithm) {
  const bool barrier = algorithm.collective == "barrier";
  const Value& bytes = barrier ? fields.value_or("bytes", "0 B") : fields.required("bytes");
  const std::vector<Value> sizes =
      bytes.kind() == Value::Kind::list ? bytes.items() : std::vector<Value>{bytes};
  if (sizes.empty()) bytes.fail("expected at least one size such as \"64 MiB\", got none");
  for (const Value& size : sizes) {
    const std::uint64_t count = read_size(size, barrier ? 0 : 1);
    if (barrier && count > 0) size.fail("a barrier carries no data: leave job.bytes out");
  }
  return sizes;
}

}  // namespace

std::vector<ReadJob> read_jobs(const Value& value) {
  refuse_unknown_keys(
      value, "job", {"collective", "algorithm", "bytes", "options", "repetitions", "seed", "skew"});
  Fields fields(value, "job");
  Job job;
  job.algorithm = &read_algorithm(fields);
  const std::vector<Value> sizes = read_sizes(fields, *job.algorithm);
  job.options = read_options(fields, *job.algorithm);
  job.repetitions = static_cast<int>(fields.value_or("repetitions", "1").integer(1, most_repeats));
  job.seed = static_cast<std::uint64_t>(
      fields.value_or("seed", "1").integer(0, std::numeric_limits<std::int64_t>::max()));
  job.skew = fields.value_or("skew", "0 s").seconds();
  fields.finish();
  std::vector<ReadJob> jobs;
  for (const Value& size : sizes) {
    job.bytes = size.bytes();
    fields.resolve("bytes", Value::scalar_at(size.place(), to_text(job.bytes)));
    jobs.push_back({job, fields.resolved()});
  }
  return jobs;
}

}  // namespace ringscope
