// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs that a page asks for: a scenario of ours or a text, one of its cases, and what differs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/question/scenario.hpp"

namespace ringscope::web {

/// A run as the page asks for it: {"scenario": "03-anomaly", "case": "4-3-1", "set": [["job.bytes",
/// "1 MiB"]], "label": "A"}; in place of the scenario's name "text", its YAML; without a case the
/// first one.
struct Asked {
  Value tree;         ///< before it is read, with all that is set
  Scenario scenario;  ///< of its first size
  Json words;         ///< those above the scenario, as paragraphs
};
/// Throws std::runtime_error where it is too much for a page.
Asked asked_of(const Json& run);

/// A run with all that the page draws.
struct Recorded {
  Asked asked;
  Report report;
  Json drawn;  ///< lesson::case_json(), and `tree`, `resolved`, `hosts`, `places`, `warnings`
};

/// Simulates, or takes from the last few that were asked for.
std::shared_ptr<const Recorded> recorded(const Json& run);

}  // namespace ringscope::web
