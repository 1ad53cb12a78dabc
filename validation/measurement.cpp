#include "validation/measurement.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <vector>

namespace ringscope {
namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string kernel_release() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return fmt::format("{} {}", names.sysname, names.release);
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

Provenance provenance_here(int count, const char* const* words) {
  Provenance here;
  here.program = fmt::format("{} {}", "ringscope-mpi", RINGSCOPE_VERSION);
  here.command = fmt::format("{}", fmt::join(words, words + count, " "));
  here.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  here.cpu = cpu_model();
  here.kernel = kernel_release();
  return here;
}

Spread spread_of(std::vector<double> samples_s) {
  std::sort(samples_s.begin(), samples_s.end());
  return {quantile(samples_s, 0.5), quantile(samples_s, 0.1), quantile(samples_s, 0.9)};
}

nlohmann::ordered_json to_json(const Provenance& p) {
  return {{"program", p.program}, {"command", p.command}, {"date", p.date},
          {"cpu", p.cpu},         {"kernel", p.kernel},   {"mpi", p.mpi},
          {"start", p.start},     {"timer_s", p.timer_s}, {"warmups", p.warmups}};
}

}  // namespace ringscope
