// SPDX-License-Identifier: LGPL-2.1-or-later
// A library to be preloaded under tests that start more ranks than there are cores: ranks that wait
// leave their core to others. MPICH 4.0 over UCX cannot be told to; Open MPI can, but goes on
// asking (mpi_yield_when_idle).
#include <dlfcn.h>
#include <sched.h>

#include <chrono>
#include <thread>

namespace {

constexpr int patience = 100;  ///< polls in vain before a rank sleeps

void rest_unless(bool progressed) {
  thread_local int in_vain = 0;
  in_vain = progressed ? 0 : in_vain + 1;
  if (in_vain > patience)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  else if (!progressed)
    sched_yield();
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

/// UCX, on which MPICH stands.
extern "C" unsigned ucp_worker_progress(void* worker) {
  static const auto real = next<unsigned(void*)>("ucp_worker_progress");
  const unsigned count = real(worker);
  rest_unless(count > 0);
  return count;
}

/// Open MPI.
extern "C" int opal_progress() {
  static const auto real = next<int()>("opal_progress");
  const int count = real();
  rest_unless(count > 0);
  return count;
}
