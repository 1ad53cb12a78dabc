// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/testing/fake_collectives.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace ringscope::cuda {
namespace {

constexpr double bytes_per_s = 10e9;

class FakeGroup final : public CollectiveGroup {
 public:
  FakeGroup(Gpus& gpus, std::span<const CollectiveRank> ranks)
      : gpus_(&gpus), ranks_(ranks.begin(), ranks.end()) {}

  void start(Collective what, std::size_t items) override {
    std::vector<float> sums(items), all;
    const std::size_t part = items / ranks_.size();
    const bool parts = what == Collective::allgather;
    for (const CollectiveRank& rank : ranks_) {
      for (std::size_t i = 0; i < (parts ? part : items); ++i) sums[i] += rank.from[i];
      all.insert(all.end(), rank.from, rank.from + (parts ? part : 0));
    }
    const float* root = ranks_.front().from;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      float* to = ranks_[i].to;
      if (what == Collective::allreduce) std::copy(sums.begin(), sums.end(), to);
      if (what == Collective::broadcast) std::copy(root, root + items, to);
      if (what == Collective::reduce && i == 0) std::copy(sums.begin(), sums.end(), to);
      if (parts) std::copy(all.begin(), all.end(), to);
      if (what == Collective::reduce_scatter) std::copy_n(sums.data() + i * part, part, to);
      gpus_->spin(ranks_[i].stream, static_cast<double>(items * sizeof(float)) / bytes_per_s);
    }
  }

 private:
  Gpus* gpus_;
  std::vector<CollectiveRank> ranks_;
};

class FakeCollectives final : public CollectiveLibrary {
 public:
  explicit FakeCollectives(Gpus& gpus) : gpus_(&gpus) {}
  std::string version() const override { return "fake NCCL 1.0.0"; }
  std::unique_ptr<CollectiveGroup> join(std::span<const CollectiveRank> ranks) override {
    std::set<int> used;
    for (const CollectiveRank& rank : ranks)
      if (!used.insert(rank.gpu).second)
        throw GpuError("join", "invalid usage: two ranks on GPU " + std::to_string(rank.gpu));
    return std::make_unique<FakeGroup>(*gpus_, ranks);
  }

 private:
  Gpus* gpus_;
};

}  // namespace

std::unique_ptr<CollectiveLibrary> make_fake_collectives(Gpus& gpus) {
  return std::make_unique<FakeCollectives>(gpus);
}

}  // namespace ringscope::cuda
