// NCCL's choice for an allreduce in words, for a report.
#pragma once

#include <string>

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// Protocol and channels as in "LL, 24 channels"; empty where nothing is known of them.
std::string nccl_choice_text(int ranks, std::size_t items, const Options& options);

}  // namespace ringscope
