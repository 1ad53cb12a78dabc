// SPDX-License-Identifier: LGPL-2.1-or-later

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands/subcommands.hpp"
#include "cli/terminal/option_word.hpp"
#include "cli/terminal/output_file.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "cli/terminal/screen.hpp"
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
  Command command = program.add_subcommand(
      "import-machine", "Import a host from hwloc, NCCL, nvidia-smi or rocm-smi as a cluster");
  const auto arguments = std::make_shared<ImportMachineArguments>();
  command.add_option("FILE", arguments->file, "description of the host").required();
  command.add_option("-o,--output", arguments->output,
                     "cluster file to write (default: standard output)");
  command.add_option("--format", arguments->as,
                     "hwloc, nccl, nvidia_smi or rocm_smi (default: detected from the content)");
  constexpr int most_hosts = 65536;
  command.add_option("--hosts", arguments->hosts, "number of hosts in the cluster")
      .between(1, most_hosts)
      .show_default();
  command.add_option("--link", arguments->link,
                     "BANDWIDTH of the links between hosts, such as \"100 Gbit/s\"");
  command.footer(
      "The machine becomes a host of type custom. The hosts form a star. Values "
      "missing in the file come from a table (topologies/imports/assumed.cpp); they are listed at "
      "the head of the cluster and on standard error.\n\n"
      "This imports the parts of a host; `ringscope import` imports measurements.\n\n"
      "Examples:\n"
      "  ringscope import-machine topology.xml --format nccl --hosts 4 -o my.yaml\n"
      "  lstopo machine.xml && ringscope import-machine machine.xml -o my.yaml\n"
      "  nvidia-smi topo -m > machine.txt && ringscope import-machine machine.txt -o my.yaml\n"
      "  rocm-smi --showtopo > machine.txt && ringscope import-machine machine.txt -o my.yaml\n"
      "  NCCL_TOPO_DUMP_FILE=machine.xml ./all_reduce_perf; ringscope import-machine machine.xml\n"
      "  ringscope import-machine machine.xml --hosts 4 --link '25 Gbit/s' -o my.yaml && "
      "ringscope show my.yaml");
  command.callback([arguments] { import_machine(*arguments); });
}

}  // namespace ringscope
