// SPDX-License-Identifier: LGPL-2.1-or-later
// An SQLite file, and errors that name it.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "sim/studies/key.hpp"

namespace ringscope {

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
  [[noreturn]] void refuse(const std::string& why) const;
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
  Statement(const Database& database, const char* sql);
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int at, const Key& key);
  void bind(int at, double number) { sqlite3_bind_double(statement_, at, number); }
  void bind(int at, const std::string& text);
  bool step();  ///< whether there is a row
  void reset() { sqlite3_reset(statement_); }

  double number(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const;  ///< or a blob's bytes; "" for NULL
  Key key(int column) const;           ///< all 0 for anything else

 private:
  const Database* database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace ringscope
