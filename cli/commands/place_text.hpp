// SPDX-License-Identifier: LGPL-2.1-or-later
// Output of `place`: a screen, CSV and JSON.
#pragma once

#include <string>

#include "cli/cases/study_options.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "sim/studies/search/place.hpp"

namespace ringscope {

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
