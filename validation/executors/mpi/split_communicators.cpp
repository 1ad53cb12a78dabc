// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/split_communicators.hpp"

#include <numeric>

#include "algorithms/verbs/executor.hpp"

namespace ringscope::mpi {

std::vector<int> SplitCommunicators::ranks_of(MPI_Comm comm) const {
  int size = 0;
  MPI_Comm_size(comm, &size);
  Table<int> own(size), of_all(size);
  std::iota(own.begin(), own.end(), 0);
  MPI_Group here = MPI_GROUP_NULL, everybody = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &here);
  MPI_Comm_group(all_, &everybody);
  MPI_Group_translate_ranks(here, size, own.data(), everybody, of_all.data());
  MPI_Group_free(&here);
  MPI_Group_free(&everybody);
  return of_all;
}

/// A group that was named, not split, has no communicator of its own yet: MPI_COMM_NULL then.
MPI_Comm SplitCommunicators::parent_of(const SplitCall& call) {
  if (call.parent == nullptr) return all_;
  const std::lock_guard guard(adding_);
  const int context = call.parent->tag.context;
  if (context == 0) return MPI_COMM_NULL;
  const Member& member = members_.begin()[context - 1];
  return *member.ranks == *call.parent->ranks ? member.comm : MPI_COMM_NULL;
}

void SplitCommunicators::split(SplitCall& call) {
  MPI_Comm parent = parent_of(call);
  const bool made = parent == MPI_COMM_NULL;
  if (made) {
    MPI_Group everybody = MPI_GROUP_NULL, named = MPI_GROUP_NULL;
    MPI_Comm_group(all_, &everybody);
    MPI_Group_incl(everybody, call.size, call.parent->ranks->data(), &named);
    MPI_Comm_create_group(all_, named, call.parent->tag.number, &parent);
    MPI_Group_free(&named);
    MPI_Group_free(&everybody);
  }
  Member member{};
  MPI_Comm_split(parent, call.colour, call.key, &member.comm);
  if (made) MPI_Comm_free(&parent);
  int self = 0, everybody = 0;
  MPI_Comm_rank(member.comm, &self);
  MPI_Comm_size(all_, &everybody);
  member.ranks = std::make_shared<const Table<int>>(ranks_of(member.comm));
  member.index = Table<int>(everybody, MPI_UNDEFINED);
  for (std::size_t i = 0; i < member.ranks->size(); ++i)
    member.index[(*member.ranks)[i]] = static_cast<int>(i);
  const std::lock_guard guard(adding_);
  members_.push_back(member);
  const int context = static_cast<int>(members_.size());
  call.group = std::make_shared<const Group>(Group{member.ranks, self, {}, {0, context}});
}

SplitCommunicators::Place SplitCommunicators::place(int peer, Tag tag) {
  if (tag.context == 0) return {all_, peer == any_source ? MPI_ANY_SOURCE : peer};
  const std::lock_guard guard(adding_);
  const Member& member = members_.begin()[tag.context - 1];
  if (peer == any_source) return {member.comm, MPI_ANY_SOURCE};
  return {member.comm, member.index[peer]};
}

void SplitCommunicators::clear() {
  for (Member& member : members_) MPI_Comm_free(&member.comm);
  members_.clear();
}

}  // namespace ringscope::mpi
