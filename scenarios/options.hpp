// The options of a job's algorithm: one line each in options.cpp.
#pragma once

#include "algorithms/catalogue.hpp"
#include "topologies/input.hpp"

namespace ringscope {

/// Reads `options` of the job: those that the algorithm names, each with its default. `ranks` of
/// the placement: no root beyond them. Throws InputError for others, also for those that only other
/// algorithms have.
Options read_options(Fields& job, const Algorithm& algorithm, int ranks);

/// The names of all options, in the order of the table.
std::vector<std::string> option_names();

/// A size in bytes from `least` to 512 TiB.
std::uint64_t read_size(const Value& value, std::uint64_t least);

}  // namespace ringscope
