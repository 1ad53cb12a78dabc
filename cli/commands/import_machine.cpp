// SPDX-License-Identifier: LGPL-2.1-or-later

#include <cstdio>
#include <filesystem>
#include <optional>

#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "topologies/cluster.hpp"
#include "topologies/imports/imports.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

struct ImportMachineArguments {
  std::string file, output = "-", as, link;
  int hosts = 2;
};

void import_machine(const ImportMachineArguments& arguments) {
  const std::optional<Bandwidth> link = link_of(arguments.link);
  require_writable(arguments.output);
  ProgressBar bar("reading");
  ImportedHost machine = read_machine(arguments.file, arguments.as);
  const std::string origin = std::filesystem::path(arguments.file).filename().string();
  const std::string yaml = cluster_yaml(machine, origin, arguments.hosts, link);
  // The written file can be read, whatever stood in the machine's.
  read_cluster(Value::from_text("the cluster of " + arguments.file, yaml));
  bar.end();
  write_output(arguments.output, yaml);
  for (const std::string& note : machine.notes)
    std::fprintf(stderr, "%s\n", for_terminal(note).c_str());
  if (arguments.output != "-") suggest("ringscope check " + shell_word(arguments.output));
}

}  // namespace

void add_import_machine(Command& program) {
  auto [command, arguments] = program.add_subcommand("import-machine", import_machine);
  command.add_option("FILE", arguments.file).required();
  command.add_option("-o,--output", arguments.output);
  command.add_option("--format", arguments.as);
  constexpr int most_hosts = 65536;
  command.add_option("--hosts", arguments.hosts).between(1, most_hosts).show_default();
  command.add_option("--link", arguments.link);
}

}  // namespace ringscope
