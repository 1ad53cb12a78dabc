#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "algorithms/catalogue.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/output_file.hpp"
#include "scenarios/question/file_kind.hpp"
#include "topologies/cluster.hpp"
#include "topologies/hosts/host_type.hpp"
#include "topologies/input/data_files.hpp"
#include "topologies/networks/networks.hpp"

namespace ringscope {
namespace {

struct Row {
  std::string name, text;
};
using Rows = std::vector<Row>;

Rows algorithms() {
  Rows rows;
  for (const Algorithm& algorithm : catalogue()) {
    rows.push_back({fmt::format("{} {}", algorithm.collective, algorithm.name),
                    std::string(algorithm.summary)});
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
    {"hosts", [] { return summaries(host_types()); }},
    {"libraries", [] { return files("scenarios/libraries", "about"); }},
    {"models", [] { return files("scenarios/models", "about"); }},
    {"networks", [] { return summaries(network_families()); }},
    {"scenarios", [] { return files(scenarios_folder, "question"); }},
};

std::string print(const Rows& rows) {
  std::size_t widest = 0;
  for (const Row& row : rows) widest = std::max(widest, row.name.size());
  std::string text;
  for (const Row& row : rows) text += fmt::format("{:<{}}  {}\n", row.name, widest, row.text);
  return text;
}

void list(const std::string& what) {
  std::vector<std::string> names;
  for (const Listing& listing : listings) names.push_back(listing.name);
  const auto found = std::find(names.begin(), names.end(), what);
  if (found == names.end()) {
    throw Failure(ExitCode::bad_input, "list: " + unknown_name("list", what, names));
  }
  write_output("-", print(listings[found - names.begin()].rows()));
}

}  // namespace

void add_list(Command& program) {
  Command command = program.add_subcommand("list", "What there is to choose from");
  const auto what = std::make_shared<std::string>();
  command
      .add_option("WHAT", *what,
                  "algorithms, clusters, hosts, libraries, models, networks or scenarios")
      .required();
  command.footer("Examples:\n  ringscope list algorithms\n  ringscope list scenarios");
  command.callback([what] { list(*what); });
}

}  // namespace ringscope
