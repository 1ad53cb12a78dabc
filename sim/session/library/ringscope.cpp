// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/session/library/ringscope.hpp"

#include <stdexcept>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/report_text.hpp"
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

}  // namespace ringscope
