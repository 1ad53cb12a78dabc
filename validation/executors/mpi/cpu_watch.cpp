// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/cpu_watch.hpp"

#include "validation/executors/mpi/clock.hpp"
#include "validation/executors/mpi/layout.hpp"

namespace ringscope::mpi {

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

}  // namespace ringscope::mpi
