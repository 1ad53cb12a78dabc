// SPDX-License-Identifier: LGPL-2.1-or-later
// Keys by which results are found again.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "scenarios/question/scenario.hpp"

namespace ringscope {

using Key = std::array<unsigned char, 32>;

/// SHA-256 of all that decides what a simulation says: the resolved scenario without its words
/// (names, questions), where every rank is, the kernel, and the version of the program with its
/// model's source. Two ways to write one scenario have one key.
Key scenario_key(const Scenario& scenario, std::string_view kernel);

/// Version of the program and of its model's source: results of another one are other results.
std::string model_version();

Key sha256(std::string_view bytes);

std::string to_hex(const Key& key);

}  // namespace ringscope
