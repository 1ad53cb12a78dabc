// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/verbs/overlapped.hpp"

namespace ringscope {

Task overlapped(Communicator comm, Task collective, Duration compute) {
  const Thread posted = comm.start(std::move(collective), Beside::nonblocking);
  co_await comm.compute(compute);
  co_await comm.join(posted);
}

}  // namespace ringscope
