// SPDX-License-Identifier: LGPL-2.1-or-later
// Which shard of a study this process does, and the store that it fills.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/cases/launcher.hpp"
#include "cli/cases/study_options.hpp"

namespace ringscope {

/// Sets options.part by --shard, or by what a launcher says, and the {shard} in options.store.
/// Throws InputError or Failure for a shard that there is not, and for one without a store of its
/// own. `variable`: std::getenv, or a test's.
void settle_shard(StudyOptions& options, Variable variable);
void settle_shard(StudyOptions& options);

/// Refuses options that write or show the answer, each with its text: a shard has none yet.
void refuse_answers(const StudyOptions& options,
                    const std::vector<std::pair<std::string, std::string>>& answers,
                    const std::string& command);

}  // namespace ringscope
