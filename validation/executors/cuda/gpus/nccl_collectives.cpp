// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/gpus/collectives.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nccl.h>

#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {
namespace {

void check(ncclResult_t result, const char* call) {
  if (result == ncclSuccess) return;
  const std::string last = ncclGetLastError(nullptr);
  throw GpuError(call,
                 fmt::format("{}{}{}", ncclGetErrorString(result), last.empty() ? "" : ": ", last));
}

class NcclGroup final : public CollectiveGroup {
 public:
  NcclGroup(const Gpus& gpus, std::span<const CollectiveRank> ranks)
      : ranks_(ranks.begin(), ranks.end()), comms_(ranks.size()) {
    std::vector<int> devices;
    for (const CollectiveRank& rank : ranks_) {
      devices.push_back(rank.gpu);
      streams_.push_back(static_cast<cudaStream_t>(native_stream(gpus, rank.stream)));
    }
    check(ncclCommInitAll(comms_.data(), static_cast<int>(devices.size()), devices.data()),
          "ncclCommInitAll");
  }
  ~NcclGroup() override {
    for (ncclComm_t comm : comms_) ncclCommDestroy(comm);
  }
  NcclGroup& operator=(NcclGroup&&) = delete;  ///< neither copied nor moved

  void start(Collective what, std::size_t items) override {
    check(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const auto [result, call] = start_one(what, i, items);
      if (result == ncclSuccess) continue;
      ncclGroupEnd();
      check(result, call);
    }
    check(ncclGroupEnd(), "ncclGroupEnd");
  }

 private:
  struct Started {
    ncclResult_t result;
    const char* call;
  };
  Started start_one(Collective what, std::size_t i, std::size_t items) {
    const CollectiveRank& rank = ranks_[i];
    const std::size_t part = items / ranks_.size();
    switch (what) {
      case Collective::allreduce:
        return {
            ncclAllReduce(rank.from, rank.to, items, ncclFloat, ncclSum, comms_[i], streams_[i]),
            "ncclAllReduce"};
      case Collective::broadcast:
        return {ncclBroadcast(rank.from, rank.to, items, ncclFloat, 0, comms_[i], streams_[i]),
                "ncclBroadcast"};
      case Collective::reduce:
        return {
            ncclReduce(rank.from, rank.to, items, ncclFloat, ncclSum, 0, comms_[i], streams_[i]),
            "ncclReduce"};
      case Collective::allgather:
        return {ncclAllGather(rank.from, rank.to, part, ncclFloat, comms_[i], streams_[i]),
                "ncclAllGather"};
      case Collective::reduce_scatter:
        return {
            ncclReduceScatter(rank.from, rank.to, part, ncclFloat, ncclSum, comms_[i], streams_[i]),
            "ncclReduceScatter"};
    }
    return {ncclInvalidArgument, "start"};
  }

  std::vector<CollectiveRank> ranks_;
  std::vector<ncclComm_t> comms_;
  std::vector<cudaStream_t> streams_;
};

class Nccl final : public CollectiveLibrary {
 public:
  explicit Nccl(const Gpus& gpus) : gpus_(&gpus) {}
  std::string version() const override {
    int version = 0;
    check(ncclGetVersion(&version), "ncclGetVersion");
    return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }
  std::unique_ptr<CollectiveGroup> join(std::span<const CollectiveRank> ranks) override {
    return std::make_unique<NcclGroup>(*gpus_, ranks);
  }

 private:
  const Gpus* gpus_;
};

}  // namespace

std::unique_ptr<CollectiveLibrary> make_nccl(const Gpus& gpus) {
  return std::make_unique<Nccl>(gpus);
}

}  // namespace ringscope::cuda
