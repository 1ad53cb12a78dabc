// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every quantity read as what it says, and every text that we print read back the same?
#include "topologies/input/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ringscope {
namespace {

constexpr double kilo = 1e3, mega = 1e6, giga = 1e9, tera = 1e12;
constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB, TiB = 1024 * GiB;

TEST(Units, bytes_read_with_decimal_and_binary_prefixes) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"0 B", 0},          {"1B", 1},
      {"3 kB", 3000},      {"2 MB", 2000000},
      {"5 KiB", 5 * KiB},  {"64 MiB", 64 * MiB},
      {"64MiB", 64 * MiB}, {"1 GB", 1000000000},
      {"1 GiB", GiB},      {"2 TiB", 2 * TiB},
      {"1.5 KiB", 1536},   {"1.1 kB", 1100},
      {" 7 B ", 7},        {"1e3 B", 1000},
      {".5 KiB", 512},     {"unlimited", std::numeric_limits<std::uint64_t>::max()}};
  for (const auto& [text, count] : cases) {
    const auto bytes = parse_bytes(text);
    ASSERT_TRUE(bytes) << text;
    EXPECT_EQ(bytes->count, count) << text;
  }
}

TEST(Units, a_bit_is_an_eighth_of_a_byte) {
  const std::pair<const char*, double> cases[] = {{"8 bit/s", 1},
                                                  {"10 Gbit/s", 10 * giga / 8},
                                                  {"10Gbit/s", 10 * giga / 8},
                                                  {"100 Mbit/s", 100 * mega / 8},
                                                  {"64 kbit/s", 64 * kilo / 8},
                                                  {"1 Tbit/s", tera / 8},
                                                  {"12.5 GB/s", 12.5 * giga},
                                                  {"1 kB/s", kilo},
                                                  {"3 MB/s", 3 * mega},
                                                  {"1 KiB/s", 1024},
                                                  {"1 MiB/s", 1024.0 * 1024},
                                                  {"2 GiB/s", 2.0 * 1024 * 1024 * 1024},
                                                  {"7 B/s", 7}};
  for (const auto& [text, rate] : cases) {
    const auto bandwidth = parse_bandwidth(text);
    ASSERT_TRUE(bandwidth) << text;
    EXPECT_EQ(bandwidth->bytes_per_second, rate) << text;
  }
  EXPECT_TRUE(parse_bandwidth("unlimited")->is_unlimited());
  EXPECT_EQ(Bytes{GiB} / Bandwidth::unlimited(), Seconds(0));
}

TEST(Units, a_time_is_the_double_nearest_to_its_decimal_text) {
  const std::pair<const char*, double> cases[] = {
      {"1.5 us", 1.5e-6},      {"1.5us", 1.5e-6},   {"1.5 \u00b5s", 1.5e-6},
      {"1.5 \u03bcs", 1.5e-6}, {"0 s", 0},          {"3 ms", 3e-3},
      {"20 ns", 20e-9},        {"250 ps", 250e-12}, {"1e3 us", 1e-3},
      {"0.1 us", 0.1e-6},      {"12 s", 12}};
  for (const auto& [text, seconds] : cases) {
    const auto time = parse_seconds(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(time->count(), seconds) << text;
  }
}

TEST(Units, a_cost_is_a_time_per_byte) {
  EXPECT_EQ(parse_byte_cost("0.8 ns/B")->seconds_per_byte, 0.8e-9);
  EXPECT_EQ(parse_byte_cost("80 ps/B")->seconds_per_byte, 80e-12);
  EXPECT_EQ(parse_byte_cost("2us/B")->seconds_per_byte, 2e-6);
  EXPECT_EQ(parse_byte_cost("0 s/B")->seconds_per_byte, 0);
}

TEST(Units, wrong_units_are_rejected) {
  for (const char* text : {"",
                           " ",
                           "B",
                           "64",
                           "-1 B",
                           "+1 B",
                           "1.5 B",
                           "0.3 KiB",
                           "1 Gbit",
                           "1 kb",
                           "1 KB",
                           "1 mb",
                           "inf B",
                           "nan B",
                           "0x10 B",
                           "1e B",
                           "1e+ B",
                           "1.2.3 B",
                           "1 B B",
                           "20000000 TB",
                           "18446744073709551615 B",
                           "1e30 B",
                           "1e99999999999 B",
                           "64 MiB/s",
                           "limited",
                           ". B"})
    EXPECT_FALSE(parse_bytes(text)) << text;
  for (const char* text : {"", "10", "10G", "10 Gb/s", "10 GB", "10 gbit/s", "-1 B/s", "1e400 B/s",
                           "inf", "nan B/s", "10 Gbit", "1 B/s/s"})
    EXPECT_FALSE(parse_bandwidth(text)) << text;
  for (const char* text : {"", "1", "1 S", "1 sec", "1 min", "-0 s", "1e-400 s", "1 us/B", "1 u"})
    EXPECT_FALSE(parse_seconds(text)) << text;
  for (const char* text : {"", "1", "1 ns", "1 B/s", "1 us/KiB", "-1 ns/B"})
    EXPECT_FALSE(parse_byte_cost(text)) << text;
}

TEST(Units, texts_are_short) {
  EXPECT_EQ(to_text(Bytes{64 * MiB}), "64 MiB");
  EXPECT_EQ(to_text(Bytes{1000}), "1 kB");
  EXPECT_EQ(to_text(Bytes{1536}), "1.5 KiB");
  EXPECT_EQ(to_text(Bytes{1234567}), "1234567 B");
  EXPECT_EQ(to_text(Bytes{65537}), "65537 B");  // beside "64 KiB", not "65.537 kB"
  EXPECT_EQ(to_text(Bytes{100'000'000}), "100 MB");
  EXPECT_EQ(to_text(Bytes{0}), "0 B");
  EXPECT_EQ(to_text(*parse_bytes("unlimited")), "unlimited");
  EXPECT_EQ(to_text(Bandwidth{12.5 * giga}), "12.5 GB/s");
  EXPECT_EQ(to_text(Bandwidth::unlimited()), "unlimited");
  EXPECT_EQ(to_text(Bandwidth{5}), "5 B/s");
  EXPECT_EQ(to_text(Seconds(1.5e-6)), "1.5 us");
  EXPECT_EQ(to_text(Seconds(0)), "0 s");
  EXPECT_EQ(to_text(Seconds(3600)), "3600 s");
  EXPECT_EQ(to_text(Seconds(1e-3)), "1 ms");
  EXPECT_EQ(to_text(Seconds(999e-6)), "999 us");
  EXPECT_EQ(to_text(Seconds(0.5e-12)), "0.5 ps");
  EXPECT_EQ(to_text(ByteCost{0.8e-9}), "800 ps/B");
  EXPECT_EQ(to_text(ByteCost{}), "0 s/B");
}

TEST(Units, short_texts_round_and_then_choose_the_unit) {
  EXPECT_EQ(to_short_text(Seconds(41.23456e-6), 3), "41.2 us");
  EXPECT_EQ(to_short_text(Seconds(999.96e-6)), "1 ms");
  EXPECT_EQ(to_short_text(Seconds(1.0 / 3)), "333.3 ms");
  EXPECT_EQ(to_short_text(Bandwidth{1.25e9}), "1.25 GB/s");
  EXPECT_EQ(to_short_text(Bytes{64 * MiB}), "64 MiB");
  EXPECT_EQ(to_short_text(Bytes{64 * MiB / 3}), "21.33 MiB");
}

TEST(Units, every_text_reads_back_as_the_same_value) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-15, 15);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    EXPECT_EQ(parse_seconds(to_text(Seconds(value)))->count(), value);
    EXPECT_EQ(parse_bandwidth(to_text(Bandwidth{value}))->bytes_per_second, value);
    EXPECT_EQ(parse_byte_cost(to_text(ByteCost{value}))->seconds_per_byte, value);
    const Bytes bytes{random() >> (i % 64)};
    EXPECT_EQ(parse_bytes(to_text(bytes)), bytes);
  }
}

}  // namespace
}  // namespace ringscope
