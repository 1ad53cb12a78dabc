// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "base/table.hpp"
#include "nccl/search/channels_of_host.hpp"

namespace ringscope::nccl {

/// Source: ROCm/rccl, src/graph/rome_models.cc, rome_model_79 (MI300X). With their reverses they
/// take each of the 56 ways from GPU to GPU twice. All of these go twice.
constexpr Array<std::string_view, 7> xgmi_rings = {"01234567", "01234576", "02413657", "02461735",
                                                   "03152746", "03516274", "04173625"};
/// GB/s of a GPU's seven links, as RCCL counts them: src/graph/topo.h, GFX94X_XGMI_WIDTH.
constexpr Rate xgmi_rate = 7 * 48;

std::optional<HostChannels> xgmi_channels(const HostGraph& graph) {
  const int gpus = static_cast<int>(graph.gpus.size());
  if (gpus != std::ssize(xgmi_rings) + 1 || graph.several_hosts || graph.nvswitch >= 0) return {};
  for (int from = 0; from < gpus; ++from)
    for (int to = 0; to < from; ++to)
      if (graph.to_gpu[from][to].distance != Distance::nvlink) return {};
  HostChannels channels;
  Found& found = channels.ring;
  for (int i = 0; i < 4 * std::ssize(xgmi_rings); ++i) {
    FoundChannel channel;
    for (const char gpu : xgmi_rings[i % std::ssize(xgmi_rings)]) channel.gpus.push_back(gpu - '0');
    if (i / std::ssize(xgmi_rings) % 2 == 1) std::ranges::reverse(channel.gpus);
    found.channels.push_back(channel);
  }
  found.inside = found.outside = xgmi_rate / static_cast<Rate>(found.channels.size());
  found.farthest_gpu = Distance::nvlink;
  channels.tree = found;
  channels.tree.shape = Shape::chain;
  return channels;
}

}  // namespace ringscope::nccl
