// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/clock.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "base/table.hpp"
#include "validation/executors/mpi/layout.hpp"

namespace ringscope::mpi {
namespace {

constexpr double spun_s = 100e-6;  // longer than it takes to wake up
constexpr double refresh_s = 1;
constexpr int fewest_round_trips = 5, most_round_trips = 50;
constexpr double measuring_s = 10e-3;  // per rank, once there are the fewest

/// Equal where the monotonic clock is the same one; "" where the system does not say.
std::string clock_identity() {
  std::string boot;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::getline(file, boot);
  std::array<char, PATH_MAX> name_space{};
  if (readlink("/proc/self/ns/time", name_space.data(), name_space.size() - 1) < 0)
    name_space.front() = '\0';
  return boot.empty() ? "" : boot + name_space.data();
}

bool same_clock_as_rank_0(MPI_Comm comm) {
  const std::string mine = clock_identity();
  std::array<char, 256> theirs{};
  std::copy_n(mine.begin(), std::min(mine.size(), theirs.size() - 1), theirs.begin());
  MPI_Bcast(theirs.data(), static_cast<int>(theirs.size()), MPI_CHAR, 0, comm);
  return !mine.empty() && mine == theirs.data();
}

constexpr double longest_ahead_s = 0.25;

}  // namespace

CpuWatch::CpuWatch() : start_s_(now_s()), own_s_(process_cpu_s()), machine_(machine_cpu()) {}

std::optional<ForeignLoad> CpuWatch::foreign(MPI_Comm job) const {
  nlohmann::json mine;
  if (const auto machine = machine_cpu(); machine && machine_)
    mine = {machine_id(), now_s() - start_s_, machine->busy_s - machine_->busy_s,
            process_cpu_s() - own_s_, machine->cores};
  std::vector<CpuUse> ranks;
  for (const std::string& text : gather(job, mine.dump())) {
    const auto one = nlohmann::json::parse(text);
    if (one.is_null()) return std::nullopt;
    ranks.push_back({one[0].get<std::string>(), one[1].get<double>(), one[2].get<double>(),
                     one[3].get<double>(), one[4].get<int>()});
  }
  return foreign_load(ranks);
}

double now_s() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

double process_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void spin(double seconds) {
  const double end = now_s() + seconds;
  while (now_s() < end) continue;
}

void doze(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

void wait_until(double time) {
  if (const double left = time - now_s(); left > spun_s) doze(left - spun_s);
  // Others may need this core to get ready.
  while (now_s() < time) sched_yield();
}

CommonClock::CommonClock(MPI_Comm comm) : comm_(comm), rank_(rank_of(comm)) {
  const int differs = same_clock_as_rank_0(comm) ? 0 : 1;
  Table<int> all(size_of(comm));
  MPI_Allgather(&differs, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
  for (int rank = 1; rank < std::ssize(all); ++rank)
    if (all[rank] != 0) elsewhere_.push_back(rank);
  measure();
}

void CommonClock::refresh() {
  if (elsewhere_.empty()) return;
  int stale = now_s() > measured_at_ + refresh_s ? 1 : 0;
  MPI_Bcast(&stale, 1, MPI_INT, 0, comm_);
  if (stale != 0) measure();
}

void CommonClock::measure() {
  if (rank_ == 0)
    for (const int rank : elsewhere_) measure_against(rank);
  else if (std::ranges::count(elsewhere_, rank_) != 0)
    answer();
  measured_at_ = now_s();
}

void CommonClock::measure_against(int rank) {
  double shortest = std::numeric_limits<double>::infinity(), offset = 0;
  const double start = now_s();
  int more = 1;
  for (int i = 0; i < most_round_trips; ++i) {
    if (i >= fewest_round_trips && now_s() > start + measuring_s) break;
    double theirs = 0;
    const double before = now_s();
    MPI_Send(&more, 1, MPI_INT, rank, 0, comm_);
    MPI_Recv(&theirs, 1, MPI_DOUBLE, rank, 0, comm_, MPI_STATUS_IGNORE);
    const double after = now_s();
    if (after - before >= shortest) continue;
    shortest = after - before;
    offset = before + shortest / 2 - theirs;
  }
  more = 0;
  MPI_Send(&more, 1, MPI_INT, rank, 0, comm_);
  const std::array<double, 2> found = {offset, shortest / 2};
  MPI_Send(found.data(), 2, MPI_DOUBLE, rank, 0, comm_);
}

void CommonClock::answer() {
  for (;;) {
    int more = 0;
    MPI_Recv(&more, 1, MPI_INT, 0, 0, comm_, MPI_STATUS_IGNORE);
    if (more == 0) break;
    const double mine = now_s();
    MPI_Send(&mine, 1, MPI_DOUBLE, 0, 0, comm_);
  }
  std::array<double, 2> found{};
  MPI_Recv(found.data(), 2, MPI_DOUBLE, 0, 0, comm_, MPI_STATUS_IGNORE);
  offset_ = found[0];
  uncertainty_ = found[1];
}

void Start::wait() {
  missed_ = false;
  MPI_Barrier(comm_);
  if (mode_ == StartMode::barrier) {
    // The second starts from ranks that have all left the first: they are closer together.
    MPI_Barrier(comm_);
    agreed_ = started_ = now_s();
    return;
  }
  clock_.refresh();
  double agreed = clock_.common(now_s()) + ahead_s_;
  MPI_Bcast(&agreed, 1, MPI_DOUBLE, 0, comm_);
  agreed_ = clock_.here(agreed);
  missed_ = now_s() > agreed_;
  wait_until(agreed_);
  started_ = now_s();
}

Timed Start::end(double ended) {
  std::array<double, 3> worst = {ended - agreed_, started_ - agreed_, missed_ ? 1.0 : 0.0};
  MPI_Allreduce(MPI_IN_PLACE, worst.data(), 3, MPI_DOUBLE, MPI_MAX, comm_);
  const bool missed = worst[2] > 0;
  if (missed) ahead_s_ *= 2;
  if (ahead_s_ > longest_ahead_s) mode_ = StartMode::barrier;
  return {worst[0], worst[1], missed};
}

}  // namespace ringscope::mpi
