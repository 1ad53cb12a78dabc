// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/json_items.hpp"

#include <fmt/format.h>

namespace ringscope {
namespace {

/// The library's words without the name of its exception.
std::string_view reason_of(const Json::exception& error) {
  const std::string_view words = error.what();
  const std::size_t named = words.find("] ");
  return named == words.npos ? words : words.substr(named + 2);
}

}  // namespace

void each_item(const std::shared_ptr<const Source>& source, const char* key,
               const std::function<void(const Json&)>& read) {
  std::string where;
  try {
    const Json all = Json::parse(source->text);
    where = fmt::format("expected a list '{}'", key);
    std::size_t number = 0;
    for (const Json& item : all.at(key)) {
      where = fmt::format("{}[{}] is not as its program writes it", key, number++);
      read(item);
    }
  } catch (const Json::parse_error& error) {
    throw InputError({source, 0, 0}, "byte {}: the list is cut off here, or no JSON", error.byte);
  } catch (const Json::exception& error) {
    throw InputError({source, 0, 0}, "{}: {}", where, reason_of(error));
  }
}

}  // namespace ringscope
