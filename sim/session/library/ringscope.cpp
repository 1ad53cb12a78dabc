// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/session/library/ringscope.hpp"

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "sim/estimate/nccl_times.hpp"
#include "sim/session/session.hpp"

namespace ringscope {
namespace {

/// Errors of input leave as a type of the standard's: our own types are no part of the interface.
std::vector<Report> reports_of(const std::string& text, const std::vector<std::string>& changes,
                               const std::string& name) {
  try {
    Question question{name, text, {}};
    for (const std::string& change : changes) question.set.push_back(parse_override(change));
    return answer({.run = {.keep_deadlock = true}}, question);
  } catch (const InputError& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace

std::string run(const std::string& scenario, const std::vector<std::string>& changes,
                const std::string& name) {
  return document(reports_of(scenario, changes, name)).dump(2) + '\n';
}

std::string compare(const std::string& scenario, const std::vector<std::string>& changes,
                    const std::string& name) {
  return print_compare(reports_of(scenario, changes, name));
}

NcclEstimator::NcclEstimator(const std::string& cluster, const std::string& collective, int ranks,
                             const std::string& library, const std::string& placement,
                             std::uint64_t least, std::uint64_t most, double bound) {
  if (least == 0 || least >= most || !(0 < bound && bound < 1))
    throw std::invalid_argument("expected 0 < least < most and 0 < bound < 1");
  try {
    const auto times = std::make_shared<NcclTimes>(
        nccl_scenario({.cluster = named_value("cluster", cluster),
                       .collective = named_value("collective", collective),
                       .ranks = named_value("ranks", std::to_string(ranks)),
                       .library = named_value("library", library),
                       .placement = named_value("placement", placement)}));
    times->build_table({least, most, bound});
    times_ = times;
  } catch (const InputError& error) {
    throw std::invalid_argument(error.what());
  }
}

NcclEstimate NcclEstimator::operator()(std::uint64_t bytes) const {
  const EstimatedCall found = times_->at(bytes);
  NcclEstimate told{
      found.time_s,  {}, {}, std::string(found.algorithm), std::string(found.protocol),
      found.channels};
  if (found.likely) {
    told.low_s = found.likely->low_s;
    told.high_s = found.likely->high_s;
  }
  return told;
}

}  // namespace ringscope
