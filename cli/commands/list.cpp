// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "algorithms/collectives.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "topologies/hosts/hosts.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/data_files.hpp"
#include "topologies/networks/networks.hpp"

namespace ringscope {
namespace {

struct Row {
  std::string name, text;
  Json facts = Json::object();  ///< beside the name and the text
};
using Rows = std::vector<Row>;

/// Algorithms of one collective beside each other, collectives in the order of their first ones.
std::vector<Algorithm> by_collective() {
  std::vector<Algorithm> sorted;
  for (const Algorithm& algorithm : catalogue()) {
    const auto last = std::find_if(sorted.rbegin(), sorted.rend(), [&](const Algorithm& other) {
      return other.collective == algorithm.collective;
    });
    sorted.insert(last == sorted.rend() ? sorted.end() : last.base(), algorithm);
  }
  return sorted;
}

Rows algorithms() {
  Rows rows;
  for (const Algorithm& algorithm : by_collective()) {
    rows.push_back({fmt::format("{} {}", algorithm.collective, algorithm.name),
                    std::string(algorithm.summary),
                    {{"collective", algorithm.collective},
                     {"algorithm", algorithm.name},
                     {"options", algorithm.options},
                     {"least_ranks", algorithm.least_ranks},
                     {"one_host", algorithm.one_host},
                     {"threads", threads_of(algorithm, {})},
                     {"nonblocking", algorithm.nonblocking},
                     {"ring", algorithm.ring},
                     {"selects", algorithm.chosen != nullptr}}});
  }
  return rows;
}

Rows rows_of_collectives() {
  const auto name_of = [](Held held) { return held_names[held]; };
  Rows rows;
  for (const Collective& one : collectives()) {
    rows.push_back({std::string(one.name),
                    std::string(one.summary),
                    {{"before", name_of(one.before)},
                     {"after", name_of(one.after)},
                     {"sums", one.sums},
                     {"root", has_root(one)},
                     {"passes", one.passes},
                     {"nccl", one.nccl}}});
  }
  return rows;
}

/// The files of a folder, each with the sentence that it says about itself under `key`.
Rows files(const std::string& folder, const char* key) {
  Rows rows;
  for (const std::string& name : names_in(folder)) {
    const Value file =
        Value::from_file(fmt::format("{}/{}/{}.yaml", data_directory(), folder, name));
    const Value* sentence = file.kind() == Value::Kind::map ? file.find(key) : nullptr;
    rows.push_back({name, sentence ? sentence->text() : ""});
  }
  return rows;
}

/// Files of other programs in a folder; those of one job's ranks are one row.
Rows foreign_files(const std::string& folder) {
  std::map<std::string, std::vector<std::string>> jobs;
  for (const auto& file : std::filesystem::directory_iterator(data_directory() + "/" + folder))
    if (const std::string name = file.path().filename(); name != "README.md")
      jobs[name.substr(0, name.find('.'))].push_back(name);
  Rows rows;
  for (auto& [job, names] : jobs) {
    std::ranges::sort(names);
    rows.push_back({job, fmt::format("{}/{}", folder, fmt::join(names, ", "))});
  }
  return rows;
}

template <class Entry>
Rows summaries(std::span<const Entry> entries) {
  Rows rows;
  for (const Entry& entry : entries) rows.push_back({entry.name, entry.summary});
  return rows;
}

struct Listing {
  std::string name;
  Rows (*rows)();
};

const Listing listings[] = {
    {"algorithms", algorithms},
    {"clusters", [] { return files("topologies/clusters", "about"); }},
    {"collectives", rows_of_collectives},
    {"gpus", [] { return files("scenarios/models/gpus", "about"); }},
    {"hosts", [] { return summaries(host_types()); }},
    {"language_models", [] { return files("scenarios/models/language", "about"); }},
    {"libraries", [] { return files("scenarios/libraries", "about"); }},
    {"models", [] { return files("scenarios/models", "about"); }},
    {"networks", [] { return summaries(network_families()); }},
    {"scenarios", [] { return files(scenarios_folder, "question"); }},
    {"schedules", [] { return foreign_files("scenarios/schedules"); }},
    {"servers", [] { return files("scenarios/servers", "about"); }},
    {"studies", [] { return files("scenarios/studies", "question"); }},
    {"traces", [] { return foreign_files("scenarios/traces"); }},
    {"transports", [] { return files("scenarios/transports", "about"); }},
};

std::string print(const Rows& rows) {
  std::size_t widest = 0;
  for (const Row& row : rows) widest = std::max(widest, row.name.size());
  std::string text;
  for (const Row& row : rows) text += fmt::format("{:<{}}  {}\n", row.name, widest, row.text);
  return text;
}

std::string as_json(const std::string& what, const Rows& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    list.push_back({{"name", row.name}, {"text", row.text}});
    list.back().update(row.facts);
  }
  const Json document = {{"schema", 1}, {"version", version()}, {what, std::move(list)}};
  return json_text(document);
}

void list(const std::string& what, const std::string& json) {
  if (what.empty()) {
    Rows counts;
    for (const Listing& one : listings)
      counts.push_back({one.name, std::to_string(one.rows().size())});
    show_screen(print(counts));
    return suggest("ringscope list scenarios");
  }
  const std::vector<std::string> names = each_of(std::span(listings), &Listing::name);
  const auto found = std::find(names.begin(), names.end(), what);
  if (found == names.end()) {
    throw BadInput("list: " + unknown_name("list", what, names));
  }
  const Rows rows = listings[found - names.begin()].rows();
  if (!json.empty()) return write_output(json, as_json(what, rows));
  show_screen(print(rows));
  if (rows.empty()) return;
  const bool is_studied = what == "studies" && !rows.front().name.starts_with("place");
  const char* command = what == "clusters"    ? "ringscope show "
                        : what == "scenarios" ? "ringscope run "
                        : is_studied          ? "ringscope sweep "
                                              : nullptr;
  suggest(command != nullptr ? command + shell_word(rows.front().name)
                             : "ringscope list scenarios");
}

}  // namespace

void add_list(Command& program) {
  Command command = program.add_subcommand("list");
  const auto what = std::make_shared<std::string>(), json = std::make_shared<std::string>();
  const Option kind =
      command.add_option("WHAT", *what)
          .help(fmt::format("{} (default: how many there are of each)",
                            fmt::join(each_of(std::span(listings), &Listing::name), ", ")));
  command.add_option("--json", *json).needs(kind);
  command.callback([what, json] { list(*what, *json); });
}

}  // namespace ringscope
