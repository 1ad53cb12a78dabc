// SPDX-License-Identifier: LGPL-2.1-or-later
// One communicator and one collective of NCCL's, named in a few words, as a scenario.
#pragma once

#include <string>

#include "scenarios/question/scenario.hpp"

namespace ringscope {

/// Communicator and collective as a user names them. Errors name the places of these values.
struct NcclQuestion {
  Value cluster;  ///< as in a scenario
  Value collective;
  Value ranks;      ///< null: those of the placement, or as many as there are GPUs
  Value library;    ///< null: that of the cluster's file, or of its GPUs
  Value placement;  ///< counts or a map as in a scenario; null: GPUs of host after host
};

/// A word as such a value: YAML that begins with '{' or '[', or a name; null for "".
Value named_value(const std::string& where, const std::string& word);

/// Scenario of one call, of any size. Throws InputError.
Scenario nccl_scenario(const NcclQuestion& question);

}  // namespace ringscope
