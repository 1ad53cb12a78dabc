// SPDX-License-Identifier: LGPL-2.1-or-later
// JSON as Python's own objects, and back.
#pragma once

#include <pybind11/pybind11.h>

#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope {

/// Dicts, lists, numbers, strings, None: what `json.loads` makes of the text, without the text.
pybind11::object object_of(const Json& json);

}  // namespace ringscope
