// SPDX-License-Identifier: LGPL-2.1-or-later
// ringscope-cuda-fake: RINGSCOPE_FAKE="gpus=2,peers=1,memory=1000000" says what its GPUs are like.

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include "cli/cuda/open_gpus.hpp"
#include "cli/terminal/failure.hpp"
#include "validation/executors/cuda/testing/fake_collectives.hpp"
#include "validation/executors/cuda/testing/fake_gpus.hpp"

namespace ringscope::cuda {
namespace {

std::map<std::string, std::uint64_t> settings() {
  std::map<std::string, std::uint64_t> found = {{"gpus", 1}, {"peers", 0}, {"memory", 1U << 30},
                                                {"seed", 0}, {"fail", 0},  {"hang", 0}};
  const char* text = std::getenv("RINGSCOPE_FAKE");
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    const auto known = found.find(word.substr(0, equals));
    if (known == found.end() || equals == std::string::npos)
      throw BadInput("RINGSCOPE_FAKE: unknown: {}", word);
    known->second = std::stoull(word.substr(equals + 1));
  }
  return found;
}

}  // namespace

std::unique_ptr<Gpus> open_gpus() {
  const auto set = settings();
  const auto gpus = static_cast<std::size_t>(set.at("gpus"));
  if (gpus == 0) throw BadInput("no GPU found: none was asked for");
  FakeParameters parameters{.gpus = static_cast<int>(gpus),
                            .memory_bytes = set.at("memory"),
                            .peers = {},
                            .seed = set.at("seed"),
                            .jitter = set.at("seed") == 0 ? 0.0 : 3.0};
  if (set.at("peers") != 0) parameters.peers.assign(gpus, std::vector<bool>(gpus, true));
  auto fake = std::make_unique<FakeGpus>(std::move(parameters));
  fake->fail_call(set.at("fail"));
  fake->hang_operation(set.at("hang"));
  return fake;
}

std::unique_ptr<CollectiveLibrary> open_collectives(Gpus& gpus) {
  return make_fake_collectives(gpus);
}

}  // namespace ringscope::cuda
