// SPDX-License-Identifier: LGPL-2.1-or-later
// Algorithms that MPI libraries choose for their collectives, where the user says none.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringscope::recorded {

enum class Library : std::uint8_t { open_mpi_4_0, open_mpi, mpich };

/// By the words of the library itself, "Open MPI v4.1.4"; one that is not known is taken for Open
/// MPI.
Library library_of(std::string_view words);

/// Name of an algorithm of the catalogue. `bytes`: of the whole vector.
std::string_view choice_of(Library library, std::string_view collective, int ranks,
                           std::uint64_t bytes);

}  // namespace ringscope::recorded
