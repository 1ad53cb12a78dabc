// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/key.hpp"

#include <openssl/sha.h>

#include <filesystem>

#include <fmt/format.h>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "sim/studies/model_digest.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

/// Names are for people; where the ranks are says the placement itself, whose text may name files.
bool matters(const std::string& key) {
  return key != "question" && key != "cases" && key != "placement";
}

void append(std::string& bytes, const Location& where) {
  const int core = where.binding == Binding::core ? where.core : -1;
  fmt::format_to(std::back_inserter(bytes), "{},{},{},{},{},{},{},{};", where.host, where.numa,
                 core, static_cast<int>(where.binding), where.gpu,
                 static_cast<int>(where.memory.kind), where.memory.domain,
                 static_cast<int>(where.nics) + std::max(0, where.nic));
}

/// Content of a file that stands in the scenario by its path alone.
void append_file(std::string& bytes, const std::string& path) {
  constexpr std::uintmax_t mebibyte = 1 << 20;
  std::error_code gone;  // which read_file() tells
  const std::uintmax_t size = std::filesystem::file_size(path, gone);
  const std::size_t most = gone ? 1 : static_cast<std::size_t>(size / mebibyte) + 1;
  bytes += "file" + to_hex(sha256(read_file(path, most)));
}

void append_files(std::string& bytes, const Job& job) {
  if (job.schedule != nullptr)
    for (const std::string& path : job.schedule->read) append_file(bytes, path);
  if (!job.rings_file.empty()) append_file(bytes, job.rings_file);
}

}  // namespace

std::string model_version() { return std::string(version()) + " " + model_digest; }

Key scenario_key(const Scenario& scenario, std::string_view kernel) {
  std::string bytes = fmt::format("{}\n{}\n", model_version(), kernel);
  for (const Value::Entry& entry : scenario.resolved.entries()) {
    if (!matters(entry.key)) continue;
    bytes += entry.key;
    bytes += canonical(entry.value, {"about", "name"});
  }
  bytes += "placement";
  for (const Location& where : scenario.placement.ranks) append(bytes, where);
  append_files(bytes, scenario.job);
  for (const Neighbour& one : scenario.neighbours) {
    bytes += "neighbour";
    append_files(bytes, one.job);
    for (const Location& where : one.placement.ranks) append(bytes, where);
  }
  return sha256(bytes);
}

Key sha256(std::string_view bytes) {
  Key key{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), key.data());
  return key;
}

std::string to_hex(const Key& key) { return fmt::format("{:02x}", fmt::join(key, "")); }

}  // namespace ringscope
