// Sends and receives of sizes that differ as one group, as NCCL does them: on all channels, as a
// power of two. Nothing is chosen but how many share a pair's bytes (peer_channels.hpp).
#include <bit>

#include "algorithms/selectors/nccl_choice.hpp"

namespace ringscope {
namespace {

Choice choose(int ranks, std::size_t, const Options& options) {
  if (ranks == 1 || options.nccl == nullptr) return {"posted"};
  return {.name = "channel_peers",
          .channels = options.channels > 0 ? options.channels : nccl_threads(options)};
}

constexpr Selection selection = {
    .collective = "alltoallv",
    .name = "nccl",
    .summary = "sends and receives with all, as NCCL groups them",
    .choose = choose,
};

int threads(const Options& options) {
  return options.nccl == nullptr
             ? 1
             : static_cast<int>(std::bit_ceil(static_cast<unsigned>(nccl_threads(options))));
}

}  // namespace

Algorithm describe_nccl_alltoallv() {
  Algorithm nccl = selector<selection>({"channels", "sizes"});
  nccl.varies = Varies::steps;
  nccl.one_channel = true;
  nccl.threads_for = threads;
  return nccl;
}

}  // namespace ringscope
