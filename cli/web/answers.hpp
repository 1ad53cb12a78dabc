// SPDX-License-Identifier: LGPL-2.1-or-later
// The simulator as a page or a script asks it: JSON in, JSON out, in one process.
#pragma once

#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope::web {

/// Answer to {"ask": ...}, as JSON text; `error`, in words for people, where there is none.
///
/// - "play", of `runs`: the document of a lesson's page (plots/lesson/README.md) without the words
///   above it, with more about each case
/// - "quick", of `runs`: the same without pictures; of each case `time_s` and `busbw` alone
/// - "csv", of `runs`: the rows of `run --csv`
/// - "gains", of a `run`: what it gains from twice as much of each of the `top` things, or of the
///   `nth` of them alone
/// - "lists": what there is to choose from
/// - "screen" and "report", of `scenarios` by name and `set`: what `compare` prints, and what
///   `run --json` writes
std::string answer(const Json& request);

}  // namespace ringscope::web
