// SPDX-License-Identifier: LGPL-2.1-or-later
// How the program was built, for reports of bugs.
#pragma once

#include <string>

namespace ringscope {

/// Lines with the compiler, the C++ standard, the build type, the sanitizers and the libraries'
/// versions. Nothing of the machine on which the program runs: no paths, names or environment.
std::string build_text();

}  // namespace ringscope
