// SPDX-License-Identifier: LGPL-2.1-or-later
// An algorithm that is another one of its collective, chosen by the number of ranks, the vector's
// size and where the ranks sit, as a library chooses.
#pragma once

#include <algorithm>
#include <cassert>

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// A rule's result: the name of an algorithm of the same collective, and its segment.
struct Choice {
  std::string_view name;
  std::size_t segment_bytes = 0;   ///< 0: as the options say
  std::string_view protocol = {};  ///< of a kernel's channels; none: as the options say
  int channels = 0;                ///< 0: as the options say
  std::string_view between = {};   ///< of two levels: the algorithm between leaders, or none
};

struct Selection {
  std::string_view collective, name, summary;
  Choice (*choose)(int ranks, std::size_t items, const Options&);
  int nonblocking = 0;  ///< non-blocking collectives of each rank at once, of any that it chooses
  Varies varies = Varies::nothing;  ///< of any that it chooses
};

constexpr std::uint64_t bytes_of(std::size_t items, const Options& options) {
  return std::uint64_t{items} * options.given.item_bytes;
}

/// Count of numbers that the program has in its vector: what libraries compare with the ranks.
constexpr std::uint64_t numbers_of(std::size_t items, const Options& options) {
  return bytes_of(items, options) / options.number_bytes;
}

/// The algorithm that `selection` stands for; its segment, in items, goes into the options.
template <const Selection& selection>
const Algorithm& chosen_algorithm(int ranks, std::size_t items, Options& options) {
  const Choice choice = selection.choose(ranks, items, options);
  if (choice.segment_bytes > 0)
    options.segment = std::max<std::size_t>(1, choice.segment_bytes / options.given.item_bytes);
  if (!choice.protocol.empty()) options.protocol = choice.protocol;
  if (choice.channels > 0) options.channels = choice.channels;
  if (!choice.between.empty()) options.between = choice.between;
  const Algorithm* algorithm = find_algorithm(selection.collective, choice.name);
  assert(algorithm != nullptr && "a selector chooses from the catalogue");
  return *algorithm;
}

template <const Selection& selection>
Algorithm selector(std::vector<std::string_view> options) {
  return {
      .collective = selection.collective,
      .name = selection.name,
      .summary = selection.summary,
      .options = std::move(options),
      .nonblocking = selection.nonblocking,
      .run =
          [](Communicator comm, Workspace work, Options chosen) {
            return chosen_algorithm<selection>(comm.size(), work.data.size, chosen)
                .run(comm, work, chosen);
          },
      .cost =
          [](int ranks, std::size_t items, Options chosen) {
            return chosen_algorithm<selection>(ranks, items, chosen).cost(ranks, items, chosen);
          },
      .scratch_items =
          [](int ranks, std::size_t items, Options chosen) {
            return chosen_algorithm<selection>(ranks, items, chosen)
                .scratch_items(ranks, items, chosen);
          },
      .chosen =
          [](int ranks, std::size_t items, Options chosen) {
            return chosen_algorithm<selection>(ranks, items, chosen).name;
          },
      .varies = selection.varies,
      .alike =
          [](int ranks, std::size_t items, const Options& given) {
            Options chosen = given;
            const Algorithm& algorithm = chosen_algorithm<selection>(ranks, items, chosen);
            return algorithm.alike != nullptr && algorithm.alike(ranks, items, chosen);
          },
  };
}

}  // namespace ringscope
