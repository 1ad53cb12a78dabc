// SPDX-License-Identifier: LGPL-2.1-or-later

#include <cstdio>
#include <filesystem>

#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "topologies/cluster.hpp"
#include "topologies/imports/fabrics/fabric.hpp"
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
  auto [command, arguments] = program.add_subcommand("import-fabric", import_fabric);
  FabricOptions& options = arguments.options;
  command.add_option("FILE", arguments.file).required();
  command.add_option("-o,--output", arguments.output);
  command.add_option("--format", arguments.as);
  command.add_option("--label", arguments.labels).one_word();
  command.add_option("--host", options.host);
  constexpr int most_cores = 65536;
  command.add_option("--cores", options.cores).between(1, most_cores).show_default();
  command.add_flag("--adapters", options.adapters);
  command.add_option("--link", arguments.link);
  command.add_option("--oversubscription", options.oversubscription)
      .between(1.0, 1e6)
      .show_default();
}

}  // namespace ringscope
