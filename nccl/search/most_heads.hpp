// SPDX-License-Identifier: LGPL-2.1-or-later
// The limit of heads of NVLS.
#pragma once

namespace ringscope::nccl {

/// Heads of NVLS on a host, however many GPUs it has. Source: NCCL 2.30.7, src/include/device.h,
/// NCCL_MAX_NVLS_ARITY; src/graph/search.cc, ncclTopoCompute.
inline constexpr int most_heads = 32;

}  // namespace ringscope::nccl
