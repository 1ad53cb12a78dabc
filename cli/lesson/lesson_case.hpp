// SPDX-License-Identifier: LGPL-2.1-or-later
// A case as the data of a lesson's page: what the run said, the machine, and what happened when.
//
// Times are ticks, whole numbers of which the run has `ticks`. plots/lesson/README.md has the keys.
#pragma once

#include <string>
#include <vector>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/question/scenario.hpp"

namespace ringscope::lesson {

inline constexpr int ticks = 1'000'000;
inline constexpr std::size_t most_spans = 12'000;  ///< of a run, each by itself; more are merged

/// Seconds of a run of `whole_s` as ticks, at most `ticks`.
int tick(double seconds, double whole_s);

/// Requires a report with spans and a recording.
Json case_json(const Scenario& scenario, const Report& report);

// Parts of a case.
Json machine_json(const Scenario& scenario, const Recording& recording);
Json loads_json(const Recording& recording, double whole_s, int ranks);
Json chunks_json(const Scenario& scenario, const Recording& recording, double whole_s);
Json spans_json(const Report& report);
Json steps_json(const Report& report);
/// "chunks", or "messages" where chunks are not known or too many, or "nothing": too many messages.
std::string_view followed(const Report& report);
/// Where messages are followed: start, end, sender, receiver and bytes of each that has any.
Json messages_json(const Report& report);
/// Critical path in its order. Segments without a rank have the ends of their message if known.
Json path_json(const Report& report);

/// RFC 4648.
std::string base64(std::string_view bytes);

// The document of a lesson's page: cases, and what is said of any two of them.

/// Document of reports and of their cases, as case_json() makes them; both in one order.
Json page_data(const std::vector<Report>& reports, std::vector<Json> cases,
               const std::string& question, Json words);

/// The words that stand above a scenario: its leading comment, as paragraphs.
Json words_above(const std::string& yaml);

}  // namespace ringscope::lesson
