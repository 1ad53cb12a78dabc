// SPDX-License-Identifier: LGPL-2.1-or-later
// The MPI library's own functions, behind those of the recorder that have their names.
//
// Fortran's calls come by ways of their own. Open MPI's Fortran libraries call PMPI_Send, by its
// name for profilers, where a C program calls MPI_Send; so does MPICH's mpi_f08 for calls without
// buffers (PMPI_Waitall), and MPICH's others call MPI_Send. All have turned handles, statuses and
// special addresses (MPI_IN_PLACE, MPI_BOTTOM) into C's by then. So the recorder stands in the
// place of both names, and finds the library's own function behind itself.
#pragma once

#include <mpi.h>

namespace ringscope::record {

/// The next function of this name behind the recorder's own. Ends the program where there is none.
void* behind_recorder(const char* name);

}  // namespace ringscope::record

/// The library's function MPI_`function`, found once.
#define LIBRARY(function)                                                    \
  ([] {                                                                      \
    static const auto behind = reinterpret_cast<decltype(&PMPI_##function)>( \
        ringscope::record::behind_recorder("PMPI_" #function));              \
    return behind;                                                           \
  }())

/// Behind the definition of MPI_`function`: it is PMPI_`function`, too.
#define ALSO_AS_PMPI(function)                       \
  extern "C" __attribute__((alias("MPI_" #function), \
                            visibility("default"))) decltype(PMPI_##function) PMPI_##function;
