// SPDX-License-Identifier: LGPL-2.1-or-later
// The document of a lesson's page: cases, and what is said of any two of them.
#pragma once

#include <string>
#include <vector>

#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope::lesson {

/// Document of reports and of their cases, as case_json() makes them; both in one order.
Json page_data(const std::vector<Report>& reports, std::vector<Json> cases,
               const std::string& question, Json words);

/// The words that stand above a scenario: its leading comment, as paragraphs.
Json words_above(const std::string& yaml);

}  // namespace ringscope::lesson
