// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/record/handles.hpp"

#include "base/table.hpp"

namespace ringscope::record {
namespace {

/// Members as MPI_COMM_WORLD numbers them, in their order.
std::vector<int> members_of(MPI_Comm comm) {
  MPI_Group group, world;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int size = 0;
  PMPI_Group_size(group, &size);
  Table<int> ranks = numbers_below(size), in_world(size);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return in_world;
}

/// "0,2,4-7"
std::string text_of(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string ranks_text(MPI_Comm comm) {
  int between_two_groups = 0;
  PMPI_Comm_test_inter(comm, &between_two_groups);
  return between_two_groups != 0 ? "inter" : text_of(members_of(comm));
}

}  // namespace

Communicators& communicators() {
  static Communicators& only = *new Communicators;
  return only;
}

Requests& requests() {
  static Requests& only = *new Requests;
  return only;
}

std::int64_t Communicators::add(MPI_Comm comm, MPI_Comm like) {
  const std::int64_t number = next_++;
  numbers_[comm] = number;
  recorder().write("communicator " + std::to_string(number) + " " + ranks_text(like) + "\n");
  return number;
}

std::int64_t Communicators::number_of(MPI_Comm comm) {
  const auto known = numbers_.find(comm);
  return known != numbers_.end() ? known->second : add(comm);
}

std::int64_t Requests::begin(MPI_Request request, bool receives) {
  in_flight_.insert({request, {next_, receives}});
  return next_++;
}

std::optional<Requests::Begun> Requests::finish(MPI_Request request) {
  const auto found = in_flight_.lower_bound(request);
  if (found == in_flight_.end() || found->first != request) return {};
  const Begun begun = found->second;
  in_flight_.erase(found);
  return begun;
}

void add_request(Call& call, MPI_Request request, bool receives) {
  const std::lock_guard lock(recorder().mutex);
  call.number("request", requests().begin(request, receives));
}

}  // namespace ringscope::record
