// SPDX-License-Identifier: LGPL-2.1-or-later
// Do kernels take the time of their operations, tiles and bytes?
#include "scenarios/workload/transformer.hpp"

#include <gtest/gtest.h>

namespace ringscope {
namespace {

Gpu gpu_of(const std::string& kernels, const std::string& bandwidth = "1 GB/s") {
  return read_gpu(
      Value::from_text("test", "{flops: 1e12, flops_fp8: 2e12, memory_bandwidth: " + bandwidth +
                                   ", "
                                   "kernels: {" +
                                   kernels + "}}"));
}

TEST(Kernels, product_takes_its_operations_and_the_filling_of_its_pipeline) {
  const Gpu gpu = gpu_of("matrix: 0.5");
  const GpuKernels kernels = {&gpu};
  // 2 m n (k + 128) operations at half of 1e12/s; nothing is written.
  EXPECT_DOUBLE_EQ(kernels.product_s(1280, 1280, 1e6, 0), 2 * 1280.0 * 1280 * (1e6 + 128) / 0.5e12);
  EXPECT_DOUBLE_EQ(kernels.product_s(1280, 1280, 1e6, 1e9) - kernels.product_s(1280, 1280, 1e6, 0),
                   1);
}

TEST(Kernels, product_with_a_part_of_a_wave_takes_the_whole_one) {
  const Gpu gpu = gpu_of("multiprocessors: 100", "1 TB/s");
  const GpuKernels kernels = {&gpu};
  // 10 x 15 tiles are 1.5 waves of 100 multiprocessors; 10 x 20 are two.
  const double one_and_a_half = kernels.product_s(1280, 1920, 1e7, 0);
  EXPECT_NEAR(one_and_a_half, kernels.product_s(1280, 2560, 1e7, 0), 1e-9 * one_and_a_half);
}

TEST(Kernels, thin_product_reads_its_operands) {
  const Gpu gpu = gpu_of("memory: 0.5");
  const GpuKernels kernels = {&gpu};
  // One row: k n items of 2 bytes at half of 1 GB/s take longer than 2 k n operations at 1e12/s.
  EXPECT_NEAR(kernels.product_s(1, 1000, 1000, 0), 1001 * 1000 * 2 / 0.5e9, 1e-12);
}

TEST(Kernels, fp8_doubles_the_rate_and_casts_operands) {
  const Gpu gpu = gpu_of("matrix_fp8: 1");
  const GpuKernels wide = {&gpu}, narrow = {&gpu, Precision::fp8};
  EXPECT_NEAR(narrow.product_s(1024, 1024, 1e8, 0) * 2, wide.product_s(1024, 1024, 1e8, 0), 1e-6);
  // An operand of 2 bytes is read, and two of one byte are written.
  const double product = narrow.product_s(128, 256, 512, 128 * 256 * 2);
  EXPECT_DOUBLE_EQ(narrow.forward_s(128, 256, 512), product + 128 * 512 * 4 / 1e9);
}

TEST(Kernels, attention_backward_has_its_own_share) {
  const Gpu gpu = gpu_of("attention: 0.5, attention_backward: 0.25");
  const GpuKernels kernels = {&gpu};
  EXPECT_DOUBLE_EQ(kernels.attention_s(1e12, false), 2);
  EXPECT_DOUBLE_EQ(kernels.attention_s(1e12, true), 4);
}

}  // namespace
}  // namespace ringscope
