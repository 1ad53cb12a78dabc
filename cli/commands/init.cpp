// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {

void add_init(Command& program) {
  Command command = program.add_subcommand("init");
  const auto kind = std::make_shared<std::string>(), output = std::make_shared<std::string>("-");
  command.add_option("KIND", *kind).required();
  command.add_option("-o,--output", *output);
  command.callback([kind, output] {
    const std::string folder = "scenarios/templates";
    const std::vector<std::string> kinds = names_in(folder);
    const std::string& name = kinds[option_word("init", *kind).one_of("kind", kinds)];
    if (*output != "-" && std::filesystem::exists(*output))
      throw BadInput("-o: {} exists already: expected the name of a new file", *output);
    write_output(*output,
                 read_file(fmt::format("{}/{}/{}.yaml", data_directory(), folder, name), 1));
  });
}

}  // namespace ringscope
