// SPDX-License-Identifier: LGPL-2.1-or-later
// Descriptions of real machines that other programs write.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.hpp"
#include "topologies/imports/imported_host.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/data_files.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

// Choice among the formats in which other programs describe machines and networks.

/// A format that a function of type `Read` reads.
template <typename Read>
struct Format {
  std::string name;
  std::string summary;
  /// Texts of the format have one of each set; a mark that begins with a line break may also stand
  /// at their beginning.
  std::vector<std::vector<std::string_view>> marks;
  Read* read;
  bool any_case = false;  ///< the marks are in lower case, and stand for any

  bool recognises(const std::string& given) const {
    const std::string lower = any_case ? in_lower_case(given) : "";
    const std::string& text = any_case ? lower : given;
    const auto holds = [&](std::string_view mark) {
      return text.find(mark) != text.npos ||
             (mark.starts_with('\n') && text.starts_with(mark.substr(1)));
    };
    return std::ranges::all_of(marks,
                               [&](const auto& any) { return std::ranges::any_of(any, holds); });
  }
};

/// The format named by `as`, or, where that is empty, the one that recognises the text. `what` is
/// described, and `otherwise` ends the error of a text that none recognises.
template <typename Known>
const Known& format_of(const std::shared_ptr<const Source>& source, const std::string& as,
                       std::span<const Known> formats, std::string_view what,
                       std::string_view otherwise = "") {
  if (!as.empty())
    return formats[typed("--format", as).one_of("format", each_of(formats, &Known::name))];
  const auto format =
      std::ranges::find_if(formats, [&](const Known& one) { return one.recognises(source->text); });
  if (format != formats.end()) return *format;
  std::string known;
  for (const Known& one : formats)
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", one.name, one.summary);
  throw InputError({source, 0, 0}, "no known description of a {}; expected one of: {}{}", what,
                   known, otherwise);
}

/// A file that is not empty, of at most `most_mebibytes`.
inline Source source_of(const std::string& path, std::size_t most_mebibytes) {
  std::string text = read_file(path, most_mebibytes);
  if (text.empty()) refuse_file(path, "is empty");
  return {path, std::move(text)};
}

// Descriptions of machines.

/// Throws InputError.
using ReadMachine = ImportedHost(const std::shared_ptr<const Source>& source);

/// A format: imports/<name>.cpp, its reader's name below, and a row in imports.cpp.
using MachineFormat = Format<ReadMachine>;

ReadMachine read_hwloc_xml, read_nccl, read_nvidia_smi, read_rocm_smi, read_amd_smi;
std::span<const MachineFormat> machine_formats();

/// The machine that a file describes, in the format named by `as`, or, where that is empty, the one
/// that recognises the text. Throws InputError, for an `as` at the place "--format".
ImportedHost read_machine(const std::string& path, const std::string& as);
/// The same of a text.
ImportedHost parse_machine(const Source& source, const std::string& as);

}  // namespace ringscope
