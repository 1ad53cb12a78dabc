// The subcommands of ringscope-cuda: one file and one line each.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ringscope::cuda {

// Each adds itself to the program and runs when it is parsed. It throws Failure, InputError or
// GpuError. `command` is the whole command line, for the document.
void add_devices(CLI::App& program, const std::string& command);
void add_replay(CLI::App& program, const std::string& command);
void add_probe(CLI::App& program, const std::string& command);
void add_nccl(CLI::App& program, const std::string& command);

inline constexpr void (*subcommands[])(CLI::App&, const std::string&) = {
    add_devices,
    add_replay,
    add_probe,
    add_nccl,
};

}  // namespace ringscope::cuda
