// SPDX-License-Identifier: LGPL-2.1-or-later
// Do channels get the parts that NCCL gives them?
#include "nccl/channels/channel_rings.hpp"

#include <gtest/gtest.h>

namespace ringscope {
namespace {

std::vector<Range> parts(std::size_t bytes, Protocol protocol, int channels) {
  return channel_parts({Buffer::data, 0, bytes}, protocol, channels, 2, 1);
}

TEST(ChannelParts, cover_the_vector_once_in_order) {
  for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple})
    for (const std::size_t bytes : {0u, 1u, 4095u, 4096u, 100'000u, 1'000'001u})
      for (int channels = 1; channels <= 9; ++channels) {
        std::size_t next = 0;
        for (const Range& part : parts(bytes, protocol, channels)) {
          EXPECT_EQ(part.offset, next);
          EXPECT_GT(part.size, 0u);
          next += part.size;
        }
        EXPECT_EQ(next, bytes);
        EXPECT_LE(std::ssize(parts(bytes, protocol, channels)), channels);
      }
}

// Cells of 32 KiB of traffic: 16 KiB of an allreduce, with LL, which has four times as much, 4 KiB.
TEST(ChannelParts, are_whole_cells) {
  EXPECT_EQ(parts(65'536, Protocol::simple, 24).size(), 4u);
  EXPECT_EQ(parts(65'536, Protocol::ll, 24).size(), 16u);
}

// An item of 24 B or of 16 KiB lies in one part, and no part is left over for a channel too many.
TEST(ChannelParts, are_whole_items_in_no_more_parts_than_channels) {
  for (const std::size_t item : {24u, 16'384u})
    for (std::size_t items = 1; items <= 40; ++items)
      EXPECT_LE(channel_parts({Buffer::data, 0, items}, Protocol::ll, 3, 2, item).size(), 3u);
  EXPECT_EQ(channel_parts({Buffer::data, 0, 5}, Protocol::ll, 3, 2, 16'384).size(), 3u);
}

// As openfabric-systems/simllm counted on four A100: 90 cells in parts of 4 go to 23 channels.
TEST(ChannelParts, leave_a_channel_without_any) {
  EXPECT_EQ(parts(1'458'176, Protocol::ll, 24).size(), 24u);
  EXPECT_EQ(parts(1'474'560, Protocol::ll128, 24).size(), 23u);
}

TEST(ChannelParts, go_round_in_chunks_of_the_buffers_size) {
  EXPECT_EQ(chunk_items(Protocol::ll, 1), 32'768u);
  EXPECT_EQ(chunk_items(Protocol::ll128, 1), 576'000u);
  EXPECT_EQ(chunk_items(Protocol::simple, 4), 524'288u);
}

}  // namespace
}  // namespace ringscope
