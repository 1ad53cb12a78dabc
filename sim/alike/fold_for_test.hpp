// For tests of folding: scenarios on a star, simulated with all ranks and with those of one host.
#pragma once

#include <fmt/core.h>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope {

inline constexpr double close = 1e-9;

inline std::string star(int hosts, const std::string& host = "{type: simple, cores: 8}",
                        const std::string& more = "") {
  return fmt::format(
      "cluster: {{network: star, hosts: {}, host: {}, link: {{bandwidth: 10 Gbit/s, latency: 5 "
      "us}}{}}}\n",
      hosts, host, more);
}

inline Report folded(const Scenario& scenario, std::string_view kernel = "fluid") {
  RunOptions options;
  options.kernel = kernel;
  options.fold_from = 2;
  return simulate(scenario, options);
}

inline Report whole(const Scenario& scenario, std::string_view kernel = "fluid") {
  RunOptions options;
  options.kernel = kernel;
  options.fold_from = never_fold;
  return simulate(scenario, options);
}

inline const std::string gradients_model =
    "{records: 1000, record: 1 kB, batch: 10, step: 30 ms, layers: ["
    "{name: a, parameters: 960000, flops: 1}, {name: b, parameters: 480000, flops: 2}]}";

inline Scenario training(const std::string& placement, const std::string& options,
                         const std::string& library, const std::string& algorithm = "ddp") {
  const int hosts = std::stoi(placement.substr(placement.find('x') + 1));
  return scenario_of(
      fmt::format("{}library: {}\nplacement: {}\nstorage: {{bandwidth: 1 GB/s}}\n"
                  "job: {{collective: training, algorithm: {}, options: {{model: {}, "
                  "{}}}}}\n",
                  star(hosts), library, placement, algorithm, gradients_model, options));
}

}  // namespace ringscope
