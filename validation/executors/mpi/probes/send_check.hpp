// SPDX-License-Identifier: LGPL-2.1-or-later
// Do sends of a program wait for each other for ever on this MPI? A program whose ranks all send
// first goes on only as far as the library buffers messages: up to its real eager limit.
#pragma once

#include <mpi.h>

#include "scenarios/question/scenario.hpp"

namespace ringscope::mpi {

/// Throws std::runtime_error on rank 0 for the first program that would hang: the eager limits, and
/// what each rank would wait for. Measures the limits, some seconds, if a program needs its sends
/// buffered. `hosts`: one per rank. Collective.
void check_sends(MPI_Comm job, const std::vector<std::string>& hosts,
                 const std::vector<Scenario>& cases);

/// Limit of one operation of a rank, beyond which it counts as hung: 100 times what the scenario
/// takes if each message waits for the one before, at 10 us a message and 1 GB/s; at least 10 s.
Seconds longest_operation(const Scenario& scenario);

}  // namespace ringscope::mpi
