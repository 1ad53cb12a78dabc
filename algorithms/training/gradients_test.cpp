// SPDX-License-Identifier: LGPL-2.1-or-later
// Are the gradients of a model cut and joined as PyTorch and Horovod do it, and never lost?
#include "algorithms/training/step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace ringscope {
namespace {

std::vector<Layer> three_layers() {
  return {{"a", {4, 1}, {}, {}}, {"b", {8}, {}, {}}, {"c", {2, 2}, {}, {}}};
}

Range range(std::size_t offset, std::size_t size) { return {Buffer::data, offset, size}; }

std::vector<Gradient> of_sizes(const std::vector<std::size_t>& sizes) {
  std::size_t end = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  std::vector<Gradient> gradients;
  for (const std::size_t size : sizes)
    gradients.push_back({range(end -= size, size), gradients.size() + 1});
  return gradients;
}

std::vector<std::size_t> sizes_of(const std::vector<Gradient>& gradients) {
  std::vector<std::size_t> sizes;
  for (const Gradient& gradient : gradients) sizes.push_back(gradient.range.size);
  return sizes;
}

/// From the end of the vector to its beginning, without a gap.
void expect_tiles(const std::vector<Gradient>& gradients, Range whole) {
  std::size_t end = whole.offset + whole.size, layers = 0;
  for (const Gradient& gradient : gradients) {
    EXPECT_EQ(gradient.range.offset + gradient.range.size, end);
    EXPECT_GE(gradient.layers, layers);
    end = gradient.range.offset;
    layers = gradient.layers;
  }
  EXPECT_EQ(end, whole.offset);
}

TEST(Slowest, of_devices_is_the_mean_of_drawn_ones) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> time(1, 0.1);
  EXPECT_NEAR(slowest_of(1, 0.1), 1, 1e-12);
  for (const int devices : {2, 8, 32}) {
    constexpr int draws = 20000;
    double sum = 0;
    for (int i = 0; i < draws; ++i) {
      double slowest = 0;
      for (int one = 0; one < devices; ++one) slowest = std::max(slowest, time(random));
      sum += slowest;
    }
    EXPECT_NEAR(slowest_of(devices, 0.1), sum / draws, 0.005) << devices;
  }
}

TEST(Gradients, come_from_the_last_layer_to_the_first) {
  const std::vector<Gradient> expected = {
      {range(15, 2), 1}, {range(13, 2), 1}, {range(5, 8), 2}, {range(4, 1), 3}, {range(0, 4), 3}};
  EXPECT_EQ(gradients_of(three_layers(), range(0, 17), parameter_bytes), expected);
}

TEST(Gradients, are_four_bytes_for_each_parameter) {
  const auto bytes = gradients_of(three_layers(), range(0, 4 * 17), 1);
  EXPECT_EQ(sizes_of(bytes), (std::vector<std::size_t>{8, 8, 32, 4, 16}));
}

TEST(Gradients, two_byte_gradients_are_complete_in_larger_elements) {
  EXPECT_EQ(sizes_of(gradients_of(three_layers(), range(0, 2 * 17), 1, 2)),
            (std::vector<std::size_t>{4, 4, 16, 2, 8}));
  const Range whole = range(3, (2 * 17 + 3) / 4);
  expect_tiles(gradients_of(three_layers(), whole, 4, 2), whole);
}

TEST(Gradients, lie_where_the_vector_lies) {
  const Range whole = range(100, 17);
  expect_tiles(gradients_of(three_layers(), whole, parameter_bytes), whole);
}

TEST(Tensors, are_counted_where_a_part_of_them_lies) {
  const auto gradients = of_sizes({2, 3, 5});
  EXPECT_EQ(tensors_in(gradients, range(0, 10)), 3U);
  EXPECT_EQ(tensors_in(gradients, range(4, 2)), 2U);
  EXPECT_EQ(tensors_in(gradients, range(5, 3)), 1U);
  EXPECT_EQ(tensors_in(gradients, range(5, 0)), 0U);
}

TEST(Together, gradients_side_by_side_are_one_range_and_wait_for_the_last_of_them) {
  const auto gradients = of_sizes({2, 3, 5});
  EXPECT_EQ(together(gradients), (Gradient{range(0, 10), 3}));
  EXPECT_EQ(together(std::span(gradients).first(2)), (Gradient{range(5, 5), 2}));
  EXPECT_EQ(together(std::span(gradients).last(1)), gradients[2]);
}

TEST(Buckets, are_closed_by_the_tensor_that_fills_them) {
  EXPECT_EQ(sizes_of(buckets_of(of_sizes({3, 3, 3, 3, 3}), 6, 6)),
            (std::vector<std::size_t>{6, 6, 3}));
  EXPECT_EQ(sizes_of(buckets_of(of_sizes({5, 5, 5}), 6, 6)), (std::vector<std::size_t>{10, 5}));
}

TEST(Buckets, first_bucket_is_smaller_for_an_early_exchange) {
  EXPECT_EQ(sizes_of(buckets_of(of_sizes({1, 1, 1, 1, 1, 1}), 1, 4)),
            (std::vector<std::size_t>{1, 4, 1}));
}

TEST(Buckets, zero_size_puts_each_tensor_in_a_bucket) {
  EXPECT_EQ(sizes_of(buckets_of(of_sizes({4, 1, 9}), 0, 0)), (std::vector<std::size_t>{4, 1, 9}));
}

TEST(Fused, is_what_fits_and_at_least_one) {
  const auto gradients = of_sizes({4, 4, 4});
  EXPECT_EQ(fused(gradients, 12), 3U);
  EXPECT_EQ(fused(gradients, 11), 2U);
  EXPECT_EQ(fused(gradients, 8), 2U);
  EXPECT_EQ(fused(gradients, 3), 1U);
  EXPECT_EQ(fused(gradients, 0), 1U);
  EXPECT_EQ(fused({}, 8), 0U);
}

TEST(Fused, buffers_never_hold_more_than_fits_unless_one_tensor_does) {
  EXPECT_EQ(sizes_of(fused_buffers(of_sizes({3, 3, 3, 9, 1}), 6)),
            (std::vector<std::size_t>{6, 3, 9, 1}));
}

TEST(Buckets, tile_the_vector_whatever_their_size) {
  const Range whole = range(0, 17);
  const auto gradients = gradients_of(three_layers(), whole, parameter_bytes);
  for (std::size_t most = 0; most <= 20; ++most) {
    expect_tiles(buckets_of(gradients, most, most), whole);
    expect_tiles(buckets_of(gradients, 1, most), whole);
    expect_tiles(fused_buffers(gradients, most), whole);
  }
}

}  // namespace
}  // namespace ringscope
