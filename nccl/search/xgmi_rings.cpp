// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/search/xgmi_rings.hpp"

#include <algorithm>

#include "base/view.hpp"

namespace ringscope::nccl {
namespace {

constexpr int xgmi_gpus = 8;
/// Source: ROCm/rccl, src/graph/rome_models.cc, rome_model_79 (MI300X). With their reverses they
/// take each of the 56 ways from GPU to GPU twice. All of these go twice.
using XgmiRing = Array<int, xgmi_gpus>;
constexpr Array<XgmiRing, 7> xgmi_rings = {
    XgmiRing{0, 1, 2, 3, 4, 5, 6, 7}, XgmiRing{0, 1, 2, 3, 4, 5, 7, 6},
    XgmiRing{0, 2, 4, 1, 3, 6, 5, 7}, XgmiRing{0, 2, 4, 6, 1, 7, 3, 5},
    XgmiRing{0, 3, 1, 5, 2, 7, 4, 6}, XgmiRing{0, 3, 5, 1, 6, 2, 7, 4},
    XgmiRing{0, 4, 1, 7, 3, 6, 2, 5}};
/// One link of MI300X, as RCCL counts it: src/graph/topo.h, GFX94X_XGMI_WIDTH.
constexpr Rate xgmi_rate = 48;

bool is_full_mesh(const HostGraph& graph) {
  if (std::ssize(graph.gpus) != xgmi_gpus || graph.several_hosts || graph.nvswitch >= 0)
    return false;
  for (int from = 0; from < xgmi_gpus; ++from)
    for (int to = 0; to < xgmi_gpus; ++to)
      if (from != to && graph.to_gpu[from][to].distance != Distance::nvlink) return false;
  return true;
}

}  // namespace

std::optional<HostChannels> xgmi_channels(const HostGraph& graph) {
  if (!is_full_mesh(graph)) return {};
  Found found;
  for (int i = 0; i < 4 * std::ssize(xgmi_rings); ++i) {
    const auto& ring = xgmi_rings[i % std::ssize(xgmi_rings)];
    FoundChannel channel;
    channel.gpus.assign(ring.begin(), ring.end());
    if (i / std::ssize(xgmi_rings) % 2 == 1) std::ranges::reverse(channel.gpus);
    found.channels.push_back(channel);
  }
  found.least = found.most = static_cast<int>(found.channels.size());
  found.inside = found.outside = (xgmi_gpus - 1) * xgmi_rate / found.most;
  found.farthest_gpu = Distance::nvlink;
  found.same = false;
  HostChannels channels{.ring = found, .tree = found, .multicast = {}};
  channels.tree.shape = Shape::chain;
  channels.multicast.shape = Shape::multicast;
  return channels;
}

}  // namespace ringscope::nccl
