// SPDX-License-Identifier: LGPL-2.1-or-later
// Places of files that have a name: ours, and those of users.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope {

/// The directory that holds topologies/, scenarios/...: where the program was installed, or its
/// source tree. The environment variable RINGSCOPE_DATA comes first.
std::string data_directory();

/// The names of the *.yaml files under data_directory()/folder, sorted, without the suffix.
/// Throws InputError when there is no such folder.
std::vector<std::string> names_in(const std::string& folder);

/// True if a text is a path, and not the name of a file of ours: it has a '/' or ends in ".yaml".
bool is_path(std::string_view text);

/// Words for an error's message: unknown_name(), or the file beside the one that says `name`, which
/// may be meant by it. `kind` is the noun.
std::string unknown_file(std::string_view kind, const Value& name,
                         std::span<const std::string> known);

/// The path of the file that `name` means: a path, seen from the file that says so, or a name in
/// data_directory()/folder. Throws InputError.
std::string file_of(const Value& name, const std::string& folder, std::string_view kind);

/// The whole file, or what stands under `part` in a file that holds a cluster and a library, as
/// calibrations do. Throws InputError.
Value read_part(const std::string& file, std::string_view part);

}  // namespace ringscope
