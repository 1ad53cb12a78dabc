// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/ranks/detours.hpp"

namespace ringscope::sim {
namespace {

/// Share of the core's capacity that is left, which must not be 0.
constexpr double left = 1e-9;
/// Only timers are left, of messages that are in flight, say; or nothing is, where all are stuck.
constexpr int most_in_vain = 100'000;

}  // namespace

Detours::Detours(const Noise& noise, Run& run, std::span<const std::unique_ptr<RankThread>> ranks)
    : noise_(&noise), run_(&run) {
  for (const auto& rank : ranks) {
    // A rank that may use several cores: itself as one thread.
    const int resource = run.machine->cpu(rank->rank()).back().resource;
    auto core = std::ranges::find(cores_, resource, &Core::resource);
    if (core == cores_.end()) {
      cores_.emplace_back().resource = resource;
      core = cores_.end() - 1;
    }
    core->ranks.push_back(rank.get());
    core_of_.push_back(core - cores_.begin());
  }
}

void Detours::restart(std::uint64_t seed) {
  vain_ = 0;
  asleep_.clear();
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    cores_[i].random.seed(seed += 0x9e3779b97f4a7c15u);
    await(i);
  }
}

bool Detours::hold(int rank) const { return core_of_.has(rank) && cores_[core_of_[rank]].held; }

double Detours::taken(int rank) const {
  if (!core_of_.has(rank)) return 0;
  const Core& core = cores_[core_of_[rank]];
  return core.taken + (core.held ? run_->ledger->now() - core.began : 0);
}

void Detours::stir() {
  vain_ = 0;
  for (const std::size_t core : std::exchange(asleep_, {})) await(core);
}

bool Detours::in_vain() {
  if (run_->ledger->flows()) vain_ = 0;
  return ++vain_ > most_in_vain;
}

void Detours::await(std::size_t core) {
  run_->ledger->kernel().after(exponential(cores_[core].random, noise_->detours.every.count()),
                               Callback::to<&Detours::begin>(this, core));
}

void Detours::begin(std::uint64_t index) {
  Core& core = cores_[index];
  if (run_->unfinished == 0) return;
  if (in_vain()) return asleep_.push_back(index);
  if (std::ranges::any_of(core.ranks, [](const RankThread* rank) { return rank->computes(); }))
    return await(index);
  core.held = true;
  core.began = run_->ledger->now();
  run_->ledger->slow(core.resource, left);
  run_->ledger->kernel().after(exponential(core.random, noise_->detours.takes.count()),
                               Callback::to<&Detours::end>(this, index));
}

void Detours::end(std::uint64_t index) {
  Core& core = cores_[index];
  core.held = false;
  core.taken += run_->ledger->now() - core.began;
  run_->ledger->slow(core.resource, 1);
  for (RankThread* rank : core.ranks) rank->let_go();
  if (run_->unfinished > 0) await(index);
}

}  // namespace ringscope::sim
