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
  static const auto all = [] {
    std::map<std::pair<std::string_view, std::string_view>, const Algorithm*> by_names;
    for (const Algorithm& one : catalogue()) by_names.try_emplace({one.collective, one.name}, &one);
    return by_names;
  }();
  const auto found = all.find({collective, name});
  return found == all.end() ? nullptr : found->second;
}

}  // namespace ringscope
