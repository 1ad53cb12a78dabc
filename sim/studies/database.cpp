// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "topologies/input/read_file.hpp"

namespace ringscope {
namespace {

constexpr int patience_ms = 30'000;

}  // namespace

Database::Database(const std::string& path, Open how) : path_(path) {
  sqlite3* opened = nullptr;
  const std::string file = path.empty() ? ":memory:" : std::filesystem::absolute(path).string();
  const int access = SQLITE_OPEN_READWRITE | (how == Open::or_make ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(file.c_str(), &opened, access, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) refuse_last_error();
  // SQLite's own rollback journal: a write-ahead log would be faster, but does not work on the file
  // systems that clusters share.
  sqlite3_busy_timeout(opened, patience_ms);
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    refuse_last_error();
}

double Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

void Database::refuse(const std::string& why) const { refuse_file(path_, why); }

void Database::refuse_last_error() const {
  const int code = sqlite3_errcode(database_.get()) & 0xff;
  if (code == SQLITE_NOTADB)
    refuse(
        "expected a store of results, which is an SQLite file, got something else; "
        "name another file");
  if (code == SQLITE_BUSY)
    refuse(fmt::format("another program has locked it for {} s", patience_ms / 1000));
  refuse(fmt::format("cannot be used: {}", sqlite3_errmsg(database_.get())));
}

Database::Statement::Statement(const Database& database, const char* sql) : database_(&database) {
  if (sqlite3_prepare_v2(database.database_.get(), sql, -1, &statement_, nullptr) != SQLITE_OK)
    database.refuse_last_error();
}

void Database::Statement::bind(int at, const Key& key) {
  sqlite3_bind_blob(statement_, at, key.data(), static_cast<int>(key.size()), SQLITE_TRANSIENT);
}

void Database::Statement::bind(int at, const std::string& text) {
  sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

bool Database::Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    sqlite3_reset(statement_);
    database_->refuse_last_error();
  }
  return code == SQLITE_ROW;
}

std::string Database::Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr ? "" : std::string(bytes, bytes + size);
}

Key Database::Statement::key(int column) const {
  Key key{};
  const std::string bytes = text(column);
  if (bytes.size() == key.size()) std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

}  // namespace ringscope
