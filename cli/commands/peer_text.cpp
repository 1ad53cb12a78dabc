// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/commands/peer_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "scenarios/answer/text/table.hpp"

namespace ringscope {
namespace {

std::string matrix_text(const std::vector<std::vector<double>>& values, double factor) {
  std::vector<TextTable::Column> columns = {{"to"}};
  for (std::size_t i = 0; i < values.size(); ++i) columns.push_back({std::to_string(i)});
  TextTable table(columns);
  for (std::size_t from = 0; from < values.size(); ++from) {
    std::vector<std::string> cells = {std::to_string(from)};
    for (const double value : values[from])
      cells.push_back(std::isfinite(value) ? fmt::format("{:.2f}", value * factor) : "-");
    table.add(std::move(cells));
  }
  return table.text(0);
}

std::string matrices_text(const PeerMatrix& matrix, std::string_view access) {
  return fmt::format("GPU to GPU, {}: bandwidth in GB/s, one way\n{}\n", access,
                     matrix_text(matrix.bandwidth, 1e-9)) +
         fmt::format("GPU to GPU, {}: bandwidth in GB/s, both ways at once\n{}\n", access,
                     matrix_text(matrix.both_ways, 1e-9)) +
         fmt::format("GPU to GPU, {}: latency in us\n{}", access,
                     matrix_text(matrix.latency_s, 1e6));
}

}  // namespace

std::string print_access(const Topology& topology, const Host& host) {
  std::vector<TextTable::Column> columns = {{"DMA:"}};
  for (std::size_t i = 0; i < host.gpus.size(); ++i) columns.push_back({std::to_string(i)});
  TextTable table(columns);
  for (std::size_t from = 0; from < host.gpus.size(); ++from) {
    std::vector<std::string> cells = {fmt::format("{}:", from)};
    for (const Vertex to : host.gpus)
      cells.emplace_back(topology.peer_access(host.gpus[from], to) ? "Y" : "N");
    table.add(std::move(cells));
  }
  return "GPU to GPU: peer access (Y), or through host memory (N)\n" + table.text(0);
}

std::string print_peers(const PeerMatrix& granted, const PeerMatrix& staged) {
  std::string text;
  for (std::size_t i = 0; i < granted.gpus.size(); ++i)
    text += fmt::format("{:>2}  {}\n", i, granted.gpus[i]);
  return text + '\n' + matrices_text(granted, "peer access as granted") + '\n' +
         matrices_text(staged, "without peer access");
}

std::string peers_csv(const PeerMatrix& matrix) {
  std::string text = "metric,src,dst,value\n";
  const auto add = [&](std::string_view metric, const auto& values, double factor) {
    for (std::size_t from = 0; from < values.size(); ++from)
      for (std::size_t to = 0; to < values.size(); ++to)
        if (std::isfinite(values[from][to]))
          text += fmt::format("{},{},{},{}\n", metric, from, to, values[from][to] * factor);
  };
  add("latency_us", matrix.latency_s, 1e6);
  add("bandwidth_gb_per_s", matrix.bandwidth, 1e-9);
  return text;
}

}  // namespace ringscope
