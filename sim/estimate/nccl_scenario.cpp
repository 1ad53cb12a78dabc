// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/estimate/nccl_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/collectives.hpp"
#include "nccl/choice/choice.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

constexpr std::int64_t most_ranks = 1 << 24;

/// Shipped libraries with NCCL's costs.
std::vector<std::string> shipped_libraries() {
  std::vector<std::string> names = names_in("scenarios/libraries");
  std::erase_if(names, [](const std::string& name) {
    return !name.starts_with("nccl_") && !name.starts_with("rccl_");
  });
  return names;
}

/// The library in the file of the cluster, if there is one, or the shipped one for its GPUs.
Value own_library(const Cluster& cluster, const Value& asked) {
  const Value* file = asked.kind() == Value::Kind::map ? asked.find("base") : &asked;
  if (file != nullptr && file->kind() == Value::Kind::scalar && is_path(file->text()) &&
      holds_both(Value::from_file(file_of(*file, "topologies/clusters", "cluster"))))
    return *file;
  const std::vector<std::string> own = nccl_libraries(cluster);
  if (own.size() == 1) return Value::scalar_at(asked.place(), own.front());
  asked.fail(
      "{} shipped library has NCCL's costs on the GPUs of {}: expected a library, such as {}",
      own.empty() ? "no" : "more than one", cluster.name,
      fmt::join(own.empty() ? shipped_libraries() : own, ", "));
}

/// Counts that fill the GPUs of host after host: "8x2-4".
std::string first_gpus(const Topology& topology, const NcclQuestion& question) {
  std::int64_t all = 0;
  for (const Host& host : topology.hosts()) all += std::ssize(host.gpus);
  if (all < 2) question.cluster.fail("expected a cluster with two GPUs or more");
  const std::int64_t ranks = question.ranks.is_null() ? all : question.ranks.integer(2, most_ranks);
  if (ranks > all)
    question.ranks.fail(
        "expected at most {}, the GPUs of the cluster, got {}: a map has more hosts, such as "
        "'{{base: h100_nvswitch, hosts: 64}}'",
        all, ranks);
  std::string text;
  std::int64_t left = ranks, count = 0, hosts = 0;
  const auto add = [&] {
    if (hosts > 0) text += fmt::format("{}{}x{}", text.empty() ? "" : "-", count, hosts);
  };
  for (const Host& host : topology.hosts()) {
    const std::int64_t here = std::min<std::int64_t>(left, std::ssize(host.gpus));
    if (here != count) add(), count = here, hosts = 0;
    ++hosts;
    left -= here;
    if (left == 0) break;
  }
  add();
  return text;
}

Value placement_of(const Topology& topology, const NcclQuestion& question) {
  const Value& asked = question.placement;
  if (asked.kind() == Value::Kind::map || asked.kind() == Value::Kind::list) return asked;
  const Place& place = asked.is_null() ? question.cluster.place() : asked.place();
  Value placement = Value::empty_map_at(place);
  placement.set("hosts",
                asked.is_null() ? Value::scalar_at(place, first_gpus(topology, question)) : asked);
  placement.set("on", Value::scalar_at(place, "gpu"));
  return placement;
}

}  // namespace

Value named_value(const std::string& where, const std::string& word) {
  if (word.starts_with('{') || word.starts_with('[')) return Value::from_text(where, word);
  const Place place{std::make_shared<const Source>(Source{where, word}), 0, 0};
  if (word.empty()) return Value::from_text(where, "null");
  return Value::scalar_at(place, word);
}

Scenario nccl_scenario(const NcclQuestion& question) {
  std::vector<std::string> known_names;
  for (const Collective& one : collectives())
    if (nccl_function(one.name)) known_names.emplace_back(one.name);
  question.collective.one_of("collective", known_names);

  KnownParts known;
  const Cluster cluster = known.cluster(question.cluster);
  const Value placement = placement_of(cluster.topology, question);
  const Value library =
      question.library.is_null() ? own_library(cluster, question.cluster) : question.library;
  const Place& place = question.cluster.place();
  const auto word = [&](const char* text) { return Value::scalar_at(place, text); };
  Value tree = Value::empty_map_at(place);
  tree.set("question", word("How long does NCCL take?"));
  tree.set("cluster", question.cluster);
  tree.set("library", library);
  tree.set("placement", placement);
  tree.set("job.collective", question.collective);
  tree.set("job.algorithm", word("nccl"));
  tree.set("job.bytes", word("1 MiB"));
  Scenario scenario = read_tree(tree, "estimate", known).front();
  const auto ranks = std::ssize(scenario.placement.ranks);
  if (scenario.job.nccl == nullptr || ranks < 2)
    library.fail(
        "expected ranks on two GPUs or more, and a library that specifies "
        "NCCL's costs (one of {}), got {} on {}",
        fmt::join(shipped_libraries(), ", "), scenario.library.name, scenario.placement.text);
  if (!question.ranks.is_null() && question.ranks.integer(2, most_ranks) != ranks)
    question.ranks.fail("expected {}, the ranks of the placement, got {}", ranks,
                        question.ranks.text());
  return scenario;
}

}  // namespace ringscope
