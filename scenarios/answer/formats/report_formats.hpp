// SPDX-License-Identifier: LGPL-2.1-or-later
// Reports as files: JSON (schema.md says which keys), CSV, the timeline, and the trace.
//
// Every number is written so that it reads back to the same double. The same reports give the same
// bytes, but for `wall_s` and `peak_rss_bytes`.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/answer/report.hpp"

namespace ringscope {

using Json = nlohmann::ordered_json;

/// The version of the program, as `--version` prints it.
std::string_view version();

/// A document for people and programs: indented; bytes that are no UTF-8 are replaced.
std::string json_text(const Json&);

/// The tree as JSON; whole numbers that print back unchanged are numbers, all else strings.
Json to_json(const Value&);
/// One case, without its spans.
Json to_json(const Report&);
/// Its part about training.
Json to_json(const TrainingReport&);
/// The document of `run --json`: schema, version, the cases, and those that are stuck.
Json document(std::span<const Report>);

/// Adds `stuck`, the names of the cases that are and why, to a document that tells of the others
/// something else than their reports; nothing where none is.
void add_stuck(std::span<const Report>, Json& document);

/// differences() as a list.
Json differences_json(const Report& first, const Report& other);

/// The document of `compare --json`: that of `run`, and how each case that has ended differs from
/// the first such.
Json comparison(std::span<const Report>);

Json spans_to_json(std::span<const Span>);
Json chain_to_json(const PathChain* chain);  ///< null for none
std::shared_ptr<const PathChain> chain_from_json(const Json&);
/// Inverse of to_json(Report) and spans_to_json. Throws a std::exception for anything else.
Report report_from_json(const Json&);
std::vector<Span> spans_from_json(const Json&);

/// Text as a cell of CSV: quoted if it holds a comma, a quote or a line break (RFC 4180).
std::string csv_cell(std::string_view text);
/// One row per case that has ended.
std::string to_csv(std::span<const Report>);
/// The same rows, and how many times as long each case took as the first of them.
std::string comparison_csv(std::span<const Report>);
/// One row per span of each case.
std::string to_timeline_csv(std::span<const Report>);
/// Chrome's trace format, which Perfetto reads: one process per case, one track per rank. Of
/// reports with a chain also one for the critical path, which goes as arrows from rank to rank; and
/// an arrow for each message, from its send to its receive.
std::string to_trace(std::span<const Report>);
/// Paje's format, which ViTE reads: the same, and messages as links.
std::string to_paje(std::span<const Report>);

}  // namespace ringscope
