// SPDX-License-Identifier: LGPL-2.1-or-later
// The files that start the best placement.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/words.hpp"
#include "topologies/placement/launch/launch_formats.hpp"
#include "topologies/placement/search/symmetry.hpp"

namespace ringscope {

struct LaunchFiles {
  /// Names of the files to write, in the order of launch_formats(); "": none.
  std::vector<std::string> names = std::vector<std::string>(launch_formats().size());
  std::string format, output;  ///< `--format` and `-o`: one more of them

  void add_options(Command& command);
  /// Enters `output` in `names`. Throws InputError for an unknown format.
  void settle();

  bool empty() const;
  /// Each with its flag.
  std::vector<std::pair<std::string, std::string>> flags() const;
  /// Throws Failure where ranks in such slots are not started by these alone.
  void require_for(SlotKind slot_kind) const;
  void write(LaunchTask launch) const;
  /// Throws Failure for the file that cannot say this placement: when all else is written.
  void require_written(LaunchTask launch) const;
  /// The commands that start the ranks by these files, one a line.
  std::string lines(LaunchTask launch) const;

 private:
  std::string gpu_file() const;
};

}  // namespace ringscope
