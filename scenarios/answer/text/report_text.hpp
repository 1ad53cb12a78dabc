// SPDX-License-Identifier: LGPL-2.1-or-later
// Reports as screens of at most 100 columns: what happened, and why.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/report.hpp"

namespace ringscope {

/// Screen of `run`, per case: time and bandwidths, where each rank's time went, what it waited for,
/// the phases, the busiest resources, and the critical path.
std::string print_run(std::span<const Report> reports);

/// One table of all cases, then for each case against the first: what the critical paths of the two
/// were spent on. The differences add up to the difference of the times, in the digits shown too.
/// Deadlocked cases are marked and excluded; "" if all are.
std::string print_compare(std::span<const Report> reports);

/// Names of the cases without the scenario's name, if all begin with it: "03-anomaly 4-3-1" and
/// "03-anomaly 4-2-2" become 4-3-1 and 4-2-2. Words of a case's own name stay.
std::vector<std::string> short_names(std::span<const Report> reports);
/// Two names short enough to stand beside what the rows of a table say. They differ, unless the
/// names are equal or differ first behind 16 bytes of one word.
std::array<std::string, 2> short_headings(std::string first, std::string other);

/// Seconds on the critical paths of two cases for one cause.
struct Difference {
  /// "CPU copy on host2/core0 (rank 7)": where the case that it cost more spent most of it.
  std::string spent_on;
  ResourceId resource;  ///< that place; empty where there is none
  double first_s = 0, other_s = 0;
  std::string_view cause{};  ///< its name; "": outside the critical path
  double seconds() const { return other_s - first_s; }
};

/// Cause by cause, the largest difference first. What a path does not account for stands as
/// "outside the critical path", so that the seconds of all add up to the difference of the times.
std::vector<Difference> differences(const Report& first, const Report& other);

/// A segment of the critical path: "CPU copy", " on", and "host2/core0 (rank 7)" or "".
std::array<std::string, 3> segment_words(const PathSegment& segment);
/// The same in one text: "CPU copy on host2/core0 (rank 7)", or, where it stands
/// for a sum of which it is the largest part, "CPU copy, most of it on ...".
std::string segment_text(const PathSegment& segment, bool most = false);

/// "90 % of such machines": what a range of likely times holds.
std::string spread_words();
/// "20.8 us to 43.2 us".
std::string range_text(const TimeRange& range);

/// Words for a run that is stuck: "deadlocks after 17 us: ranks 0, 1 wait for each other".
std::string stuck_words(const Report& report);

// A step of a training job as a screen: its parts, where the devices' time goes, their memory.

/// A part of a training step, as a column of a table.
struct StepPart {
  const char* header;
  bool exposed;  ///< communication
  double (*of)(const TrainingReport&);
};

/// The parts that are worth a column in any of the jobs. All of them add up to `step_s`.
std::vector<StepPart> step_parts(std::span<const TrainingReport* const> jobs);

/// "step = busy + exposed communication (tp, dp) + bubble", and a newline.
std::string sum_of_parts(const std::vector<StepPart>& parts);

/// Time of a whole training: "46.3 s", "69.4 min", "20.1 h", "5.2 days".
std::string duration_text(double seconds);

/// Advice where the critical path waits for Horovod's next cycle, or nothing.
std::string cycle_text(const Report& report);

/// `ranks`: the devices, for the least and the most of each group.
std::string training_text(const TrainingReport& report, std::span<const RankReport> ranks);

}  // namespace ringscope
