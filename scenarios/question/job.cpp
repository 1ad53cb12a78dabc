// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "algorithms/collectives.hpp"
#include "algorithms/programs/program.hpp"
#include "scenarios/program/steps.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "scenarios/trace/trace_file.hpp"
#include "scenarios/workload/options.hpp"

namespace ringscope {
namespace {

constexpr std::int64_t most_repetitions = 1'000'000;

std::vector<std::string> names_of_collectives() {
  return each_of<std::string>(collectives(), &Collective::name);
}

/// Those whose algorithms are not files.
std::vector<std::string> names_with_algorithms() {
  std::vector<std::string> names = names_of_collectives();
  std::erase_if(names, [](const std::string& name) {
    return std::ranges::find(catalogue(), name, &Algorithm::collective) == catalogue().end();
  });
  return names;
}

/// `program: llm` says what `collective: training, algorithm: llm` does.
const Algorithm& read_program(Fields& fields, const Value& program) {
  fields.refuse({"collective", "algorithm"}, "a job with a program has no {}: omit it");
  std::vector<const Algorithm*> programs;
  std::vector<std::string> names;
  for (const Algorithm& algorithm : catalogue()) {
    if (!takes_groups(algorithm)) continue;
    programs.push_back(&algorithm);
    names.emplace_back(algorithm.name);
  }
  const Algorithm& chosen = *programs[program.one_of("program", names)];
  const auto resolve = [&](const char* key, std::string_view text) {
    fields.resolve(key, Value::scalar_at(program.place(), std::string(text)));
  };
  resolve("collective", chosen.collective);
  resolve("algorithm", chosen.name);
  return chosen;
}

/// `schedule: FILE` says which collective it is; who says it, too, must not say another.
std::shared_ptr<const ScheduleFile> read_scheduled(Fields& fields, const Value& name, int ranks) {
  fields.refuse({"algorithm", "program"}, "a job with a schedule has no {}: omit it");
  const Value* collective = fields.optional("collective");
  const std::vector<std::string> known = names_of_collectives();
  if (collective != nullptr) collective->one_of("collective", known);
  auto file = read_schedule(name, ranks);
  const std::string& of_file = file->schedule.collective;
  if (collective != nullptr && collective->scalar() != of_file)
    collective->fail("{} is a schedule of {}, not of {}", file->file, of_file,
                     collective->scalar());
  fields.resolve("collective", Value::scalar_at(name.place(), of_file));
  return file;
}

/// `trace: FILES` says all that the ranks do.
std::shared_ptr<const ScheduleFile> read_traced(Fields& fields, const Value& trace, int ranks,
                                                bool nccl) {
  fields.refuse({"collective", "algorithm", "program", "schedule"},
                "a job with a trace has no {}: omit it");
  fields.resolve("collective", Value::scalar_at(trace.place(), "messages"));
  return read_trace(fields, trace, ranks, nccl);
}

const Algorithm& read_algorithm(Fields& fields) {
  if (const Value* program = fields.optional("program")) return read_program(fields, *program);
  const std::vector<std::string> known = names_with_algorithms();
  const std::string collective = known[fields.required("collective").one_of("collective", known)];
  return *algorithm_named(fields.required("algorithm"), collective);
}

/// The sum of the gradients, which nobody needs to say.
std::vector<Value> size_of_model(Fields& fields, const Training& training) {
  const std::string sum = to_text(Bytes{parameters_of(training.layers) * training.element});
  if (const Value* bytes = fields.optional("bytes"))
    bytes->fail(
        "the message size of a training job is the sum of its gradients, {}: omit job.bytes", sum);
  return {Value::scalar_at(fields.map().place(), sum)};
}

bool has_own_sizes(const ScheduleFile* file) {
  return file != nullptr && (file->schedule.trace != nullptr || file->schedule.program != nullptr);
}

std::uint64_t longest_of(const schedules::Schedule& schedule) {
  return schedule.program != nullptr ? schedule.program->longest
                                     : traces::longest_of(*schedule.trace);
}

/// The longest message, which stands for the vector.
std::vector<Value> size_of_messages(Fields& fields, const ScheduleFile& file) {
  if (const Value* bytes = fields.optional("bytes"))
    bytes->fail("{} specifies the size of each message: omit job.bytes", file.file);
  return {Value::scalar_at(fields.map().place(), to_text(Bytes{longest_of(file.schedule)}))};
}

/// The sizes, each with the value to stand in the resolved job.
std::vector<Value> read_sizes(Fields& fields, const Algorithm& algorithm) {
  const bool no_data = collective_of(algorithm).before == Held::nothing;
  const Value& bytes = no_data ? fields.value_or("bytes", "0 B") : fields.required("bytes");
  const std::vector<Value> sizes =
      bytes.kind() == Value::Kind::list ? bytes.items() : std::vector<Value>{bytes};
  if (sizes.empty()) bytes.fail("expected at least one size such as \"64 MiB\", got none");
  for (const Value& size : sizes) {
    const std::uint64_t count = read_size(size, no_data ? 0 : 1);
    if (no_data && count > 0)
      size.fail("a {} carries no data: omit job.bytes", algorithm.collective);
  }
  return sizes;
}

/// Reads the noise, which stands in the resolved job only where it is asked for. `slow_hosts` gets
/// the hosts whose ranks are stragglers.
Noise read_noise(Fields& job, int ranks, std::vector<Value>& slow_hosts) {
  Noise noise;
  constexpr double most_slowdown = 1e6;
  job.nested("noise", [&](Fields& fields) {
    noise.spread = fields.value_or("spread", "0").number(0, most_spread);
    read_interruptions(fields, "detours", noise.detours.every, noise.detours.takes);
    fields.nested("stragglers", [&](Fields& stragglers) {
      noise.slowdown = stragglers.required("slowdown").number(1, most_slowdown);
      const Value *list = stragglers.optional("ranks"), *hosts = stragglers.optional("hosts");
      if (list == nullptr && hosts == nullptr)
        stragglers.map().fail(
            "stragglers: expected 'ranks' such as [3, 5], or 'hosts' such as [host1]");
      if (list != nullptr && list->kind() != Value::Kind::list)
        list->fail("expected a list of ranks such as [3, 5]");
      if (hosts != nullptr && hosts->kind() != Value::Kind::list)
        hosts->fail("expected a list of hosts such as [host1]");
      if (list != nullptr)
        for (const Value& rank : list->items())
          noise.stragglers.push_back(rank.whole(0, ranks - 1));
      if (hosts != nullptr) slow_hosts = hosts->items();
    });
  });
  return noise;
}

constexpr int most_waves = 1000;  // a wave more or less is a thousandth

/// Needs of computations stand in the resolved job only where they are asked for.
std::optional<Needs> read_needs(Fields& job, bool bytes_stated) {
  std::optional<Needs> read;
  job.nested("needs", [&](Fields& fields) {
    Needs& needs = read.emplace();
    if (const Value* memory = fields.optional("memory")) {
      needs.stated = memory->kind() == Value::Kind::scalar && memory->scalar() == "roofline";
      if (needs.stated && !bytes_stated)
        memory->fail(
            "only llm, and programs that state them, have bytes of computations: expected a "
            "bandwidth such as 500 GB/s");
      if (!needs.stated) needs.memory = memory->bandwidth();
      if (needs.memory.is_unlimited()) memory->fail("expected a bandwidth such as 500 GB/s");
    }
    const Value& sms = fields.value_or("sms", "1");
    needs.sms = sms.number(0, 1);
    if (needs.sms <= 0) sms.fail("expected a share above 0 of the GPU's multiprocessors");
    if (const Value* waves = fields.optional("waves")) needs.waves = waves->whole(1, most_waves);
  });
  return read;
}

std::optional<Value> read_rings(Fields& job, const Algorithm& algorithm) {
  const Value* rings = job.optional("rings");
  if (rings == nullptr) return {};
  if (!has_channels(algorithm))
    rings->fail("the {} {} has no channels: nccl, channel_rings and channel_trees have",
                algorithm.collective, algorithm.name);
  return *rings;
}

/// Computations say how many bytes of memory they move.
bool states_bytes(const Job& job) {
  if (job.training != nullptr) return job.training->llm != nullptr;
  return job.schedule != nullptr && job.schedule->schedule.program != nullptr &&
         job.schedule->schedule.program->knows_memory;
}

/// Library's own choice for a size that a schedule cannot cut. The schedule stays for the warning.
/// Source: RCCL 2.18, src/misc/msccl/msccl_lifecycle.cc, mscclFallBackSavedParams.
ReadJob without_schedule(Value written, const Job& job, const Value& size, int ranks, bool nccl) {
  const schedules::Schedule& schedule = job.schedule->schedule;
  written.set("schedule", Value());
  written.set("bytes", size);
  written.set("collective", Value::scalar_at(size.place(), schedule.collective));
  written.set("algorithm", Value::scalar_at(size.place(), "nccl"));
  if (has_root(*find_collective(schedule.collective)))
    written.set("options", Value::from_text("root", fmt::format("root: {}", schedule.root)));
  ReadJob read = read_jobs(written, ranks, nccl).front();
  read.job.schedule = job.schedule;
  return read;
}

/// Options of the job's algorithm; a program of steps has read its own.
void read_named(Fields& fields, Job& job, int ranks, bool nccl) {
  if (const Value* groups = fields.optional("groups"); groups && !takes_groups(*job.algorithm))
    groups->fail("the {} {} has no groups: a program has, such as llm", job.algorithm->collective,
                 job.algorithm->name);
  if (const Value* values = fields.optional("values"))
    values->fail("values belong to a program: expected a list of steps");
  const ReadOptions options = read_options(fields, *job.algorithm, ranks, nccl);
  job.options = options.options;
  job.training = options.training;
  job.sizes = options.sizes;
}

}  // namespace

bool has_channels(const Algorithm& algorithm) {
  return std::ranges::find(algorithm.options, "channels") != algorithm.options.end();
}

std::vector<ReadJob> read_jobs(const Value& value, int ranks, bool nccl) {
  refuse_unknown_keys(value, "job",
                      {"collective", "algorithm", "bytes", "schedule", "trace", "options",
                       "program", "groups", "values", "repetitions", "seed", "skew", "overlap",
                       "needs", "noise", "rings", "cuda_graph"});
  Fields fields(value, "job");
  Job job;
  if (const Value* schedule = fields.optional("schedule"))
    job.schedule = read_scheduled(fields, *schedule, ranks);
  if (const Value* trace = fields.optional("trace"))
    job.schedule = read_traced(fields, *trace, ranks, nccl);
  const Value* program = fields.optional("program");
  const bool of_steps = program != nullptr && program->kind() != Value::Kind::scalar;
  if (of_steps) job.schedule = read_program_of_steps(fields, *program, ranks, nccl);
  job.algorithm = job.schedule != nullptr ? &job.schedule->algorithm : &read_algorithm(fields);
  if (!of_steps) read_named(fields, job, ranks, nccl);
  if (job.schedule != nullptr) job.options.schedule = &job.schedule->schedule;
  const bool own_sizes = has_own_sizes(job.schedule.get());
  const std::vector<Value> sizes = job.training != nullptr ? size_of_model(fields, *job.training)
                                   : own_sizes             ? size_of_messages(fields, *job.schedule)
                                                           : read_sizes(fields, *job.algorithm);
  job.repetitions = fields.value_or("repetitions", "1").whole(1, most_repetitions);
  job.seed = static_cast<std::uint64_t>(
      fields.value_or("seed", "1").integer(0, std::numeric_limits<std::int64_t>::max()));
  job.skew = fields.value_or("skew", "0 s").seconds();
  if (const Value* overlap = fields.optional("overlap")) {
    if (job.training != nullptr)
      overlap->fail("a training job specifies its overlap by job.options.overlap");
    job.overlap = overlap->seconds();
  }
  if (const Value* graph = fields.optional("cuda_graph"))
    job.options.given.cuda_graph = graph->boolean();
  job.needs = read_needs(fields, states_bytes(job));
  std::vector<Value> slow_hosts;
  job.noise = read_noise(fields, ranks, slow_hosts);
  const std::optional<Value> rings = read_rings(fields, *job.algorithm);
  fields.finish();
  const bool has_chunks = job.schedule != nullptr && !own_sizes;
  const auto is_cut = [&](const Value& size) {
    return !has_chunks || has_whole_chunks(size.bytes().count, *job.schedule);
  };
  if (has_chunks && std::ranges::none_of(sizes, is_cut))
    require_whole_chunks(sizes.front(), sizes.front().bytes().count, *job.schedule);
  std::vector<ReadJob> jobs;
  for (const Value& size : sizes) {
    job.bytes = size.bytes();
    if (job.training == nullptr && !own_sizes)
      fields.resolve("bytes", Value::scalar_at(size.place(), to_text(job.bytes)));
    jobs.push_back(is_cut(size) ? ReadJob{job, fields.resolved(), rings, slow_hosts}
                                : without_schedule(value, job, size, ranks, nccl));
  }
  return jobs;
}

}  // namespace ringscope
