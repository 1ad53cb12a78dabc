// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/json_items.hpp"

#include <fmt/format.h>

namespace ringscope {

void each_item(const std::shared_ptr<const Source>& source, const char* key,
               const std::function<void(const nlohmann::json&)>& read) {
  std::string where = "not valid JSON";
  try {
    const nlohmann::json all = nlohmann::json::parse(source->text);
    where = fmt::format("expected a list '{}'", key);
    std::size_t number = 0;
    for (const nlohmann::json& item : all.at(key)) {
      where = fmt::format("{}[{}] is not as its program writes it", key, number++);
      read(item);
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError({source, 0, 0}, fmt::format("{}: {}", where, error.what()));
  }
}

}  // namespace ringscope
