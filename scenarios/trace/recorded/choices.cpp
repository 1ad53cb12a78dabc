// SPDX-License-Identifier: LGPL-2.1-or-later
// Sources: Open MPI 4.0, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c (its allreduce and
// broadcast are selectors of the catalogue, also that of 4.1); MPICH 4.0, src/mpi/coll, the files
// *_intra_auto.c and their thresholds in src/mpi/coll/cvars.txt. Where a library has an algorithm
// that the catalogue has not, its nearest kin stands for it.
#include "scenarios/trace/recorded/choices.hpp"

#include <bit>

namespace ringscope::recorded {
namespace {

bool is_power_of_two(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

std::string_view open_mpi_choice(std::string_view collective, int ranks, std::uint64_t bytes) {
  const std::uint64_t part = bytes / static_cast<std::uint64_t>(ranks);
  if (collective == "allgather") {
    if (bytes >= 50000) return "ring";
    return is_power_of_two(ranks) ? "recursive_doubling" : "bruck";
  }
  if (collective == "alltoall") {
    if (part < 200 && ranks > 12) return "bruck";
    return part < 3000 ? "posted" : "pairwise";
  }
  if (collective == "reduce_scatter")
    return bytes <= 12 * 1024 || (bytes <= 256 * 1024 && is_power_of_two(ranks))
               ? "recursive_halving"
               : "ring";
  return "";
}

std::string_view mpich_choice(std::string_view collective, int ranks, std::uint64_t bytes) {
  const std::uint64_t part = bytes / static_cast<std::uint64_t>(ranks);
  if (collective == "allreduce") return bytes <= 2048 ? "recursive_doubling" : "rabenseifner";
  if (collective == "broadcast")
    return bytes < 12288 || ranks < 8 ? "binomial" : "scatter_allgather";
  if (collective == "allgather") {
    if (is_power_of_two(ranks) && bytes < 524288) return "recursive_doubling";
    return bytes < 81920 ? "bruck" : "ring";
  }
  if (collective == "alltoall") {
    if (part <= 256 && ranks >= 8) return "bruck";
    return part <= 32768 ? "posted" : "pairwise";
  }
  if (collective == "reduce_scatter") return bytes < 524288 ? "recursive_halving" : "ring";
  return "";
}

}  // namespace

Library library_of(std::string_view words) {
  if (words.starts_with("MPICH")) return Library::mpich;
  return words.starts_with("Open MPI v4.0") ? Library::open_mpi_4_0 : Library::open_mpi;
}

std::string_view choice_of(Library library, std::string_view collective, int ranks,
                           std::uint64_t bytes) {
  if (collective == "barrier") return "dissemination";
  if (collective == "reduce" || collective == "gather" || collective == "scatter")
    return "binomial";
  if (library == Library::mpich) return mpich_choice(collective, ranks, bytes);
  if (collective == "broadcast") return "open_mpi_tuned";
  if (collective == "allreduce")
    return library == Library::open_mpi_4_0 ? "open_mpi_tuned_4_0" : "open_mpi_tuned";
  return open_mpi_choice(collective, ranks, bytes);
}

}  // namespace ringscope::recorded
