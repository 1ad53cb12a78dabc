// SPDX-License-Identifier: LGPL-2.1-or-later
// A fuzz target: one reader, given arbitrary bytes in one process, with coverage.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringscope::fuzzing {

/// Gives the text to the target's reader. Throws InputError where the reader rejects it; whatever
/// else happens is a finding.
void read(const std::string& text);

/// Line between the files of an input that holds several.
inline constexpr std::string_view separator = "\n====\n";

/// Files of this process, in a folder that it removes at its end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder& operator=(Folder&&) = delete;  ///< neither copied nor moved

  const std::string& path() const { return path_; }
  /// Writes the parts of `text` as files "{prefix}{rank}{suffix}", and removes those of the call
  /// before. Returns their number.
  int write_ranks(const std::string& text, const std::string& prefix, const std::string& suffix);
  void write(const std::string& name, std::string_view text) const;

 private:
  std::string path_;
  std::vector<std::string> written_;
};

/// Reads a trace, its path and the number of its ranks, as a scenario's `job.trace`.
void read_trace_at(const std::string& path, int ranks);

}  // namespace ringscope::fuzzing
