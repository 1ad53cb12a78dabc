// SPDX-License-Identifier: LGPL-2.1-or-later
// In place of the readers of files that other tools write: a page has no such files, and neither
// pugixml nor zlib is built for WebAssembly.
#include <stdexcept>

#include "nccl/logs/read_channels.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "scenarios/trace/trace_file.hpp"

namespace ringscope {

std::shared_ptr<const Source> channels_source(const Value& path) {
  path.fail("files of NCCL's channels are read by the command line alone");
}

nccl::JobChannels read_channels(const std::shared_ptr<const Source>&, const Topology&,
                                std::span<const nccl::GpuPlace>, const nccl::FindOfHost&) {
  throw std::logic_error("there is no source of channels here");
}

std::shared_ptr<const ScheduleFile> read_schedule(const Value& name, int) {
  name.fail("schedules are read by the command line alone");
}

void require_whole_chunks(const Value&, std::uint64_t, const ScheduleFile&) {
  throw std::logic_error("there is no schedule here");
}

std::shared_ptr<const ScheduleFile> read_trace(Fields&, const Value& value, int, bool) {
  value.fail("traces are read by the command line alone");
}

}  // namespace ringscope
