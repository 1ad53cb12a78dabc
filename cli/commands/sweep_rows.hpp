// SPDX-License-Identifier: LGPL-2.1-or-later
// The rows of a sweep as a table, as CSV and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/cases/study_options.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/study/study.hpp"
#include "sim/studies/search/place.hpp"

namespace ringscope {

/// Indices of the outcomes, the best one of `metric` first; equal ones in their order, those
/// without it last.
std::vector<std::size_t> best_first(std::span<const Outcome> outcomes, const std::string& metric);

/// One line for each of `rows`: what was varied, the metrics, and what holds it up.
std::string sweep_table(const Study& study, std::span<const Outcome> outcomes,
                        std::span<const std::size_t> rows);

/// A line that names the first of `best` (best_first); "" if all are as good.
std::string best_text(const Study& study, std::span<const Outcome> outcomes,
                      std::span<const std::size_t> best);

/// A line for each key of which every value gives the same metrics, whatever the others are.
std::string vain_keys_text(const Study& study, std::span<const Outcome> outcomes);

/// One line per outcome, in the order of the study.
std::string sweep_csv(const Study& study, std::span<const Outcome> outcomes);

/// The document of `sweep --json` (schema.md).
Json sweep_json(const Study& study, std::span<const Outcome> outcomes,
                std::span<const std::size_t> best, const Verification& verification);

// Output of `place`: a screen, CSV and JSON.

/// The number of placements, the best `top`, the worst and the user's, and what holds them up.
std::string place_screen(const PlaceStudy& study, const PlaceAnswer& answer, std::size_t top);

/// Shortens a placement's words, which may be one per rank, to as many as fit into a sentence;
/// those that are cut are told apart by `which` it is.
std::string short_name(const std::string& words, const std::string& which);

/// A line for each warning of what is asked.
std::string warnings_of_search(const PlaceStudy& study);

/// One line per placement, the best first.
std::string place_csv(const PlaceAnswer& answer);

/// The document of `place --json` (schema.md). Verified are the best, the worst, the user's.
Json place_json(const PlaceStudy& study, const PlaceAnswer& answer,
                const Verification& verification);

}  // namespace ringscope
