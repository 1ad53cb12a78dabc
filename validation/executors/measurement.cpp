// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/measurement.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "validation/executors/program_name.hpp"

namespace ringscope {
namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "";
}

std::string kernel_release() {
  utsname names{};
  if (uname(&names) != 0) return "";
  return fmt::format("{} {}", names.sysname, names.release);
}

/// "eth0 10 Gbit/s", or the name alone: virtual and wireless ones have no rate, or -1.
std::string with_rate(const std::string& name) {
  long long megabits = 0;
  std::ifstream(fmt::format("/sys/class/net/{}/speed", name)) >> megabits;
  if (megabits <= 0) return name;
  if (megabits % 1000 == 0) return fmt::format("{} {} Gbit/s", name, megabits / 1000);
  return fmt::format("{} {} Mbit/s", name, megabits);
}

// The kernel knows the interfaces of this network namespace; /sys may still show another's.
std::vector<std::string> interfaces() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  std::set<std::string> up;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    constexpr unsigned running = IFF_UP | IFF_RUNNING;
    if ((one->ifa_flags & (running | IFF_LOOPBACK)) == running) up.insert(with_rate(one->ifa_name));
  }
  return {up.begin(), up.end()};
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

/// Hosts in the order of their first ranks, each with its number of ranks.
std::vector<std::pair<std::string, int>> ranks_per_host(const std::vector<std::string>& hosts) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::string& host : hosts) {
    auto known = std::ranges::find_if(counts, [&](const auto& one) { return one.first == host; });
    if (known == counts.end()) known = counts.insert(known, {host, 0});
    ++known->second;
  }
  return counts;
}

constexpr double shortest_s = 0.2;  ///< 20 ticks of 10 ms: a tick more or less is 0.05 cores

}  // namespace

std::string recorded_command(std::span<char* const> words) {
  std::string text = recorded_program(words.front());
  for (const char* word : words.subspan(1)) text += fmt::format(" {}", word);
  return text;
}

Provenance provenance_here(std::string command, std::string_view program) {
  Provenance here;
  here.program = fmt::format("{} {}", program, RINGSCOPE_VERSION);
  here.command = std::move(command);
  here.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  here.cpu = cpu_model();
  here.nic = interfaces();
  here.kernel = kernel_release();
  return here;
}

std::string host_name() {
  utsname names{};
  return uname(&names) == 0 ? names.nodename : "";
}

Spread spread_of(std::vector<double> samples_s) {
  std::ranges::sort(samples_s);
  return {quantile(samples_s, 0.5), quantile(samples_s, 0.1), quantile(samples_s, 0.9)};
}

std::string placement_text(const std::vector<std::string>& hosts) {
  std::vector<int> counts;
  for (const auto& [host, count] : ranks_per_host(hosts)) counts.push_back(count);
  return fmt::format("{}", fmt::join(counts, "-"));
}

int hosts_count(const std::vector<std::string>& hosts) {
  return static_cast<int>(ranks_per_host(hosts).size());
}

nlohmann::ordered_json to_json(const Provenance& p) {
  nlohmann::ordered_json where = {
      {"program", p.program},   {"command", p.command}, {"date", p.date},
      {"hosts", p.hosts},       {"cpu", p.cpu},         {"nic", p.nic},
      {"kernel", p.kernel},     {"mpi", p.mpi},         {"start", p.start},
      {"timer_s", p.timer_s},   {"warmups", p.warmups}, {"link_bandwidth", p.link_bandwidth},
      {"emulated", p.emulated}, {"source", ""}};
  if (!p.devices.empty()) where["devices"] = p.devices;
  if (!p.driver.empty()) where["driver"] = p.driver;
  if (p.instrument_s > 0) where["instrument_s"] = p.instrument_s;
  if (p.foreign) {
    where["foreign_cores"] = p.foreign->used;
    where["cores"] = p.foreign->cores;
  }
  return where;
}

nlohmann::ordered_json measurement_json(std::string_view what, nlohmann::ordered_json parameters,
                                        const std::vector<double>& samples_s) {
  const Spread spread = spread_of(samples_s);
  return {{"what", what},           {"parameters", std::move(parameters)},
          {"samples_s", samples_s}, {"median_s", spread.median_s},
          {"p10_s", spread.p10_s},  {"p90_s", spread.p90_s}};
}

nlohmann::ordered_json measurement_document(std::string_view kind, const Provenance& where,
                                            nlohmann::ordered_json measurements) {
  return {{"schema", 2},
          {"kind", kind},
          {"where", to_json(where)},
          {"measurements", std::move(measurements)}};
}

std::optional<MachineCpu> machine_cpu_of(std::istream& stat) {
  const double tick_s = 1 / static_cast<double>(sysconf(_SC_CLK_TCK));
  MachineCpu found;
  for (std::string line; std::getline(stat, line) && line.starts_with("cpu");) {
    std::istringstream words(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0;
    words >> name >> user >> nice >> system >> idle >> waiting >> irq >> softirq >> stolen;
    if (!words) return std::nullopt;
    if (name == "cpu")
      found.busy_s = (user + nice + system + stolen) * tick_s;
    else
      ++found.cores;
  }
  if (found.cores == 0) return std::nullopt;
  return found;
}

std::optional<MachineCpu> machine_cpu() {
  std::ifstream stat("/proc/stat");
  return machine_cpu_of(stat);
}

std::string machine_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id.empty() ? host_name() : id;
}

std::optional<ForeignLoad> foreign_load(std::span<const CpuUse> processes) {
  std::map<std::string, CpuUse> machines;
  for (const CpuUse& one : processes) {
    CpuUse& all = machines[one.machine];
    all.seconds = std::max(all.seconds, one.seconds);
    all.busy_s = std::max(all.busy_s, one.busy_s);
    all.own_s += one.own_s;
    all.cores = one.cores;
  }
  std::optional<ForeignLoad> most;
  for (const auto& [name, all] : machines) {
    if (all.seconds < shortest_s) continue;
    const double cores = std::max(0.0, all.busy_s - all.own_s) / all.seconds;
    const double used = std::round(cores * 1000) / 1000;  // a document and a warning say the same
    if (!most || used > most->used) most = {used, all.cores};
  }
  return most;
}

std::string foreign_load_text(const ForeignLoad& load) {
  if (load.used <= most_foreign_cores) return "";
  return fmt::format("others used {:.1f} of {} cores meanwhile: measure again", load.used,
                     load.cores);
}

}  // namespace ringscope
