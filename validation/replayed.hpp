// Shared by replays on any executor: items, the refusals, the entry in the document.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/question/scenario.hpp"

namespace ringscope {

inline constexpr std::size_t item_bytes = sizeof(float);

/// A vector that is not what the loopback executor says: names rank, item and what stood there.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `writer`: the verb that wrote the item last, or "".
[[noreturn]] void refuse_result(const std::string& scenario, int rank, std::size_t item, float got,
                                float expected, const std::string& writer);

/// The same options in floats: a scenario counts bytes.
Options in_items(Options options);

/// Throws InputError for a vector that is no whole number of floats, and for several jobs.
void check_one_job_of_floats(const Scenario& scenario);

/// Entry of a measured case: `measurement_json` and a replay's own keys. The placement is where the
/// ranks were, whatever the scenario asked for; `call` is "" or a library's own collective.
nlohmann::ordered_json replay_entry(const Scenario& scenario, const std::vector<double>& samples_s,
                                    std::string_view stopped_by,
                                    const std::vector<std::string>& hosts, const std::string& call);

}  // namespace ringscope
