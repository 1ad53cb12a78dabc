// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/store_tables.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <filesystem>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "sim/studies/model_digest.hpp"

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

constexpr int patience_ms = 30'000;

constexpr int schema = 2;                // 1 had no versions
constexpr int application = 0x52534354;  // "RSCT", SQLite's mark of whose file it is

constexpr const char* make_table = R"(
  CREATE TABLE IF NOT EXISTS {} (
    key BLOB PRIMARY KEY,    -- SHA-256 of the resolved scenario, the kernel and the version
    time_s REAL NOT NULL,    -- 0 where there is an error
    held_up_by TEXT NOT NULL,
    metrics TEXT NOT NULL,   -- JSON, by the names in schema.md
    error TEXT NOT NULL,     -- empty, or why there is no time
    version TEXT NOT NULL DEFAULT ''  -- of the program and the text of its model
  ) STRICT, WITHOUT ROWID
)";

constexpr const char* make_part = R"(
  CREATE TABLE IF NOT EXISTS part (
    study TEXT NOT NULL, digest TEXT NOT NULL, shard INTEGER NOT NULL, shards INTEGER NOT NULL,
    points INTEGER NOT NULL, version TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS points (
    words TEXT PRIMARY KEY,
    key BLOB                 -- of its result; NULL: its scenario was not made yet
  ) STRICT, WITHOUT ROWID
)";

constexpr const char* has_part = "SELECT count(*) FROM sqlite_schema WHERE name = 'part'";

struct Marks {
  int whose = 0, schema = 0;
  bool empty = false;
};

Marks marks_of(Database& database) {
  return {static_cast<int>(database.number("PRAGMA application_id")),
          static_cast<int>(database.number("PRAGMA user_version")),
          database.number("SELECT count(*) FROM sqlite_schema") == 0};
}

void require_marks(const Database& database, const Marks& found) {
  if (found.whose != application)
    database.refuse(
        "expected a store of results, got an SQLite file of another program; "
        "name another file");
  if (found.schema != schema)
    database.refuse(
        "expected a store of version {}, got one of version {}, which another version of ringscope "
        "wrote; name another file",
        schema, found.schema);
}

/// The database, with the table and that of a study's points made where it is new.
Database& with_table(Database& database, const std::string& table) {
  database.run("BEGIN IMMEDIATE");  // two programs may make one file at once
  const Marks found = marks_of(database);
  if (found.empty && found.whose == 0 && found.schema == 0) {
    database.run(fmt::format(make_table, "results"));
    database.run(fmt::format("PRAGMA application_id = {}", application));
    database.run(fmt::format("PRAGMA user_version = {}", schema));
  } else if (found.whose == application && found.schema == 1) {
    database.run("ALTER TABLE results ADD COLUMN version TEXT NOT NULL DEFAULT ''");
    database.run(fmt::format("PRAGMA user_version = {}", schema));
  } else {
    require_marks(database, found);
  }
  database.run(fmt::format(make_table, table));
  database.run("COMMIT");
  return database;
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

void Database::refuse_last_error() const {
  const int code = sqlite3_errcode(database_.get()) & 0xff;
  if (code == SQLITE_NOTADB)
    refuse(
        "expected a store of results, which is an SQLite file, got something else; "
        "name another file");
  if (code == SQLITE_BUSY) refuse("another program has locked it for {} s", patience_ms / 1000);
  refuse("cannot be used: {}", sqlite3_errmsg(database_.get()));
}

Database::Statement::Statement(const Database& database, const std::string& sql)
    : database_(&database) {
  if (sqlite3_prepare_v2(database.database_.get(), sql.c_str(), -1, &statement_, nullptr) !=
      SQLITE_OK)
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

std::string text_of(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.count); }

ResultRow result_in(const Database::Statement& row, int column) {
  return {row.key(column),      row.number(column + 1), row.text(column + 2),
          row.text(column + 3), row.text(column + 4),   row.text(column + 5)};
}

Results::Results(Database& database, const std::string& table)
    : select_(with_table(database, table), fmt::format("SELECT * FROM {} WHERE key = ?", table)),
      insert_(database, fmt::format("INSERT OR IGNORE INTO {} VALUES (?, ?, ?, ?, ?, ?)", table)) {}

std::optional<ResultRow> Results::find(const Key& key) {
  select_.bind(1, key);
  std::optional<ResultRow> row;
  if (select_.step()) row = result_in(select_, 0);
  select_.reset();
  return row;
}

void Results::insert(const ResultRow& row) {
  insert_.run(row.key, row.time_s, row.held_up_by, row.metrics, row.error, row.version);
}

void require_store(Database& database) {
  const Marks found = marks_of(database);
  if (found.empty && found.whose == 0)
    database.refuse("is empty: its shard died before it had begun; start that again");
  require_marks(database, found);
}

void prepare_part(Database& database) { database.run(make_part); }

std::optional<PartLabel> read_label(Database& database) {
  if (database.number(has_part) == 0) return {};
  Database::Statement row(database,
                          "SELECT study, digest, shard, shards, points, version FROM part");
  if (!row.step()) return {};
  return PartLabel{
      row.text(0),
      row.text(1),
      {static_cast<std::size_t>(row.number(2)), static_cast<std::size_t>(row.number(3))},
      static_cast<std::uint64_t>(row.number(4)),
      row.text(5)};
}

void write_label(Database& database, const PartLabel& label) {
  Database::Statement row(database, "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)");
  const auto number = [](auto integer) { return static_cast<double>(integer); };
  row.run(label.study, label.digest, number(label.shard.number), number(label.shard.count),
          number(label.points), label.version);
}

void drop_part(Database& database) {
  if (database.number(has_part) == 0) return;
  database.run("DELETE FROM part; DELETE FROM points");
}

}  // namespace ringscope
