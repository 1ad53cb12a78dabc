// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks of a job that can play which parts: by the names of their hosts.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>
#include <vector>

namespace ringscope::mpi {

/// The ranks that take part in a measurement, in the order of their parts.
struct Team {
  MPI_Comm comm = MPI_COMM_NULL;  ///< of its members alone
  int index = -1;                 ///< this rank's part; -1: none
  int size = 0;
  std::string way;  ///< way between them: "self", "shm", "network", or ""

  bool has_me() const { return index >= 0; }
  /// Broadcasts part `by`'s number to all. Collective over the team, as are those below.
  double told(double mine, int by = 0) const;
  int told(int mine, int by = 0) const;
  double slowest(double mine) const;
  void meet() const;
};

/// All teams that a job offers. Each function that makes one is collective over the job.
class Layout {
 public:
  /// `hosts`: one per rank. `ways`: those wanted, [] for all.
  Layout(MPI_Comm job, const std::vector<std::string>& hosts, const std::vector<std::string>& ways);
  ~Layout();
  Layout& operator=(Layout&&) = delete;  ///< neither copied nor moved

  /// One rank that sends to itself, two of a host, two of two hosts: as far as there are any.
  const std::vector<Team>& pairs() const { return pairs_; }
  /// Wanted, and not there.
  const std::vector<std::string>& missing_ways() const { return missing_ways_; }

  /// The two fullest hosts: `count` ranks of one, then as many of the other. At most
  /// `most_network_pairs()`, which is 0 where network is missing or unwanted.
  Team network_pairs(int count);
  int most_network_pairs() const;
  /// The first `count` ranks of the fullest host.
  Team of_one_host(int count);
  int most_of_one_host() const { return static_cast<int>(hosts_.front().size()); }
  /// The first `count` ranks of the job.
  Team first(int count);
  int size() const { return size_; }

 private:
  Team team(const std::vector<int>& ranks, std::string_view way);

  MPI_Comm job_;
  int size_ = 0;
  std::vector<std::vector<int>> hosts_;  ///< ranks of each host, the fullest host first
  bool network_ = false;
  std::vector<Team> pairs_;
  std::vector<std::string> missing_ways_;
  std::vector<MPI_Comm> comms_;
};

/// 1, 2, 4 ... below `most`, and `most`.
std::vector<int> doubling_to(int most);

// Ranks of a communicator: how many, which one is this, and what each has to tell.

int rank_of(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// One text per rank, on rank 0; none elsewhere. Collective.
std::vector<std::string> gather(MPI_Comm comm, const std::string& mine);

}  // namespace ringscope::mpi
