// SPDX-License-Identifier: LGPL-2.1-or-later
// Doing something first where it can do no harm.
#pragma once

#include <functional>

namespace ringscope {

/// Runs the action in a child process, without its output, for at most 20 seconds: whether it
/// returned. Throws std::system_error where no child can be had.
bool survives(const std::function<void()>& action);

}  // namespace ringscope
