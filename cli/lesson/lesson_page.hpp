// SPDX-License-Identifier: LGPL-2.1-or-later
// The page of a lesson: one HTML file that needs nothing else.
#pragma once

#include <string>

#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope::lesson {

/// `data` in the template, style and scripts of plots/lesson. Throws Failure when they are missing.
/// `yaml`: the text of its scenario; "" of several.
std::string page(const Json& data, const std::string& yaml);

}  // namespace ringscope::lesson
