// SPDX-License-Identifier: LGPL-2.1-or-later
// Options of a job, with what its executor knows of the ranks on which it is placed.
#pragma once

#include "algorithms/steps/host_order.hpp"
#include "scenarios/question/scenario.hpp"

namespace ringscope {

class PlacedOptions {
 public:
  PlacedOptions(const Job& job, const Placement& placement)
      : hosts_(hosts_of(placement)), by_host_(ranks(), &hosts_), options_(job.options) {
    options_.given.hosts = &hosts_;
    options_.given.by_host = &by_host_;
  }
  PlacedOptions& operator=(PlacedOptions&&) = delete;  ///< neither copied nor moved

  int ranks() const { return static_cast<int>(hosts_.size()); }
  const Options& operator*() const { return options_; }

 private:
  static std::vector<int> hosts_of(const Placement& placement) {
    return each_of(placement.ranks, &Location::host);
  }

  const std::vector<int> hosts_;
  const HostGroups by_host_;
  Options options_;
};

}  // namespace ringscope
