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

/// Title of a store that one shard of a study fills.
struct PartLabel {
  std::string study;
  std::string digest;  ///< of the study's points, and of scenarios of them
  Shard shard;
  std::uint64_t points = 0;  ///< of the whole study
  std::string version;       ///< model_version()
};

inline constexpr const char* insert_result =
    "INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?)";

/// Makes the tables of a new file; refuses a file that is something else.
void prepare_results(Database& database);

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
