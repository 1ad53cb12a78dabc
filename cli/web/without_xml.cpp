// In place of what needs pugixml, which is not built for WebAssembly.
#include <stdexcept>

#include "topologies/imports/rings/nccl_channels.hpp"

namespace ringscope {

std::shared_ptr<const Source> channels_source(const Value& path) {
  path.fail("files of NCCL's channels are read by the command line alone");
}

nccl::JobChannels read_channels(const std::shared_ptr<const Source>&, const Topology&,
                                std::span<const nccl::GpuPlace>) {
  throw std::logic_error("there is no source of channels here");
}

}  // namespace ringscope
