// SPDX-License-Identifier: LGPL-2.1-or-later

#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/commands/subcommands.hpp"
#include "cli/terminal/option_word.hpp"
#include "cli/terminal/output_file.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "cli/terminal/screen.hpp"
#include "topologies/cluster.hpp"
#include "topologies/imports/fabrics/fabrics.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

struct ImportFabricArguments {
  std::string file, output = "-", as, link;
  std::vector<std::string> labels;
  FabricOptions options;
};

/// The cluster of --host as the written file has to call it: paths are seen from its folder.
std::string host_of(const ImportFabricArguments& arguments) {
  const std::string& host = arguments.options.host;
  if (!is_path(host) || arguments.output == "-") return host;
  const fs::path from = fs::absolute(arguments.output).parent_path();
  std::error_code ignored;
  const std::string path = fs::proximate(fs::absolute(host), from, ignored).string();
  return is_path(path) ? path : "./" + path;
}

void import_fabric(const ImportFabricArguments& arguments) {
  FabricOptions options = arguments.options;
  options.link = link_of(arguments.link);
  options.origin = fs::path(arguments.file).filename().string();
  options.host = host_of(arguments);
  require_writable(arguments.output);
  ProgressBar bar("reading");
  Fabric fabric = read_fabric(arguments.file, arguments.as, arguments.labels);
  const std::string yaml = fabric_yaml(fabric, options);
  // The written file can be read, whatever stood in the fabric's.
  const bool to_file = arguments.output != "-";
  const Cluster cluster = read_cluster(
      Value::from_text(to_file ? arguments.output : "the cluster of " + arguments.file, yaml));
  bar.end();
  write_output(arguments.output, yaml);
  std::fprintf(stderr, "%s\n", for_terminal(cluster.about).c_str());
  for (const std::string& note : fabric.notes)
    std::fprintf(stderr, "%s\n", for_terminal(note).c_str());
  if (arguments.output != "-") suggest("ringscope check " + shell_word(arguments.output));
}

}  // namespace

void add_import_fabric(Command& program) {
  Command command = program.add_subcommand(
      "import-fabric", "Import a network from ibnetdiscover, Slurm or Kubernetes as a cluster");
  const auto arguments = std::make_shared<ImportFabricArguments>();
  FabricOptions& options = arguments->options;
  command.add_option("FILE", arguments->file, "description of the network").required();
  command.add_option("-o,--output", arguments->output,
                     "cluster file to write (default: standard output)");
  command.add_option("--format", arguments->as,
                     "ibnetdiscover, slurm_conf, slurm_yaml, topograph, kubernetes, nvidia_smi_q "
                     "or ec2 (default: detected from the content)");
  command
      .add_option("--label", arguments->labels,
                  "LABEL of Kubernetes nodes for a further level, such as a rack")
      .one_word();
  command.add_option("--host", options.host,
                     "CLUSTER with the host to use, such as a file from import-machine");
  constexpr int most_cores = 65536;
  command.add_option("--cores", options.cores, "cores of each host, without --host")
      .between(1, most_cores)
      .show_default();
  command.add_flag("--adapters", options.adapters, "treat every adapter as a separate host");
  command.add_option("--link", arguments->link,
                     "BANDWIDTH of a host's link if the file has none, such as \"100 Gbit/s\"");
  command
      .add_option("--oversubscription", options.oversubscription,
                  "RATIO of a switch's bandwidth to its hosts and to its uplinks, if the file does "
                  "not count uplinks")
      .between(1.0, 1e6)
      .show_default();
  command.footer(
      "Hosts, switches and links keep their names. The file determines link rates, such as 4xNDR.\n"
      "An adapter's description begins with the name of its host (\"n1 mlx5_0\"). Guessed and\n"
      "omitted parts are listed at the head of the cluster and on standard error.\n\n"
      "This imports the network between hosts; `ringscope import-machine` imports a host.\n\n"
      "Examples:\n"
      "  ringscope import-fabric topologies/fabrics/ibnetdiscover-582-adapters.txt -o ib.yaml\n"
      "  ibnetdiscover > fabric.txt && ringscope import-fabric fabric.txt -o ib.yaml\n"
      "  ringscope import-fabric /etc/slurm/topology.conf --link '100 Gbit/s' -o my.yaml\n"
      "  ringscope import-fabric fabric.txt --host my_machine.yaml -o my.yaml\n"
      "  kubectl get nodes -o json > nodes.json && ringscope import-fabric nodes.json -o k8s.yaml\n"
      "  pdsh -w n[1-18] nvidia-smi -q > smi.txt && ringscope import-fabric smi.txt -o nvl.yaml\n"
      "  ringscope show ib.yaml --from n1 --to n2");
  command.callback([arguments] { import_fabric(*arguments); });
}

}  // namespace ringscope
