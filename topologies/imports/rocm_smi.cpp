// SPDX-License-Identifier: LGPL-2.1-or-later
// The text of `rocm-smi --showtopo`: links of every two GPUs, and the domain of each. That of
// `amd-smi topology` has the same tables under other titles, and no domains.
//
// Source: ROCm/rocm_smi_lib, python_smi_tools/rocm_smi.py, showHopsTopology(), showTypeTopology()
// and showNumaTopology().
#include <array>
#include <map>

#include "topologies/imports/imports.hpp"
#include "topologies/imports/nvidia_smi.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_gpus = 64;

/// The table below "=== Hops between two GPUs ===": symmetric, 0 on its diagonal.
std::vector<SmiLine> table_of(std::span<const SmiLine> lines, const Place& whole,
                              std::string_view title) {
  const std::array words = {title.substr(title.rfind(' ') + 1), std::string_view("between")};
  const auto above = std::ranges::find_if(lines, [&](const SmiLine& line) {
    return !std::ranges::search(line, words, {}, &Value::scalar).empty();
  });
  if (above == lines.end())
    throw InputError(
        whole,
        "expected the table \"{} between two GPUs\", got none: `rocm-smi --showtopo` prints it, "
        "and `amd-smi topology` one of the same content",
        title);
  const auto [rows, columns] = read_smi_table({above, lines.end()}, (*above)[0].place(), most_gpus);
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const Value &cell = rows[i][j + 1], &other = rows[j][i + 1];
      if (i == j ? cell.scalar() != "0" : cell.scalar() != other.scalar())
        cell.fail("expected \"{}\", {}, got \"{}\"", i == j ? "0" : other.scalar(),
                  i == j ? "as of a GPU to itself" : "as the other way", cell.scalar());
    }
  }
  return rows;
}

/// By GPU: "GPU[0] : (Topology) Numa Node: 0", or "GPU 0 : ...".
std::map<std::string, std::string> domains_of(std::span<const SmiLine> lines) {
  constexpr int most_nodes = 65535;
  const std::array words = {"Numa", "Node:"};
  std::map<std::string, std::string> domains;
  for (const SmiLine& line : lines) {
    if (line.size() < 4 || std::ranges::search(line, words, {}, &Value::scalar).empty()) continue;
    std::string name = line[0].scalar() + (line[0].scalar() == "GPU" ? line[1].scalar() : "");
    std::erase_if(name, [](char c) { return c == '[' || c == ']'; });
    domains.try_emplace(name, std::to_string(line.back().integer(-1, most_nodes)));
  }
  return domains;
}

SmiCell cell_of(const Value& type, const Value& hops) {
  static const std::vector<std::string> types = {"0", "PCIE", "XGMI", "XXXX"};  // XXXX: not known
  const std::size_t index = type.one_of("link type", types);
  if (index == 0) return {Relation::self, 0};
  const bool direct = index == 2 && hops.integer(1, most_gpus) == 1;
  return {direct ? Relation::nv : Relation::sys, direct ? 1 : 0};
}

/// Lines of `amd-smi topology` in the words of rocm-smi; GPUs, by bus id, as GPU0, GPU1, ...
std::vector<SmiLine> in_words_of_rocm_smi(std::vector<SmiLine> lines) {
  std::map<std::string, std::string> words = {
      {"TYPE", "Type"}, {"HOPS", "Hops"}, {"TABLE:", "between"}, {"SELF", "0"}, {"N/A", "XXXX"}};
  const auto is_bus_id = [](const Value& one) {
    return one.scalar().size() > 7 && one.scalar()[4] == ':' && one.scalar()[7] == ':';
  };
  const auto head = std::ranges::find_if(
      lines, [&](const SmiLine& line) { return !line.empty() && is_bus_id(line.front()); });
  if (head != lines.end())
    for (int gpu = 0; const Value& bus_id : *head)
      words.try_emplace(bus_id.scalar(), "GPU" + std::to_string(gpu++));
  for (SmiLine& line : lines)
    for (Value& one : line)
      if (const auto known = words.find(one.scalar()); known != words.end())
        one = Value::scalar_at(one.place(), known->second);
  return lines;
}

ImportedHost machine_in(const std::vector<SmiLine>& lines, const Place& whole) {
  const auto types = table_of(lines, whole, "Link Type"), hops = table_of(lines, whole, "Hops");
  auto domains = domains_of(lines);
  const bool in_one_domain = domains.empty();
  if (in_one_domain)
    for (const SmiLine& row : types) domains[row[0].scalar()] = "0";
  SmiMatrix matrix{.devices = {}, .cells = {}, .is_xgmi = true};
  if (hops.size() != types.size())
    hops[0][0].fail("expected {} GPUs, as there are link types, got {}", types.size(), hops.size());
  bool indirect = false;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Value& name = types[i][0];
    const auto domain = domains.find(name.scalar());
    if (domain == domains.end())
      name.fail("expected a line \"(Topology) Numa Node: N\" for '{}', got none", name.scalar());
    matrix.devices.push_back({name.scalar(), true, {}, domain->second, name.place()});
    matrix.cells.emplace_back();
    for (std::size_t j = 1; j <= types.size(); ++j) {
      matrix.cells[i].push_back(cell_of(types[i][j], hops[i][j]));
      indirect |=
          matrix.cells[i].back().relation == Relation::sys && types[i][j].scalar() != "PCIE";
    }
  }
  ImportedHost machine = machine_of(std::move(matrix));
  if (indirect)
    machine.note(
        "omitted: xGMI of several hops and links that are not known (XXXX); these GPUs "
        "reach each other over PCIe");
  if (in_one_domain)
    machine.note(
        "guessed: one NUMA domain for all GPUs, because no line specifies it; `rocm-smi "
        "--showtopo` prints the domains");
  return machine;
}

}  // namespace

ImportedHost read_rocm_smi(const std::shared_ptr<const Source>& source) {
  return machine_in(smi_lines(source), {source, 0, 0});
}

ImportedHost read_amd_smi(const std::shared_ptr<const Source>& source) {
  return machine_in(in_words_of_rocm_smi(smi_lines(source)), {source, 0, 0});
}

}  // namespace ringscope
