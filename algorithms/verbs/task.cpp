// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/verbs/task.hpp"

namespace ringscope {

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__EMSCRIPTEN__)
const bool Task::tail_calls_ = true;
#else
const bool Task::tail_calls_ = false;
#endif

}  // namespace ringscope
