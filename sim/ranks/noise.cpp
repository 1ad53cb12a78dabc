// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/ranks/noise.hpp"

#include <cmath>
#include <numbers>

#include "algorithms/training/training.hpp"

namespace ringscope::sim {

Noises::Noises(const Noise& noise, int ranks, std::span<const Location> where)
    : noise_(&noise), random_(ranks), slowdown_(ranks, 1) {
  for (const int rank : noise.stragglers) slowdown_.at(rank) = noise.slowdown;
  for (std::size_t rank = 0; rank < std::min(where.size(), slowdown_.size()); ++rank)
    if (std::ranges::find(noise.slow_hosts, where[rank].host) != noise.slow_hosts.end())
      slowdown_[rank] = noise.slowdown;
}

Noise noise_of_input(const Job& job) {
  if (job.training == nullptr) return {};
  const Input& input = job.training->input;
  Noise noise;
  noise.spread = input.spread;
  noise.detours.every = input.every;
  noise.detours.takes = input.takes;
  return noise;
}

void Noises::seed(std::uint64_t seed) {
  for (auto& stream : random_) stream.seed(seed += 0x9e3779b97f4a7c15u);
}

double uniform(std::mt19937_64& random) {
  return static_cast<double>((random() >> 11) + 1) * 0x1p-53;
}

double exponential(std::mt19937_64& random, double mean) {
  return -std::log(uniform(random)) * mean;
}

double Noises::stretch(int rank, double seconds) {
  if (!random_.has(rank)) return seconds;
  std::mt19937_64& random = random_[rank];
  double stretched = seconds * slowdown_[rank];
  if (noise_->spread > 0) {
    // Box and Muller (1958); the shift keeps the mean of the log-normal factor at 1.
    const double radius = std::sqrt(-2 * std::log(uniform(random)));
    const double normal = radius * std::cos(2 * std::numbers::pi * uniform(random));
    stretched *= std::exp(noise_->spread * normal - noise_->spread * noise_->spread / 2);
  }
  if (!noise_->detours.any()) return stretched;
  // Detours come as a Poisson process while the computation itself advances.
  double detours = 0;
  for (double at = 0;;) {
    at += exponential(random, noise_->detours.every.count());
    if (at >= stretched) return stretched + detours;
    detours += exponential(random, noise_->detours.takes.count());
  }
}

}  // namespace ringscope::sim
