#include "scenarios/report.hpp"

#include <algorithm>

#include "scenarios/report_formats.hpp"
#include "scenarios/report_text.hpp"

namespace ringscope {
namespace {

struct Words {
  std::string_view cause;
  std::string_view preposition;  ///< between the cause and the resource or rank
};

constexpr std::array<Words, cause_names.size()> words = {{{"computing", "on"},
                                                          {"reducing", "on"},
                                                          {"message overhead", "on"},
                                                          {"copying", "on"},
                                                          {"memory traffic", "in"},
                                                          {"the wire", "at"},
                                                          {"waiting for the lock", "of"},
                                                          {"latency", "of"},
                                                          {"handshakes", "with"},
                                                          {"waiting for the call", "of"},
                                                          {"waiting for progress", "of"},
                                                          {"a late start", "of"},
                                                          {"files", "at"},
                                                          {"waiting for a clock", "of"},
                                                          {"noise", "on"}}};

}  // namespace

double bus_factor(std::string_view collective, int ranks) {
  const double share = (ranks - 1.0) / ranks;
  if (collective == "allreduce") return 2 * share;
  for (const std::string_view spread :
       {"allgather", "reduce_scatter", "alltoall", "gather", "scatter"})
    if (collective == spread) return share;
  return 1;
}

std::string shown_name(const Report& report) {
  return report.deadlock ? report.name + " (deadlock)" : report.name;
}

double slowest_job_s(const Report& report) {
  double slowest = report.time_s;
  for (const NeighbourReport& one : report.neighbours) slowest = std::max(slowest, one.time_s);
  return slowest;
}

double mean_job_s(const Report& report) {
  double sum = report.time_s;
  for (const NeighbourReport& one : report.neighbours) sum += one.time_s;
  return sum / static_cast<double>(report.neighbours.size() + 1);
}

std::string piece_text(const PathPiece& piece, bool most) {
  std::string where = piece.resource;
  if (piece.rank >= 0 && where.find("(rank") == std::string::npos) {
    const std::string rank = "rank " + std::to_string(piece.rank);
    where += where.empty() ? rank : " (" + rank + ")";
  }
  const auto& [cause, preposition] = words[static_cast<std::size_t>(piece.cause)];
  std::string text(cause);
  if (where.empty()) return text;
  text.append(most ? ", most of it " : " ").append(preposition);
  return text.append(" ").append(where);
}

}  // namespace ringscope
