// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/recorder.hpp"

namespace ringscope::sim {

Recorder::Recorder(std::unique_ptr<Kernel> kernel)
    : kernel_(std::make_unique<LoadRecord>(std::move(kernel))),
      loads_(kernel_.get()),
      chunks_(*loads_) {}

void Recorder::restart(const Job& job, int ranks) {
  loads_->restart();
  const Collective& collective = collective_of(*job.algorithm);
  no_chunks_ = no_chunks_of(collective, ranks);
  follows_chunks_ = no_chunks_.empty();
  if (follows_chunks_)
    chunks_.restart(collective, ranks, static_cast<std::size_t>(job.bytes.count), job.options.root);
}

std::shared_ptr<const Recording> Recorder::take(const Ledger& ledger) {
  auto recording = std::make_shared<Recording>();
  for (int id = 0; id < ledger.resource_count(); ++id) {
    const Resource& resource = ledger.resource(id);
    recording->loads.push_back({resource.id, resource.kind, resource.capacity, loads_->points(id)});
  }
  recording->no_chunks = no_chunks_;
  if (follows_chunks_) recording->chunks = chunks_.take();
  return recording;
}

}  // namespace ringscope::sim
