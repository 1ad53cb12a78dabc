// SPDX-License-Identifier: LGPL-2.1-or-later
// Are results kept, whatever happens to the programs that write them, and no file of others broken?
#include "sim/studies/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <random>
#include <thread>

#include "sim/studies/study_for_test.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::store_test {
namespace {

using testing::HasSubstr;

Key key_of(int number) {
  Key key{};
  key[0] = static_cast<unsigned char>(number % 251);  // not in the order of the numbers
  key[1] = static_cast<unsigned char>(number / 251);
  return key;
}

Outcome outcome_of(int number) {
  return {number / 3.0, fmt::format("copying on host{}", number), {{"busbw", number / 7.0}}, ""};
}

void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

int stored(Store& store, int count) {
  int found = 0;
  for (int i = 0; i < count; ++i) {
    const auto outcome = store.find(key_of(i));
    if (!outcome) continue;
    EXPECT_EQ(*outcome, outcome_of(i));
    ++found;
  }
  return found;
}

TEST(Store, gives_back_what_was_put_to_the_last_digit_now_and_later) {
  const TemporaryFile file;
  Outcome deadlock;
  deadlock.error = "deadlock at 41.2 us: rank 1 waits\nrank 0 waits";
  {
    Store store(file.path());
    store.put(key_of(1), outcome_of(1));
    store.put(key_of(2), deadlock);
    EXPECT_EQ(store.find(key_of(1)), outcome_of(1));
    EXPECT_EQ(store.find(key_of(3)), std::nullopt);
  }
  Store store(file.path());
  EXPECT_EQ(store.find(key_of(1)), outcome_of(1));
  EXPECT_EQ(store.find(key_of(2)), deadlock);
}

TEST(Store, in_memory_needs_no_file) {
  Store store("");
  store.put(key_of(1), outcome_of(1));
  store.flush();
  EXPECT_EQ(store.find(key_of(1)), outcome_of(1));
}

TEST(Store, refuses_what_is_no_database) {
  const TemporaryFile file;
  std::ofstream(file.path()) << std::string(4096, 'x');
  EXPECT_THAT(complaint_of([&] { Store store(file.path()); }),
              HasSubstr("expected a store of results, which is an SQLite file, got something "
                        "else; name another file"));
  EXPECT_EQ(std::filesystem::file_size(file.path()), 4096U);
}

TEST(Store, refuses_the_database_of_another_program) {
  const TemporaryFile file;
  execute(file.path(), "CREATE TABLE letters (text)");
  EXPECT_THAT(complaint_of([&] { Store store(file.path()); }),
              HasSubstr("got an SQLite file of another program"));
}

TEST(Store, refuses_another_version_of_itself) {
  const TemporaryFile file;
  { Store store(file.path()); }
  execute(file.path(), "PRAGMA user_version = 7");
  EXPECT_THAT(complaint_of([&] { Store store(file.path()); }),
              HasSubstr("expected a store of version 2, got one of version 7"));
}

TEST(Store, takes_over_one_that_knew_no_versions_and_prunes_it) {
  const TemporaryFile file;
  execute(file.path(),
          "CREATE TABLE results (key BLOB PRIMARY KEY, time_s REAL NOT NULL, held_up_by TEXT NOT "
          "NULL, metrics TEXT NOT NULL, error TEXT NOT NULL) STRICT, WITHOUT ROWID;"
          "INSERT INTO results VALUES (zeroblob(32), 1.5, '', '{}', '');"
          "PRAGMA application_id = 0x52534354; PRAGMA user_version = 1");
  Store store(file.path());
  const Key old{};
  ASSERT_TRUE(store.find(old).has_value());
  EXPECT_EQ(store.find(old)->time_s, 1.5);
  store.put(key_of(2), outcome_of(2));
  store.flush();
  store.prune();
  EXPECT_EQ(store.find(old), std::nullopt);
  EXPECT_EQ(store.find(key_of(2)), outcome_of(2));
}

TEST(Store, refuses_a_folder_that_is_not_there) {
  EXPECT_THAT(complaint_of([] { Store store("/none/x.sqlite"); }),
              HasSubstr("/none/x.sqlite: cannot be used: unable to open database file"));
}

TEST(Store, writes_a_tenth_of_a_second_later_without_being_told) {
  const TemporaryFile file;
  Store writer(file.path()), reader(file.path());
  writer.put(key_of(1), outcome_of(1));
  for (int tries = 0; tries < 100 && !reader.find(key_of(1)); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(reader.find(key_of(1)), outcome_of(1));
}

TEST(Store, serves_several_programs_at_once) {
  const TemporaryFile file;
  constexpr int programs = 4, rows = 500;
  std::vector<pid_t> children;
  for (int program = 0; program < programs; ++program) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    {
      Store store(file.path());
      for (int i = 0; i < rows; ++i) {  // all write the same, at the same time
        store.put(key_of(i), outcome_of(i));
        if (i % 100 == program) store.flush();
      }
      store.flush();
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  Store store(file.path());
  EXPECT_EQ(stored(store, rows), rows);
}

TEST(Store, loses_only_what_was_not_written_when_its_program_is_killed) {
  const TemporaryFile file;
  std::mt19937 random(20);
  int before = 0;
  for (int round = 0; round < 20; ++round) {
    std::array<int, 2> written{};
    ASSERT_EQ(::pipe(written.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Store store(file.path());
      for (int i = 0;; ++i) {
        store.put(key_of(i % 50000), outcome_of(i % 50000));
        if (i % 16 == 0) store.flush();
        if (i == 0 && ::write(written[1], "w", 1) != 1) ::_exit(1);
      }
    }
    ::close(written[1]);
    // Every second one is killed while it writes, however slow the disk; others while they open.
    char one = 0;
    if (round % 2 == 1) {
      EXPECT_EQ(::read(written[0], &one, 1), 1);
    }
    ::close(written[0]);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    Store store(file.path());
    const int now = stored(store, 2000);
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_GT(before, 0);
}

}  // namespace
}  // namespace ringscope::store_test
