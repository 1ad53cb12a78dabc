// SPDX-License-Identifier: LGPL-2.1-or-later
// Chakra's execution trace of one rank: a protobuf message of metadata, then one for each node.
// Source of the fields: mlcommons/chakra, schema/protobuf/et_def.proto.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.hpp"
#include "topologies/input/input.hpp"

namespace ringscope::chakra {

// Groups of ranks that a trace's collectives name.

/// Ranks by the name of their group.
using Groups = std::map<std::string, std::vector<int>>;

/// ASTRA-sim's file of groups: {"1": [0, 1], "2": [2, 3]}. Throws InputError.
Groups read_group_file(const std::string& path, int ranks);

/// Groups that a metadata node of PyTorch lists, [{"pg_name": "1", "ranks": [0, 1]}, ...], added to
/// the others; `text` as it stands there. False where the text is something else. Throws
/// InputError, with `words` for the node, where it lists ranks that are none.
bool add_listed_groups(const std::string& text, int ranks, const Place& place,
                       const std::string& words, Groups& into);

// Protobuf's wire format: the fields of a message, one after the other.
// Source: protobuf.dev/programming-guides/encoding.

struct Field {
  enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
  int number = 0;
  Wire wire{};
  std::uint64_t value = 0;   ///< varint, and the bits of fixed64 and fixed32
  std::string_view bytes{};  ///< of a text, a message or a packed list
  std::size_t at = 0;        ///< in the file, of `bytes`
};

/// Reads what lies in `bytes`, which begin at byte `at` of the file at `place`. Throws InputError
/// with the byte where something is wrong.
class Wire {
 public:
  Wire(std::string_view bytes, std::size_t at, const Place& place)
      : bytes_(bytes), at_(at), place_(&place) {}

  bool ended() const { return next_ == bytes_.size(); }
  /// The next field of a message; nothing at its end.
  std::optional<Field> field();
  std::uint64_t varint();
  /// Bytes behind their length. `what` they are, for errors.
  std::string_view behind_length(std::string_view what);
  /// Position in the file.
  std::size_t at() const { return at_ + next_; }
  template <typename... Parts>
  [[noreturn]] void fail(std::size_t at, fmt::format_string<Parts...> why, Parts&&... parts) const {
    throw InputError(*place_, "byte {}: {}", at, fmt::format(why, std::forward<Parts>(parts)...));
  }

 private:
  std::string_view take(std::size_t count, std::string_view what);

  std::string_view bytes_;
  std::size_t at_;
  std::size_t next_ = 0;
  const Place* place_;
};

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
