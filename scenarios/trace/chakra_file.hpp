// SPDX-License-Identifier: LGPL-2.1-or-later
// Chakra's execution trace of one rank: a protobuf message of metadata, then one for each node.
// Source of the fields: mlcommons/chakra, schema/protobuf/et_def.proto.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "topologies/input/input.hpp"

namespace ringscope::chakra {

/// Numbers of NodeType in the schema.
enum class NodeType : std::uint8_t {
  invalid,
  metadata,
  mem_load,
  mem_store,
  comp,
  comm_send,
  comm_recv,
  comm_coll,
  storage,
  batch,
  checkpoint
};

struct Node {
  std::size_t at = 0;  ///< byte of the file
  std::uint64_t id = 0;
  std::string name;
  int type = 0;
  std::vector<std::uint64_t> data_deps{}, ctrl_deps{};
  std::uint64_t microseconds = 0;
  std::string values;                  ///< of its inputs
  std::optional<bool> on_cpu{};        ///< attribute is_cpu_op
  bool some_dimensions = false;        ///< attribute involved_dim leaves one out
  std::optional<std::string> group{};  ///< attribute pg_name
  /// Attributes of their names.
  std::optional<std::int64_t> comm_type{}, comm_size{}, comm_src{}, comm_dst{}, comm_tag{}, tid{},
      num_ops{}, root{};
};

struct File {
  std::shared_ptr<const Source> source;  ///< its path alone
  Table<Node> nodes;

  Place place() const { return {source, 0, 0}; }
};

/// Reads it, packed by gzip or not. Throws InputError.
File read_chakra_file(const std::string& path);

/// Likewise, of bytes.
File read_chakra_bytes(const std::string& path, std::string_view bytes);

/// "node 7 'aten::mm' (byte 1234)".
std::string text_of(const Node& node);

}  // namespace ringscope::chakra
