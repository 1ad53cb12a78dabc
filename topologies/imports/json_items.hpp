// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists that programs print as JSON.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "topologies/input/input.hpp"

namespace ringscope {

using Json = nlohmann::json;

/// Gives `read` each item of the list under `key`. An item that is none of what it is read as is an
/// error that names its number.
void each_item(const std::shared_ptr<const Source>& source, const char* key,
               const std::function<void(const Json&)>& read);

}  // namespace ringscope
