// SPDX-License-Identifier: LGPL-2.1-or-later
// Any collective as MPI-3's non-blocking ones: posted, then a computation, then waited for.
#pragma once

#include "algorithms/verbs/communicator.hpp"

namespace ringscope {

/// `collective` is the program of `comm.beside(Beside::nonblocking)`.
Task overlapped(Communicator comm, Task collective, Duration compute);

}  // namespace ringscope
