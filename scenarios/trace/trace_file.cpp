// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "algorithms/collectives.hpp"
#include "scenarios/schedule/checks.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

/// Who reads what lies at a path.
struct Reader {
  std::string_view of;  ///< in errors
  bool (*is_there)(const std::string& files);
  void (*read)(const TraceRequest& request, TraceAnswer& into);
};
constexpr Reader readers[] = {
#ifdef RINGSCOPE_READS_RECORDS
    {"a folder with the calls.0, calls.1, ... of a recorded program", is_recorded, read_recorded},
    {"PyTorch's NAME.0.json, NAME.1.json, ...", is_kineto, read_kineto},
#endif
    {"Chakra's NAME.0.et, NAME.1.et, ...", is_chakra, read_chakra}};

constexpr double most_compute_scale = 1e6;

/// Null where nobody reads what is there.
const Reader* reader_of(const std::string& files) {
  const auto found =
      std::ranges::find_if(readers, [&](const Reader& reader) { return reader.is_there(files); });
  return found == std::end(readers) ? nullptr : found;
}

/// Where it is: beside the file that names it, or among ours.
std::string path_of(const Value& name) {
  const std::string text = name.text();
  const std::string beside = path_from(name.place(), text);
  if (reader_of(beside) != nullptr) return beside;
  const std::string folder = fmt::format("{}/{}", data_directory(), traces_folder);
  if (text.find('/') == std::string::npos && reader_of(folder + "/" + text) != nullptr)
    return folder + "/" + text;
  std::string known;
  for (const Reader& reader : readers)
    known += fmt::format("{}{}", known.empty() ? "" : ", or ", reader.of);
  if (text.find('/') != std::string::npos)
    name.fail("no trace is at '{}': a trace is {}", beside, known);
  name.fail("{}; a trace is {}, here or next to the scenario",
            unknown_name("trace", text, trace_names(folder)), known);
}

/// Several groups are at work at once, each on one thread of a rank, and with no options of its own
/// but the segment; or NCCL's, which chooses its own.
bool runs_on_groups(const Algorithm& one) {
  constexpr std::array<std::string_view, 5> known = {"segment", "root", "item", "inside",
                                                     "between"};
  if (one.one_channel) return one.collective != "alltoallv";
  return threads_of(one, {}) == 1 && one.nonblocking == 0 &&
         std::ranges::all_of(one.options, [&](std::string_view option) {
           return std::ranges::find(known, option) != known.end();
         });
}

void read_algorithms(Fields& fields, TraceRequest& request) {
  const Value& map = fields.value_or("algorithms", "{}");
  Fields chosen(map, "job.trace.algorithms");
  for (const Collective& one : collectives()) {
    const std::string name(one.name);
    const std::vector<std::string> names = algorithm_names(name, runs_on_groups);
    if (names.empty() || one.before == Held::unsaid) continue;
    if (const Value* value = chosen.optional(name)) {
      const std::size_t index = value->one_of("algorithm of " + name + " on groups", names);
      request.algorithms[name] = find_algorithm(name, names[index]);
    }
  }
  chosen.finish();
  fields.resolve("algorithms", chosen.resolved());
}

TraceRequest read_request(Fields& job, const Value& value, int ranks) {
  TraceRequest request{.place = value.place(), .files = {}, .ranks = ranks, .groups = {}};
  if (value.kind() != Value::Kind::map) {
    request.files = path_of(value);
    return request;
  }
  Fields fields(value, "job.trace");
  const Value& files = fields.required("files");
  request.place = files.place();
  request.files = path_of(files);
  if (const Value* as = fields.optional("every_rank_as")) {
    constexpr std::int64_t most_ranks = 1 << 20;
    request.every_rank_as = as->whole(0, most_ranks);
  }
  if (const Value* groups = fields.optional("groups"))
    request.groups = path_from(groups->place(), groups->text());
  if (const Value* too = fields.optional("ctrl_deps")) request.ctrl_deps = too->boolean();
  if (const Value* scale = fields.optional("compute_scale"))
    request.compute_scale = scale->number(0, most_compute_scale);
  read_algorithms(fields, request);
  fields.finish();
  job.resolve("trace", fields.resolved());
  return request;
}

}  // namespace

const Algorithm* TraceRequest::algorithm(std::string_view collective,
                                         std::string_view otherwise) const {
  const auto chosen = algorithms.find(collective);
  return chosen != algorithms.end() ? chosen->second : find_algorithm(collective, otherwise);
}

const Algorithm* TraceRequest::on_gpus(std::string_view collective,
                                       std::string_view otherwise) const {
  const bool known = nccl && find_algorithm(collective, "nccl") != nullptr;
  return algorithm(collective, known ? "nccl" : otherwise);
}

std::shared_ptr<const ScheduleFile> read_trace(Fields& job, const Value& value, int ranks,
                                               bool nccl) {
  TraceRequest request = read_request(job, value, ranks);
  request.nccl = nccl;
  TraceAnswer answer;
  reader_of(request.files)->read(request, answer);
  require_sound(answer.trace, answer.place, answer.words);
  for (auto& nodes : answer.trace.ranks)
    for (traces::Node& node : nodes)
      if (node.kind == traces::Node::Kind::compute) node.time *= request.compute_scale;
  auto file = std::make_shared<ScheduleFile>();
  file->file = fs::path(request.files).filename().string();
  file->node_counts = answer.counts.all();
  file->read = std::move(answer.read);
  file->schedule.name = file->file;
  file->schedule.collective = "messages";
  file->schedule.trace = std::make_shared<const traces::Trace>(std::move(answer.trace));
  file->algorithm = traces::algorithm_of_trace(file->schedule);
  return file;
}

}  // namespace ringscope
