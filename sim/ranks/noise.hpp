// SPDX-License-Identifier: LGPL-2.1-or-later
// Computation noise.
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "base/table.hpp"
#include "scenarios/question/scenario.hpp"

namespace ringscope::sim {

/// A number in (0, 1] from 53 random bits: the same one on every machine.
double uniform(std::mt19937_64& random);
/// A draw from the exponential distribution of that mean, such as a Poisson process's next gap.
double exponential(std::mt19937_64& random, double mean);

/// Noise by which the times of a job's batches vary.
Noise noise_of_input(const Job& job);

/// Separates the seeds of inputs' random numbers from those of a job's noise.
inline constexpr std::uint64_t stream_of_inputs = 0x2545f4914f6cdd1du;

/// A stream of random numbers per rank, so that what one rank draws does not depend on the others.
/// Ranks beyond `ranks` have no noise. `where`: the ranks' locations, if any host is slow.
class Noises {
 public:
  Noises(const Noise& noise, int ranks, std::span<const Location> where = {});

  /// The streams from here on.
  void seed(std::uint64_t seed);
  /// Seconds that a computation of `seconds` takes on `rank` this time.
  double stretch(int rank, double seconds);

 private:
  const Noise* noise_;
  Table<std::mt19937_64> random_;
  Table<double> slowdown_;
};

}  // namespace ringscope::sim
