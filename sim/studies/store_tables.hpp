// SPDX-License-Identifier: LGPL-2.1-or-later
// Tables of a store: one row per simulation, and, of a shard of a study, which one it is.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/question/scenario.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {

// Keys by which results are found again.

using Key = std::array<unsigned char, 32>;

/// SHA-256 of all that decides what a simulation says: the resolved scenario without its words
/// (names, questions), where every rank is, the kernel, and the version of the program with its
/// model's source. Two ways to write one scenario have one key.
Key scenario_key(const Scenario& scenario, std::string_view kernel);

/// Version of the program and of its model's source: results of another one are other results.
std::string model_version();

Key sha256(std::string_view bytes);

std::string to_hex(const Key& key);

// An SQLite file, and errors that name it.

/// Throws InputError with the file's name for all that goes wrong. One thread at a time.
class Database {
 public:
  enum class Open { or_make, existing };
  /// "": in memory, for as long as this object lives.
  explicit Database(const std::string& path, Open how = Open::or_make);

  class Statement;
  void run(const std::string& sql);
  double number(const char* sql);  ///< the first column of the first row; 0 without one
  const std::string& path() const { return path_; }
  template <typename... Parts>
  [[noreturn]] void refuse(fmt::format_string<Parts...> why, Parts&&... parts) const {
    refuse_file(path_, fmt::format(why, std::forward<Parts>(parts)...));
  }
  [[noreturn]] void refuse_last_error() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// A prepared statement, bound and stepped through.
class Database::Statement {
 public:
  Statement(const Database& database, const std::string& sql);
  ~Statement() { sqlite3_finalize(statement_); }
  Statement& operator=(Statement&&) = delete;  ///< neither copied nor moved

  void bind(int at, const Key& key);
  void bind(int at, double number) { sqlite3_bind_double(statement_, at, number); }
  void bind(int at, const std::string& text);
  bool step();  ///< whether there is a row
  /// Runs it once, with these values in their order.
  void run(const auto&... values) {
    int at = 0;
    (bind(++at, values), ...);
    step();
    reset();
  }
  void reset() { sqlite3_reset(statement_); }

  double number(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const;  ///< or a blob's bytes; "" for NULL
  Key key(int column) const;           ///< all 0 for anything else

 private:
  const Database* database_;
  sqlite3_stmt* statement_ = nullptr;
};

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

/// A table of results: made in a new file; a file that is something else is refused.
class Results {
 public:
  explicit Results(Database& database, const std::string& table = "results");

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
