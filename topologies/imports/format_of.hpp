// SPDX-License-Identifier: LGPL-2.1-or-later
// Choice among the formats in which other programs describe machines and networks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "base/table.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/data_files.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// The format named by `as`, or, where that is empty, the one that recognises the text. `what` is
/// described, and `otherwise` ends the error of a text that none recognises.
template <typename Format>
const Format& format_of(const std::shared_ptr<const Source>& source, const std::string& as,
                        std::span<const Format> formats, std::string_view what,
                        std::string_view otherwise = "") {
  if (!as.empty()) {
    const Place place{std::make_shared<const Source>(Source{"--format", as}), 0, 0};
    return formats[Value::scalar_at(place, as).one_of("format", each_of(formats, &Format::name))];
  }
  const auto format = std::ranges::find_if(
      formats, [&](const Format& one) { return one.recognises(source->text); });
  if (format != formats.end()) return *format;
  std::string known;
  for (const Format& one : formats)
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

}  // namespace ringscope
