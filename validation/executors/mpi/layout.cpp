// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/layout.hpp"

#include <algorithm>
#include <map>

#include "base/table.hpp"

namespace ringscope::mpi {
namespace {

/// Ranks of each host, the fullest first; equally full ones in the order of their first ranks.
std::vector<std::vector<int>> fullest_first(const std::vector<std::string>& names) {
  std::map<std::string, std::vector<int>> by_name;
  for (std::size_t rank = 0; rank < names.size(); ++rank)
    by_name[names[rank]].push_back(static_cast<int>(rank));
  std::vector<std::vector<int>> hosts;
  for (const auto& [name, ranks] : by_name) hosts.push_back(ranks);
  std::ranges::sort(hosts, [](const auto& one, const auto& other) {
    return one.size() != other.size() ? one.size() > other.size() : one.front() < other.front();
  });
  return hosts;
}

std::vector<int> first_of(const std::vector<int>& ranks, int count) {
  return {ranks.begin(), ranks.begin() + count};
}

}  // namespace

double Team::told(double mine, int by) const {
  MPI_Bcast(&mine, 1, MPI_DOUBLE, by, comm);
  return mine;
}

int Team::told(int mine, int by) const {
  MPI_Bcast(&mine, 1, MPI_INT, by, comm);
  return mine;
}

double Team::slowest(double mine) const {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, comm);
  return mine;
}

void Team::meet() const { MPI_Barrier(comm); }

Layout::Layout(MPI_Comm job, const std::vector<std::string>& hosts,
               const std::vector<std::string>& ways)
    : job_(job), size_(static_cast<int>(hosts.size())), hosts_(fullest_first(hosts)) {
  const auto wanted = [&](std::string_view way, bool possible) {
    if (!ways.empty() && std::ranges::find(ways, way) == ways.end()) return false;
    if (!possible) missing_ways_.emplace_back(way);
    return possible;
  };
  if (wanted("self", true)) pairs_.push_back(team({0}, "self"));
  if (wanted("shm", most_of_one_host() > 1))
    pairs_.push_back(team(first_of(hosts_.front(), 2), "shm"));
  network_ = wanted("network", hosts_.size() > 1);
  if (network_) pairs_.push_back(network_pairs(1));
}

Layout::~Layout() {
  for (MPI_Comm& comm : comms_) MPI_Comm_free(&comm);
}

Team Layout::network_pairs(int count) {
  std::vector<int> ranks = first_of(hosts_[0], count);
  ranks.insert(ranks.end(), hosts_[1].begin(), hosts_[1].begin() + count);
  return team(ranks, "network");
}

int Layout::most_network_pairs() const { return network_ ? static_cast<int>(hosts_[1].size()) : 0; }

Team Layout::of_one_host(int count) { return team(first_of(hosts_.front(), count), ""); }

Team Layout::first(int count) { return team(numbers_below(count), ""); }

Team Layout::team(const std::vector<int>& ranks, std::string_view way) {
  const auto place = std::ranges::find(ranks, rank_of(job_));
  Team made;
  made.size = static_cast<int>(ranks.size());
  made.way = way;
  if (place != ranks.end()) made.index = static_cast<int>(place - ranks.begin());
  MPI_Comm_split(job_, made.has_me() ? 0 : MPI_UNDEFINED, made.index, &made.comm);
  if (made.has_me()) comms_.push_back(made.comm);
  return made;
}

std::vector<int> doubling_to(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  if (most > 0) counts.push_back(most);
  return counts;
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

std::vector<std::string> gather(MPI_Comm comm, const std::string& mine) {
  const auto length = static_cast<int>(mine.size());
  Table<int> lengths(size_of(comm)), starts(lengths.size());
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  Table<char> all(starts.back() + lengths.back());
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0,
              comm);
  std::vector<std::string> texts;
  for (std::size_t i = 0; rank_of(comm) == 0 && i < lengths.size(); ++i)
    texts.emplace_back(all.begin() + starts[i], all.begin() + starts[i] + lengths[i]);
  return texts;
}

}  // namespace ringscope::mpi
