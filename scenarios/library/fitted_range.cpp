// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/library/fitted_range.hpp"

#include <fmt/format.h>

namespace ringscope {
namespace {

constexpr long most_hosts = 10'000'000;

}  // namespace

std::optional<FittedRange> fitted_range_of(const Value& library) {
  const Value* map = library.find("fitted");
  if (map == nullptr || map->is_null()) return {};
  Fields fields(*map, "library.fitted");
  FittedRange range;
  range.least = fields.required("least").bytes();
  range.most = fields.required("most").bytes();
  range.hosts = static_cast<int>(fields.required("hosts").integer(1, most_hosts));
  range.ranks_per_host = static_cast<int>(fields.required("ranks_per_host").integer(1, most_hosts));
  fields.finish();
  if (range.most < range.least)
    map->find("most")->fail(fmt::format("expected at least {}, that of 'least', got {}",
                                        to_text(range.least), to_text(range.most)));
  return range;
}

}  // namespace ringscope
