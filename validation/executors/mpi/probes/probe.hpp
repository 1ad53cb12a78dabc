// SPDX-License-Identifier: LGPL-2.1-or-later
// The micro-benchmarks: one file and one line of probes.def each. They include this header, which
// brings the bench, the calls and the clock.
#pragma once

#include "validation/executors/mpi/probes/bench.hpp"

namespace ringscope::mpi {

/// Points that one team measures one after the other, sizes ascending. The others sleep.
struct Series {
  std::string name;  ///< for people: "stream, network, 2 pairs"
  Team team;
  std::function<void(Bench&)> run;  ///< called by the team's ranks only
  double weight = 1;                ///< its share of the budget, against the others'
};

/// A series "NAME, WAY" of `body(bench, pair)` for each way between two ranks, or for one way.
template <typename Body>
std::vector<Series> for_each_pair(Layout& layout, const std::string& name, Body body,
                                  double weight = 1, std::string_view way = "") {
  std::vector<Series> plan;
  for (const Team& pair : layout.pairs())
    if (pair.size == 2 && (way.empty() || pair.way == way))
      plan.push_back({name + ", " + pair.way, pair,
                      [pair, body](Bench& bench) { body(bench, pair); }, weight});
  return plan;
}

/// Likewise two of `body(bench, pair, part)`, "NAME, WAY, sender" and "NAME, WAY, receiver".
template <typename Body>
std::vector<Series> for_each_side(Layout& layout, const std::string& name, Body body) {
  std::vector<Series> plan;
  for (const Team& pair : layout.pairs())
    if (pair.size == 2)
      for (const int part : {0, 1})
        plan.push_back({name + ", " + pair.way + (part == 0 ? ", sender" : ", receiver"), pair,
                        [pair, body, part](Bench& bench) { body(bench, pair, part); }});
  return plan;
}

struct Probe {
  std::string_view name;     ///< name of its measurements
  std::string_view summary;  ///< meaning of the time
  std::vector<Series> (*plan)(Layout&);
};

#define PROBE(name, summary) std::vector<Series> plan_##name(Layout&);
#include "validation/executors/mpi/probes/probes.def"
#undef PROBE

/// All, in the order of probes.def.
#define PROBE(name, summary) {#name, summary, plan_##name},
inline constexpr Probe probes[] = {
#include "validation/executors/mpi/probes/probes.def"
};
#undef PROBE

/// Only under MPI_THREAD_MULTIPLE.
inline constexpr std::string_view threads_probe = "threads";

/// The longest message that a send does not hold back until its receiver comes; found once per way
/// by a late receiver. Not there when every message is sent at once. Collective over the pair.
std::optional<std::uint64_t> eager_limit(Bench& bench, const Team& pair);

}  // namespace ringscope::mpi
