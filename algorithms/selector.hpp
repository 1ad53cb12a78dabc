// An algorithm that is another one, chosen by the number of ranks and the vector's size, as an MPI
// library chooses.
#pragma once

#include <cassert>

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// What a library's rules take: an algorithm's name in the same collective, and its segment.
struct Choice {
  std::string_view name;
  std::size_t segment_bytes = 0;  ///< 0: the algorithm has none
};

/// One row of a library's table: vectors of fewer than `below` bytes get `name`.
struct SizeRule {
  std::uint64_t below = UINT64_MAX;
  std::string_view name;
};

using Choose = Choice (*)(int ranks, std::size_t items, std::uint64_t bytes);

/// The algorithm that `choose` stands for, with its segment in items.
template <Choose choose>
const Algorithm& chosen_allreduce(int ranks, std::size_t items, Options& options) {
  const Choice choice = choose(ranks, items, std::uint64_t{items} * options.item_bytes);
  if (choice.segment_bytes > 0) options.segment = choice.segment_bytes / options.item_bytes;
  const Algorithm* algorithm = find_algorithm("allreduce", choice.name);
  assert(algorithm != nullptr && "a selector chooses from the catalogue");
  return *algorithm;
}

template <Choose choose>
Algorithm allreduce_selector(std::string_view name, std::string_view summary) {
  return {
      .collective = "allreduce",
      .name = name,
      .summary = summary,
      .options = {},
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return chosen_allreduce<choose>(comm.size(), work.data.size, options)
                .run(comm, work, options);
          },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return chosen_allreduce<choose>(ranks, items, options).cost(ranks, items, options);
          },
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return chosen_allreduce<choose>(ranks, items, options)
                .scratch_items(ranks, items, options);
          },
      .chosen =
          [](int ranks, std::size_t items, Options options) {
            return chosen_allreduce<choose>(ranks, items, options).name;
          },
  };
}

}  // namespace ringscope
