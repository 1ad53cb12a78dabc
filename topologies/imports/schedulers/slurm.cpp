// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists of Slurm's programs.
//
// `scontrol show nodes`, with --details or --oneliner, too: words `Key=value`, of which NodeName
// begins a node. GPUs that jobs use are in AllocTRES where Slurm counts gres/gpu, and with
// --details in GresUsed; otherwise none of a node with a job is known to be free. `squeue --json`:
// the state of a job is a word or, from Slurm 23.02, a list.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/imports/json_items.hpp"
#include "topologies/imports/schedulers/node_lists.hpp"
#include "topologies/placement/hostfile.hpp"
#include "topologies/placement/places.hpp"

namespace ringscope {
namespace {

using Settings = std::map<std::string, Value, std::less<>>;

std::string setting(const Settings& settings, std::string_view key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "" : found->second.scalar();
}

int number_of(const Settings& settings, std::string_view key, int otherwise) {
  const auto found = settings.find(key);
  return found == settings.end() ? otherwise : found->second.whole(0, most_ranks);
}

/// GPUs in "gpu:h100:4(S:0-1),nic:2" or "cpu=8,gres/gpu=4,gres/gpu:h100=4"; none: it names none.
std::optional<int> gpus_in(std::string text) {
  for (std::size_t open; (open = text.find('(')) != std::string::npos;)
    text.erase(open, std::min(text.find(')', open), text.size() - 1) - open + 1);
  std::optional<int> gpus;
  for (const Value& part : divided(Value::scalar_at({}, text))) {
    const std::string& word = part.scalar();
    if (word.starts_with("gres/gpu=") || word.starts_with("gpu:"))
      gpus = gpus.value_or(0) + whole_number(word.substr(word.find_last_of(":=") + 1)).value_or(0);
  }
  return gpus;
}

ListedNode node_of(const Settings& node) {
  const Value& name = node.at("NodeName");
  const NodeState state = node_state(setting(node, "State"));
  if (state == NodeState::free) return {name.text(), name.place()};
  if (state == NodeState::taken) return {name.text(), name.place(), 0, 0};
  const int cpus = number_of(node, "CPUEfctv", number_of(node, "CPUTot", 0));
  const int cores = std::max(0, cpus - number_of(node, "CPUAlloc", 0)) /
                    std::max(1, number_of(node, "ThreadsPerCore", 1));
  const int all = gpus_in(setting(node, "Gres")).value_or(0);
  const int counted = gpus_in(setting(node, "CfgTRES")) ? 0 : all;
  const int used = gpus_in(setting(node, "GresUsed"))
                       .value_or(gpus_in(setting(node, "AllocTRES")).value_or(counted));
  return {name.text(), name.place(), cores, std::max(0, all - used)};
}

void add_nodes(const Value& list, int free, ListedNodes& nodes) {
  for (const std::string& name : names_of_hostlist(list))
    nodes.push_back({name, list.place(), free, free});
}

/// The index of a word; that behind the last where there is none such.
std::size_t column_of(const std::vector<Value>& head, std::string_view heading) {
  std::size_t column = 0;
  while (column < head.size() && head[column].scalar() != heading) ++column;
  return column;
}

}  // namespace

NodeState node_state(std::string_view text) {
  std::string state(text);
  std::ranges::transform(state, state.begin(), [](unsigned char c) { return std::tolower(c); });
  // Nodes that Slurm starts for the job that comes.
  for (const std::string_view flag :
       {"+cloud", "+dynamic_norm", "+powered_down", "+powering_up", "~", "#"})
    if (const auto at = state.find(flag); at != std::string::npos) state.erase(at, flag.size());
  if (state == "idle") return NodeState::free;
  return state == "mix" || state == "mixed" ? NodeState::shared : NodeState::taken;
}

bool holds_nodes(std::string_view job_state) {
  constexpr std::string_view states[] = {"RUNNING",   "COMPLETING", "CONFIGURING", "RESIZING",
                                         "SIGNALING", "STAGE_OUT",  "STOPPED",     "SUSPENDED"};
  return std::ranges::find(states, job_state) != std::end(states);
}

ListedNodes read_scontrol_nodes(const SourcePointer& source) {
  std::vector<Settings> settings;
  each_line(source, [&](const Value& line) {
    for (const Value& word : words_of(line)) {
      const std::size_t equals = word.scalar().find('=');
      if (equals == std::string::npos) continue;  // of a reason, or of the system's name
      const std::string key = word.scalar().substr(0, equals);
      if (key == "NodeName") settings.emplace_back();
      if (!settings.empty()) settings.back().emplace(key, part_of(word, equals + 1));
    }
  });
  ListedNodes nodes;
  std::ranges::transform(settings, std::back_inserter(nodes), node_of);
  return nodes;
}

ListedNodes read_sinfo_table(const SourcePointer& source) {
  ListedNodes nodes;
  std::size_t names = 0, states = 0, last = 0;
  each_line(source, [&](const Value& line) {
    const std::vector<Value> words = words_of(line);
    if (const std::size_t column = column_of(words, "NODELIST"); column < words.size()) {
      names = column;
      states = column_of(words, "STATE");
      last = std::max(names, states);
      if (last == words.size()) line.fail("expected a table with the column STATE");
    } else if (last > 0 && last < words.size()) {
      const bool is_free = node_state(words[states].scalar()) == NodeState::free;
      add_nodes(words[names], is_free ? all_slots : 0, nodes);
    }
  });
  return nodes;
}

/// NODELIST(REASON) comes last: nodes, or, of jobs that wait, a reason in parentheses. Jobs that
/// have ended are listed only with --states.
ListedNodes read_squeue_table(const SourcePointer& source) {
  ListedNodes nodes;
  bool in_table = false;
  each_line(source, [&](const Value& line) {
    const std::vector<Value> words = words_of(line);
    if (in_table && !words.empty() && !words.back().scalar().ends_with(')'))
      add_nodes(words.back(), 0, nodes);
    in_table = in_table || (!words.empty() && words.back().scalar() == "NODELIST(REASON)");
  });
  return nodes;
}

ListedNodes read_squeue_json(const SourcePointer& source) {
  ListedNodes nodes;
  each_item(source, "jobs", [&](const nlohmann::json& job) {
    const nlohmann::json& state = job.at("job_state");
    bool holds = false;
    for (const nlohmann::json& one : state.is_array() ? state : nlohmann::json::array({state}))
      holds = holds || holds_nodes(one.get_ref<const std::string&>());
    const std::string names = holds ? job.value("nodes", "") : "";
    if (!names.empty()) add_nodes(Value::scalar_at({source, 0, 0}, names), 0, nodes);
  });
  return nodes;
}

}  // namespace ringscope
