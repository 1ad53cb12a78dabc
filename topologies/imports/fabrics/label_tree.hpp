// SPDX-License-Identifier: LGPL-2.1-or-later
// Hosts by labels for what holds each of them, such as a zone, a block or an NVLink domain.
#pragma once

#include <string>
#include <vector>

#include "topologies/imports/fabrics/fabric.hpp"

namespace ringscope {

struct LabelledHost {
  std::string name;
  Place place{};
  std::vector<std::string> values{};  ///< of each label; "": it has none
  int cpus = 0, gpus = 0;             ///< 0: not known
};

/// A switch for each value of a label, where that tells some of the hosts below one switch apart
/// and keeps others together. Labels are outside those that come after, and those that refine them;
/// one switch is above all. Throws InputError for a name that no host may have, or two hosts have.
Fabric fabric_of_labels(const std::vector<std::string>& labels,
                        const std::vector<LabelledHost>& hosts);

}  // namespace ringscope
