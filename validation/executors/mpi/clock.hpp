// SPDX-License-Identifier: LGPL-2.1-or-later
// Time, on the wall and on the CPU, and two ways to let it pass without calling MPI.
#pragma once

namespace ringscope::mpi {

double now_s();          ///< since some moment in the past
double process_cpu_s();  ///< used by all threads of this process, in user and kernel mode

void spin(double seconds);  ///< as a computation does: the core is busy
void doze(double seconds);  ///< the core is free for others

}  // namespace ringscope::mpi
