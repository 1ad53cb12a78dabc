// SPDX-License-Identifier: LGPL-2.1-or-later
// RCCL's own figures for MI300X (gfx942): what it expects each algorithm to take, and the protocols
// that it takes by size alone. The rest is NCCL's (tuning.hpp).
//
// Source: ROCm/rccl, src/graph/tuning.cc at 9e22c79d, tuning_model_5 and ncclTopoTuneModel;
// src/rccl_wrap.cc at 00c78b70, rcclUpdateCollectiveProtocol; src/include/device.h (threads). Its
// direct allgather of up to 4 MiB is not modelled.
#pragma once

#include "nccl/choice/tuning.hpp"

namespace ringscope::nccl {

inline bool is_rccl(const Platform& machine) { return machine.generation == Generation::cdna3; }

/// Threads of a block, whatever the protocol.
inline constexpr int rccl_threads = 256;

/// The same as bandwidth(), latency(), time() and is_known() for such a machine.
double rccl_bandwidth(KernelChoice choice, KernelCall call, const Platform& machine);
double rccl_latency(KernelChoice choice, KernelCall call);  ///< on hosts with xGMI
double rccl_time(KernelChoice choice, KernelCall call, std::uint64_t bytes,
                 const Platform& machine);
bool rccl_has(KernelChoice choice, KernelCall call, const Platform& machine);

/// Protocol that goes before that of the least time.
Protocol rccl_protocol(KernelChoice choice, KernelCall call, std::uint64_t bytes,
                       const Platform& machine);

}  // namespace ringscope::nccl
