// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/resource_id.hpp"

#include <fmt/core.h>

#include <charconv>

namespace ringscope {
namespace {

constexpr std::string_view before_rank = " (rank ", before_job = " of ";

}  // namespace

std::string ResourceId::name() const {
  if (rank < 0) return place;
  const std::string_view of = job.empty() ? "" : before_job;
  return fmt::format("{}{}{}{}{})", place, before_rank, rank, of, job);
}

ResourceId ResourceId::of_name(const std::string& name) {
  const auto owner = name.find(before_rank);
  if (owner == std::string::npos) return {name};
  ResourceId id{name.substr(0, owner)};
  const char* const end = name.data() + name.size();
  const char* const number = name.data() + owner + before_rank.size();
  const char* const job = std::from_chars(number, end, id.rank).ptr;
  if (const std::string rest(job, end); rest.starts_with(before_job))
    id.job = rest.substr(before_job.size(), rest.size() - before_job.size() - 1);
  return id.name() == name ? id : ResourceId{name};
}

}  // namespace ringscope
