// SPDX-License-Identifier: LGPL-2.1-or-later
// Does each probe measure what the fake GPUs are made to take?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "validation/executors/cuda/probes/probe.hpp"
#include "validation/executors/cuda/testing/fake_gpus.hpp"

namespace ringscope::cuda::probe_test {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint64_t kib = 1024, size = 256 * kib, segment = 64 * kib;

FakeParameters two_gpus(bool peers) {
  return {.gpus = 2, .event_s = 0, .peers = {2, std::vector<bool>(2, peers)}};
}

/// {"what parameters": median}, of one probe.
std::map<std::string, double> measured(FakeParameters parameters, const std::string& name,
                                       std::vector<std::uint64_t> sizes = {size}) {
  FakeGpus gpus(std::move(parameters));
  const ProbedGpus probed{&gpus, {0, 1}, 2, {segment}};
  Bench bench(gpus, {.sizes = std::move(sizes), .repetitions = 5}, 100);
  for (const Probe& probe : probes)
    if (probe.name == name)
      for (const Series& series : probe.plan(probed)) bench.run(series);
  std::map<std::string, double> found;
  for (const Json& one : bench.measurements()) {
    EXPECT_EQ(one["what"], name);
    std::string words;
    for (const auto& [key, value] : one["parameters"].items())
      words += fmt::format("{}{}={}", words.empty() ? "" : " ", key,
                           value.is_string() ? value.get<std::string>() : value.dump());
    EXPECT_TRUE(found.emplace(words, one["median_s"]).second) << words << " is a duplicate";
  }
  return found;
}

void expect_seconds(const std::map<std::string, double>& found, const std::string& words,
                    double seconds) {
  const auto place = found.find(words);
  ASSERT_NE(place, found.end()) << words;
  EXPECT_NEAR(place->second, seconds, 1e-9 * seconds) << words;
}

std::string copy_words(const char* direction, const char* memory, const char* more = "") {
  return fmt::format("bytes={} gpu=1 direction={} memory={}{}", size, direction, memory, more);
}

// An engine makes one copy after the other, whoever asked for it; it has one for each direction.
TEST(Probes, copies_share_the_engine_of_their_direction) {
  const FakeParameters fake = two_gpus(false);
  const auto found = measured(fake, "gpu_copy");
  for (const int streams : {1, 2}) {
    const std::string more = fmt::format(" streams={}", streams);
    const auto expect = [&](const char* direction, const char* memory, double each_s) {
      expect_seconds(found, copy_words(direction, memory, more.c_str()), streams * each_s);
    };
    expect("h2d", "pinned", fake.h2d.seconds(size));
    expect("d2h", "pinned", fake.d2h.seconds(size));
    expect("both", "pinned", std::max(fake.h2d.seconds(size), fake.d2h.seconds(size)));
    expect("d2d", "device", fake.d2d.seconds(size));
    expect("h2d", "pageable", fake.pageable.seconds(size));
    expect("both", "pageable", 2 * fake.pageable.seconds(size));  // each call waits for its copy
  }
}

TEST(Probes, a_copy_that_is_waited_for_takes_its_event_too) {
  FakeParameters fake = two_gpus(false);
  fake.event_s = 1e-6;
  const auto found = measured(fake, "gpu_copy_done");
  expect_seconds(found, copy_words("h2d", "pinned"), fake.h2d.seconds(size) + fake.event_s);
  expect_seconds(found, copy_words("d2h", "pageable"), fake.pageable.seconds(size) + fake.event_s);
  expect_seconds(found, copy_words("d2d", "device"), fake.d2d.seconds(size) + fake.event_s);
  EXPECT_EQ(found.size(), 2U * 5);
}

TEST(Probes, peers_exchange_both_ways_at_once) {
  const FakeParameters fake = two_gpus(true);
  const auto found = measured(fake, "gpu_peer_copy");
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 0)})
    expect_seconds(found,
                   fmt::format("bytes={} from={} to={} access=peer directions=1", size, from, to),
                   fake.peer.seconds(size));
  expect_seconds(found, fmt::format("bytes={} from=0 to=1 access=peer directions=2", size),
                 fake.peer.seconds(size));
  EXPECT_EQ(found.size(), 3U);
}

TEST(Probes, those_that_are_no_peers_are_staged_by_the_driver) {
  const FakeParameters fake = two_gpus(false);
  expect_seconds(measured(fake, "gpu_peer_copy_done"),
                 fmt::format("bytes={} from=1 to=0 access=staged", size),
                 fake.d2h.seconds(size) + fake.h2d.seconds(size));
}

TEST(Probes, a_kernel_has_its_call_its_turn_and_its_end) {
  FakeParameters fake = two_gpus(false);
  fake.event_s = 1e-6;
  const auto found = measured(fake, "gpu_launch");
  expect_seconds(found, "gpu=0 until=known", fake.launch_s + fake.event_s);
  EXPECT_NEAR(found.at("gpu=0 until=queued"), fake.launch_s, fake.event_s / 5);
  EXPECT_FALSE(found.contains("gpu=0 until=called"));  // a call takes no time at all
}

TEST(Probes, a_call_takes_the_host_its_time) {
  FakeParameters fake = two_gpus(false);
  fake.call_s = 3e-6;
  expect_seconds(measured(fake, "gpu_launch"), "gpu=1 until=called", fake.call_s);
}

TEST(Probes, the_end_of_a_stream_is_noticed) {
  FakeParameters fake = two_gpus(false);
  fake.event_s = 1e-6;
  const auto found = measured(fake, "gpu_notice");
  expect_seconds(found, "gpu=0 by=polling", fake.event_s);
  expect_seconds(found, "gpu=0 by=synchronizing", fake.event_s);
  expect_seconds(found, "gpu=0 by=callback", fake.callback_s);
}

TEST(Probes, a_reduction_takes_its_rate) {
  const FakeParameters fake = two_gpus(false);
  const auto found = measured(fake, "gpu_reduction", {4, size});
  expect_seconds(found, "bytes=4 gpu=0", fake.reduce.seconds(4));
  expect_seconds(found, fmt::format("bytes={} gpu=1", size), fake.reduce.seconds(size));
}

// One segment comes up while the one before goes down: of all but the first and the last, only the
// slower way counts.
TEST(Probes, staged_segments_follow_each_other) {
  const FakeParameters fake = two_gpus(false);
  const double up_s = fake.d2h.seconds(segment), down_s = fake.h2d.seconds(segment);
  const auto segments = static_cast<double>(size) / segment;
  const auto found = measured(fake, "staged_pipeline", {4 * kib, size});
  expect_seconds(found, fmt::format("bytes={} gpu=0 segment={} memory=pinned", size, segment),
                 up_s + (segments - 1) * std::max(up_s, down_s) + down_s);
  expect_seconds(found, fmt::format("bytes={} gpu=0 segment={} memory=pageable", size, segment),
                 segments * 2 * fake.pageable.seconds(segment));
  EXPECT_EQ(found.size(), 2U * 2);  // none shorter than a segment
}

TEST(Probes, what_does_not_fit_is_left_out_and_said) {
  FakeParameters fake = two_gpus(false);
  fake.memory_bytes = 64 * kib;
  FakeGpus gpus(fake);
  Bench bench(gpus, {.sizes = {16 * kib, 20 * kib}, .repetitions = 5}, 1);
  EXPECT_EQ(bench.sizes(0, 2), (std::vector<std::uint64_t>{16 * kib}));
  ASSERT_EQ(bench.notes().size(), 1U);
  EXPECT_NE(bench.notes()[0].find("20 KiB and more omitted: 64 KiB of memory are free"),
            std::string::npos)
      << bench.notes()[0];
}

}  // namespace
}  // namespace ringscope::cuda::probe_test
