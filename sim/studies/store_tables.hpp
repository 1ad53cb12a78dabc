// SPDX-License-Identifier: LGPL-2.1-or-later
// Tables of a store: one row per simulation, and, of a shard of a study, which one it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/studies/database.hpp"

namespace ringscope {

/// One of `count` equal shares of a study's points; the first is 1 of count.
struct Shard {
  std::size_t number = 1, count = 1;
  bool operator==(const Shard&) const = default;
};
std::string text_of(const Shard& shard);  ///< "3/16"

/// Title of a store that one shard of a study fills.
struct PartLabel {
  std::string study;
  std::string digest;  ///< of the study's points, and of scenarios of them
  Shard shard;
  std::uint64_t points = 0;  ///< of the whole study
  std::string version;       ///< model_version()
};

/// A row of the table `results`.
struct ResultRow {
  Key key{};  ///< SHA-256 of the resolved scenario, the kernel and the version
  double time_s = 0;
  std::string held_up_by, metrics, error, version;
  bool operator==(const ResultRow&) const = default;
};
/// Reads it from the columns that begin with this one.
ResultRow result_in(const Database::Statement& row, int column);

/// The table `results`: made in a new file; a file that is something else is refused.
class Results {
 public:
  explicit Results(Database& database);

  std::optional<ResultRow> find(const Key& key);
  void insert(const ResultRow& row);  ///< unless its key is there

 private:
  Database::Statement select_, insert_;
};

/// Throws InputError for what is no store of this version.
void require_store(Database& database);

/// The tables `part`, of one row, and `points`: those of the shard by their words, and, when their
/// scenarios have been made, the keys of their results.
void prepare_part(Database& database);

/// Nothing where it is the store of a whole study, or of several.
std::optional<PartLabel> read_label(Database& database);
void write_label(Database& database, const PartLabel& label);
void drop_part(Database& database);

}  // namespace ringscope
