// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by replays on any executor: items, the refusals, the entry in the document.
#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/question/scenario.hpp"
#include "validation/executors/whereabouts.hpp"

namespace ringscope {

// The data that replays run on, and whether a result is right.

/// Item `index` of rank `rank` at the start: small whole numbers, so that sums are exact in float
/// whatever their order, different per rank and per index.
inline float initial_item(int rank, std::size_t index) {
  return static_cast<float>((static_cast<std::size_t>(rank) * 31 + index * 7) % 17);
}

/// The index of the first item that differs, or where one of the two ends; -1 when they are equal.
std::ptrdiff_t first_difference(std::span<const float> got, std::span<const float> expected);

inline constexpr std::size_t item_bytes = sizeof(float);

/// A vector that is not what the loopback executor says: names rank, item and what stood there.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `writer`: the verb that wrote the item last, or "".
[[noreturn]] void refuse_result(const std::string& scenario, int rank, std::size_t item, float got,
                                float expected, const std::string& writer);

/// Throws it for the first item that is not the expected one. `writer` says which verb wrote an
/// item.
void check_result(const std::string& scenario, int rank, std::span<const float> got,
                  std::span<const float> expected,
                  const std::function<std::string(std::size_t item)>& writer);

/// A measured case.
struct CaseSamples {
  std::vector<double> samples_s;  ///< of each repetition (validation/measurement.md)
  std::string_view stopped_by;
  nlohmann::ordered_json ranks;  ///< one entry per rank, as in the document
};

/// Time of a rank, summed over the samples that are kept.
struct Spent {
  Array<double, verbs> verbs_s{};
  PhaseTimes phases;

  void add(const Array<double, verbs>& seconds, const PhaseTimes& times);
  // Means over so many samples, for the document:
  nlohmann::ordered_json seconds_json(std::size_t samples) const;  ///< {"send": ...} by verb
  nlohmann::ordered_json phases_json(std::size_t samples) const;
};

/// The same options in floats: a scenario counts bytes.
Options in_items(Options options);

/// Throws InputError for a vector that is no whole number of floats, and for several jobs.
void check_one_job_of_floats(const Scenario& scenario);

/// Entry of a measured case: `measurement_json` and a replay's own keys. The placement is where the
/// ranks were, whatever the scenario asked for; `call` is "" or a library's own collective.
nlohmann::ordered_json replay_entry(const Scenario& scenario, const CaseSamples& samples,
                                    const std::vector<std::string>& hosts, const std::string& call);

}  // namespace ringscope
