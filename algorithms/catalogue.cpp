// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/catalogue.hpp"

namespace ringscope {

#define ALGORITHM(x) Algorithm describe_##x();
#include "algorithms/catalogue.def"
#undef ALGORITHM

std::span<const Algorithm> catalogue() {
  static const std::vector<Algorithm> algorithms = {
#define ALGORITHM(x) describe_##x(),
#include "algorithms/catalogue.def"
#undef ALGORITHM
  };
  return algorithms;
}

std::vector<std::string> algorithm_names(std::string_view collective,
                                         bool (*suits)(const Algorithm&)) {
  std::vector<std::string> names;
  for (const Algorithm& one : catalogue())
    if (one.collective == collective && (suits == nullptr || suits(one)))
      names.emplace_back(one.name);
  return names;
}

const Algorithm* find_algorithm(std::string_view collective, std::string_view name) {
  const auto all = catalogue();
  const auto found = std::ranges::find_if(all, [&](const Algorithm& algorithm) {
    return algorithm.collective == collective && algorithm.name == name;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace ringscope
