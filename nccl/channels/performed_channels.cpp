// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/channels/performed_channels.hpp"

#include <map>
#include <tuple>

namespace ringscope {

// Channels that share an SM go one after the other, each at its own time.
std::vector<int> performed_for(Communicator comm, const std::vector<Range>& parts,
                               const std::vector<int>& kinds, const Options& options) {
  std::vector<int> times(parts.size(), 1);
  if (options.like == nullptr || options.like->empty() || options.sms > 0 || comm.performs_alike())
    return times;
  std::map<std::tuple<std::size_t, int, int>, std::size_t> first;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const int like = (*options.like)[i % options.like->size()];
    const auto [known, is_new] =
        first.try_emplace({parts[i].size, like, kinds.empty() ? 0 : kinds[i]}, i);
    if (is_new) continue;
    times[i] = 0;
    ++times[known->second];
  }
  return times;
}

}  // namespace ringscope
