#include "sim/studies/store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "topologies/input/input.hpp"

namespace ringscope {
namespace {

constexpr int schema = 2;                // 1 had no versions
constexpr int application = 0x52534354;  // "RSCT", SQLite's mark of whose file it is
constexpr int patience_ms = 30'000;
constexpr auto interval = std::chrono::milliseconds(100);

constexpr const char* make_tables = R"(
  CREATE TABLE results (
    key BLOB PRIMARY KEY,    -- SHA-256 of the resolved scenario, the kernel and the version
    time_s REAL NOT NULL,    -- 0 where there is an error
    held_up_by TEXT NOT NULL,
    metrics TEXT NOT NULL,   -- JSON, by the names in schema.md
    error TEXT NOT NULL,     -- empty, or why there is no time
    version TEXT NOT NULL DEFAULT ''  -- of the program and the text of its model
  ) STRICT, WITHOUT ROWID
)";

std::string metrics_text(const Outcome& outcome) { return nlohmann::json(outcome.metrics).dump(); }

}  // namespace

/// A prepared statement, bound and stepped through.
class Store::Statement {
 public:
  Statement(const Store& store, const char* sql) : store_(&store) {
    if (sqlite3_prepare_v2(store.database_.get(), sql, -1, &statement_, nullptr) != SQLITE_OK)
      store.refuse_last_error();
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int at, const Key& key) {
    sqlite3_bind_blob(statement_, at, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
  }
  void bind(int at, double number) { sqlite3_bind_double(statement_, at, number); }
  void bind(int at, const std::string& text) {
    sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  /// True if there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
      sqlite3_reset(statement_);
      store_->refuse_last_error();
    }
    return code == SQLITE_ROW;
  }
  double number(int column) { return sqlite3_column_double(statement_, column); }
  std::string text(int column) {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    const int size = sqlite3_column_bytes(statement_, column);
    return bytes == nullptr ? "" : std::string(bytes, static_cast<std::size_t>(size));
  }
  void reset() { sqlite3_reset(statement_); }

 private:
  const Store* store_;
  sqlite3_stmt* statement_ = nullptr;
};

void Store::CloseDatabase::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Store::Store(const std::string& path) : path_(path) {
  open();
  select_ = std::make_unique<Statement>(
      *this, "SELECT time_s, held_up_by, metrics, error FROM results WHERE key = ?");
  insert_ =
      std::make_unique<Statement>(*this, "INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?)");
  flusher_ = std::jthread([this](const std::stop_token& stop) { flush_now_and_then(stop); });
}

Store::~Store() {
  flusher_.request_stop();
  flusher_.join();
  try {
    flush();
  } catch (const std::exception&) {
    // Whoever wants to know has called flush().
  }
  select_.reset();
  insert_.reset();
}

void Store::refuse(const std::string& why) const {
  throw InputError({std::make_shared<const Source>(Source{path_, ""}), 0, 0}, why);
}

void Store::refuse_last_error() const {
  const int code = sqlite3_errcode(database_.get()) & 0xff;
  if (code == SQLITE_NOTADB)
    refuse(
        "expected a store of results, which is an SQLite file, got something else; "
        "name another file with --store");
  if (code == SQLITE_BUSY)
    refuse(fmt::format("another program has locked it for {} s", patience_ms / 1000));
  refuse(fmt::format("cannot be used: {}", sqlite3_errmsg(database_.get())));
}

void Store::run(const char* sql) {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    refuse_last_error();
}

void Store::open() {
  sqlite3* opened = nullptr;
  const std::string file = path_.empty() ? ":memory:" : std::filesystem::absolute(path_).string();
  const int code =
      sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) refuse_last_error();
  sqlite3_busy_timeout(opened, patience_ms);
  // SQLite's own rollback journal: a write-ahead log would be faster, but does not work on the file
  // systems that clusters share.
  prepare_tables();
}

void Store::prepare_tables() {
  const auto number = [this](const char* pragma) {
    Statement statement(*this, pragma);
    statement.step();
    return static_cast<int>(statement.number(0));
  };
  run("BEGIN IMMEDIATE");  // two programs may make one file at once
  const int whose = number("PRAGMA application_id"), found = number("PRAGMA user_version");
  const bool empty = number("SELECT count(*) FROM sqlite_schema") == 0;
  if (empty && whose == 0 && found == 0) {
    run(make_tables);
    run(fmt::format("PRAGMA application_id = {}", application).c_str());
    run(fmt::format("PRAGMA user_version = {}", schema).c_str());
  } else if (whose != application) {
    refuse(
        "expected a store of results, got an SQLite file of another program; "
        "name another file with --store");
  } else if (found == 1) {
    run("ALTER TABLE results ADD COLUMN version TEXT NOT NULL DEFAULT ''");
    run(fmt::format("PRAGMA user_version = {}", schema).c_str());
  } else if (found != schema) {
    refuse(
        fmt::format("expected a store of version {}, got one of version {}, which another "
                    "version of ringscope wrote; name another file with --store",
                    schema, found));
  }
  run("COMMIT");
}

std::optional<Outcome> Store::find(const Key& key) {
  throw_failure();
  {
    const std::lock_guard lock(rows_mutex_);
    if (const auto row = waiting_.find(key); row != waiting_.end()) return row->second;
  }
  const std::lock_guard lock(database_mutex_);
  select_->bind(1, key);
  std::optional<Outcome> outcome;
  if (select_->step()) {
    outcome.emplace();
    outcome->time_s = select_->number(0);
    outcome->limit = select_->text(1);
    outcome->error = select_->text(3);
    const auto metrics = nlohmann::json::parse(select_->text(2), nullptr, false);
    if (metrics.is_discarded() || !metrics.is_object()) refuse("a row's metrics are damaged");
    outcome->metrics = metrics.get<std::map<std::string, double>>();
  }
  select_->reset();
  return outcome;
}

void Store::put(const Key& key, const Outcome& outcome) {
  throw_failure();
  const std::lock_guard lock(rows_mutex_);
  waiting_.emplace(key, outcome);
  if (waiting_.size() == 1) changed_.notify_one();
}

void Store::flush() {
  throw_failure();
  const std::lock_guard lock(database_mutex_);
  Rows rows;
  {
    // Whoever looks for one of them waits for the database meanwhile.
    const std::lock_guard rows_lock(rows_mutex_);
    rows.swap(waiting_);
  }
  if (!rows.empty()) write(rows);
}

void Store::prune() {
  const std::lock_guard lock(database_mutex_);
  Statement drop(*this, "DELETE FROM results WHERE version <> ?");
  drop.bind(1, model_version());
  drop.step();
  drop.reset();
  run("VACUUM");
}

void Store::write(const Rows& rows) {
  const std::string version = model_version();
  run("BEGIN IMMEDIATE");
  for (const auto& [key, outcome] : rows) {
    insert_->bind(1, key);
    insert_->bind(2, outcome.time_s);
    insert_->bind(3, outcome.limit);
    insert_->bind(4, metrics_text(outcome));
    insert_->bind(5, outcome.error);
    insert_->bind(6, version);
    insert_->step();
    insert_->reset();
  }
  run("COMMIT");
}

void Store::flush_now_and_then(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(rows_mutex_);
      if (!changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
      changed_.wait_for(lock, stop, interval, [] { return false; });
    }
    try {
      flush();
    } catch (...) {
      const std::lock_guard lock(rows_mutex_);
      failure_ = std::current_exception();
      return;
    }
  }
}

void Store::throw_failure() {
  const std::lock_guard lock(rows_mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace ringscope
