// SPDX-License-Identifier: LGPL-2.1-or-later
// Places of files that have a name: ours, and those of users.
#pragma once

#include <cstddef>
#include <functional>
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

/// Whether a file holds a cluster and a library, as calibrations do.
bool holds_both(const Value& file);

/// The whole file, or what stands under `part` in a file that holds a cluster and a library, as
/// calibrations do. Throws InputError.
Value read_part(const std::string& file, std::string_view part);

// Files of users as text, and errors about a file as a whole.

/// Throws InputError "path: why".
[[noreturn]] void refuse_file(const std::string& path, const std::string& why);

/// The bytes of a file of at most `most_mebibytes`. An error goes to `refuse`, which
/// throws.
std::string read_file(const std::string& path, std::size_t most_mebibytes,
                      const std::function<void(const std::string& why)>& refuse);

/// Likewise, by refuse_file().
std::string read_file(const std::string& path, std::size_t most_mebibytes);

/// The file at `path` that `name` names, in UTF-8. Errors of reading it are at `name`, and call the
/// file `what`.
std::shared_ptr<const Source> read_named(const Value& name, std::string_view what,
                                         const std::string& path, std::size_t most_mebibytes);

}  // namespace ringscope
