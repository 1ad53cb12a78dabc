// Results that outlive the program: an SQLite file with one row per simulation.
#pragma once

#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "sim/studies/key.hpp"
#include "sim/studies/outcome.hpp"

struct sqlite3;

namespace ringscope {

/// Thread-safe. What is put is on disk a tenth of a second later, in one transaction with what came
/// meanwhile; a program that is killed loses no more, and leaves a file that opens. Several
/// programs may use one file at once. Rows hold nothing that differs between two runs of one
/// scenario, so that the same results are the same contents whoever computed them, and in whatever
/// order.
///
/// Throws InputError, from any call, for a file that is no such store, that cannot be written, or
/// that another program has locked for half a minute.
class Store {
 public:
  /// "": in memory, for as long as this object lives.
  explicit Store(const std::string& path);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  std::optional<Outcome> find(const Key& key);
  void put(const Key& key, const Outcome& outcome);
  void flush();  ///< now
  /// Drops the results of other versions of the program, whose keys nobody asks for any more.
  void prune();

 private:
  using Rows = std::map<Key, Outcome>;
  struct CloseDatabase {
    void operator()(sqlite3* database) const;
  };
  class Statement;

  void open();
  void prepare_tables();
  void run(const char* sql);
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse_last_error() const;
  void write(const Rows& rows);
  void flush_now_and_then(const std::stop_token& stop);
  void throw_failure();

  std::string path_;
  std::mutex database_mutex_;  ///< taken before rows_mutex_ where both are
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  std::unique_ptr<Statement> select_, insert_;
  std::mutex rows_mutex_;
  std::condition_variable_any changed_;
  Rows waiting_;                ///< put, and not written yet
  std::exception_ptr failure_;  ///< of a flush that nobody called
  std::jthread flusher_;        ///< last: it uses all the others
};

}  // namespace ringscope
