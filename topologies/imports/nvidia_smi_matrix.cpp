// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <charconv>
#include <map>

#include "topologies/imports/nvidia_smi.hpp"
#include "topologies/placement/hostfile.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_devices = 256;

void check_row(const SmiLine& row, const SmiLine& head, const SmiTable& table) {
  const std::string& column = head[table.rows.size()].scalar();
  if (row[0].scalar() != column)
    row[0].fail("expected the row of '{}', got '{}'", column, row[0].scalar());
  // Nothing stands behind the cells where the head ends with them.
  if (row.size() <= table.columns || (head.size() == table.columns && row.size() > head.size() + 1))
    row[0].fail("expected {} cells in the row of '{}', got {}", table.columns, column,
                row.size() - 1);
  if (std::ranges::any_of(table.rows,
                          [&](const SmiLine& one) { return one[0].scalar() == column; }))
    row[0].fail("duplicate device '{}'", column);
}

SmiCell read_cell(const Value& word) {
  static const std::map<std::string_view, Relation> relations = {
      {"X", Relation::self},  {"PIX", Relation::pix},   {"PXB", Relation::pxb},
      {"PHB", Relation::phb}, {"NODE", Relation::node}, {"SYS", Relation::sys},
      {"SOC", Relation::sys},  // as drivers before 2017 call it
  };
  if (const auto known = relations.find(word.scalar()); known != relations.end())
    return {known->second, 0};
  constexpr int most_links = 64;
  const std::string& text = word.scalar();
  const auto links =
      text.starts_with("NV") ? whole_number(text.substr(2), 1, most_links) : std::nullopt;
  if (!links)
    word.fail("expected X, PIX, PXB, PHB, NODE, SYS or NV and a number, got \"{}\"", text);
  return {Relation::nv, *links};
}

void add_device(const SmiLine& row, std::size_t columns, SmiMatrix& matrix) {
  std::vector<SmiCell> cells;
  for (std::size_t i = 1; i <= columns; ++i) cells.push_back(read_cell(row[i]));
  const auto affinity = [&](std::size_t i) {
    const std::size_t at = columns + i;
    return at < row.size() && row[at].scalar() != "N/A" ? row[at].scalar() : std::string();
  };
  const std::string& name = row[0].scalar();
  SmiDevice device{name, name.starts_with("GPU"), {}, {}, row[0].place()};
  if (device.is_gpu) {
    device.cpus = affinity(1);
    device.domain = affinity(2).empty() ? device.cpus : affinity(2);
  }
  matrix.devices.push_back(std::move(device));
  matrix.cells.push_back(std::move(cells));
}

/// Symmetric, X on its diagonal only, NVLinks between GPUs only.
void check_cells(const SmiMatrix& matrix) {
  for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const SmiCell &a = matrix.cells[i][j], &b = matrix.cells[j][i];
      const SmiDevice &row = matrix.devices[i], &column = matrix.devices[j];
      const auto fail = [&](std::string_view message) {
        throw InputError(row.place, "'{}' and '{}': {}", row.name, column.name, message);
      };
      if ((i == j) != (a.relation == Relation::self))
        fail("expected X on the diagonal of the matrix, and only there");
      if (a.relation != b.relation || a.nvlinks != b.nvlinks)
        fail("expected the same relation in both directions");
      if (a.relation == Relation::nv && !(row.is_gpu && column.is_gpu))
        fail("expected NVLinks between GPUs only");
    }
  }
}

/// "NIC0: mlx5_0", below the matrix.
void read_legend(const std::vector<SmiLine>& lines, SmiMatrix& matrix) {
  for (const SmiLine& line : lines) {
    if (line.size() != 2 || !line[0].scalar().ends_with(':')) continue;
    const std::string name = line[0].scalar().substr(0, line[0].scalar().size() - 1);
    const auto device = std::ranges::find(matrix.devices, name, &SmiDevice::name);
    if (device != matrix.devices.end()) device->name += " " + line[1].scalar();
  }
}

}  // namespace

std::vector<SmiLine> smi_lines(const std::shared_ptr<const Source>& source) {
  std::vector<SmiLine> lines;
  each_line(source, [&](const Value& line) {
    std::string text = line.scalar();
    for (std::size_t at; (at = text.find('\x1b')) != std::string::npos;) {
      const std::size_t length = std::min(text.find('m', at), text.size() - 1) - at + 1;
      text.replace(at, length, length, ' ');
    }
    lines.push_back(words_of(Value::scalar_at(line.place(), text)));
  });
  return lines;
}

SmiTable read_smi_table(std::span<const SmiLine> lines, const Place& where,
                        std::size_t most_devices) {
  const auto head = std::ranges::find_if(
      lines, [](const SmiLine& line) { return !line.empty() && line[0].scalar() == "GPU0"; });
  if (head == lines.end()) throw InputError(where, "expected the head of a matrix: GPU0 GPU1 ...");
  SmiTable table;
  table.columns =
      static_cast<std::size_t>(std::ranges::find(*head, "CPU", &Value::scalar) - head->begin());
  if (table.columns > most_devices) (*head)[0].fail("more than {} devices", most_devices);
  for (auto row = head + 1; table.rows.size() < table.columns; ++row) {
    if (row == lines.end() || row->empty())
      (*head)[0].fail("expected a row for each of {} columns, got {}", table.columns,
                      table.rows.size());
    check_row(*row, *head, table);
    table.rows.push_back(*row);
  }
  return table;
}

SmiMatrix read_smi_matrix(const std::shared_ptr<const Source>& source) {
  const std::vector<SmiLine> lines = smi_lines(source);
  SmiMatrix matrix;
  for (const auto& [rows, columns] = read_smi_table(lines, {source, 0, 0}, most_devices);
       const SmiLine& row : rows)
    add_device(row, columns, matrix);
  check_cells(matrix);
  read_legend(lines, matrix);
  return matrix;
}

CpuList read_cpu_list(const std::string& text, const Place& place) {
  constexpr int most_cpus = 65535;
  std::vector<int> lengths;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&]() {
    int value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || value < 0 || value > most_cpus)
      throw InputError(place, "expected a list of CPUs such as \"0-19,40-59\", got \"{}\"", text);
    at = stop;
    return value;
  };
  while (at != end) {
    const int first = number();
    int last = first;
    if (at != end && *at == '-') {
      ++at;
      last = number();
    }
    lengths.push_back(std::max(0, last - first + 1));
    if (at != end && *at == ',' && at + 1 != end)
      ++at;
    else if (at != end)
      number();
  }
  int count = 0;
  for (const int length : lengths) count = std::min(count + length, most_cpus);
  return {count, lengths.size() == 2 && lengths[0] == lengths[1]};
}

}  // namespace ringscope
