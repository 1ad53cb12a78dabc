// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a file there whole or not at all?
#include "cli/terminal/failure.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ringscope {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  OutputFile() {
    std::string name = testing::TempDir() + "output_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~OutputFile() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  static std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  /// The words of the failure, without the folder.
  std::string failure_of(const std::string& file, const std::string& text) const {
    try {
      write_output(file, text);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::bad_input);
      const std::string words = failure.what();
      return words.starts_with(folder_) ? words.substr(folder_.size() + 1) : words;
    }
    return "";
  }

  std::string folder_;
};

TEST_F(OutputFile, a_new_file_and_nothing_beside_it) {
  write_output(path("a.txt"), "hello\n");
  EXPECT_EQ(text_of(path("a.txt")), "hello\n");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFile, existing_file_is_replaced) {
  write_output(path("a.txt"), "a longer text\n");
  write_output(path("a.txt"), "short\n");
  EXPECT_EQ(text_of(path("a.txt")), "short\n");
}

TEST_F(OutputFile, a_failing_write_leaves_nothing_new_and_what_was_there) {
  write_output(path("a.txt"), "old\n");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{16, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = failure_of(path("a.txt"), std::string(100'000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "a.txt: cannot be written: File too large");
  EXPECT_EQ(text_of(path("a.txt")), "old\n");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFile, a_folder_that_is_not_there_is_an_error) {
  EXPECT_EQ(failure_of(path("none/a.txt"), "x"),
            "none/a.txt: cannot be written: No such file or directory");
}

TEST_F(OutputFile, a_folder_in_its_place_is_an_error) {
  fs::create_directory(path("a"));
  EXPECT_EQ(failure_of(path("a"), "x"), "a: cannot be written: Is a directory");
}

TEST_F(OutputFile, a_name_without_a_letter_is_shown_as_one) {
  EXPECT_EQ(failure_of("", "x"), "'': cannot be written: No such file or directory");
}

TEST_F(OutputFile, unwritable_path_is_detected_before_the_run) {
  fs::create_directory(path("sub"));
  EXPECT_THROW(require_writable(path("none/a.txt")), Failure);
  EXPECT_THROW(require_writable(path("sub")), Failure);
  for (const std::string& good : {path("a.txt"), std::string("a.txt"), std::string("-"),
                                  std::string(), std::string("/dev/null")})
    EXPECT_NO_THROW(require_writable(good)) << good;
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFile, a_full_device_is_an_error_and_stays_a_device) {
  EXPECT_EQ(failure_of("/dev/full", "x"), "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(OutputFile, a_link_stays_a_link) {
  write_output(path("a.txt"), "old\n");
  fs::create_symlink("a.txt", path("link"));
  write_output(path("link"), "new\n");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("a.txt")), "new\n");
}

}  // namespace
}  // namespace ringscope
