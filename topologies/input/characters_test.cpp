// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/input/characters.hpp"

#include <gtest/gtest.h>

#include "topologies/input/complaint_for_test.hpp"

namespace ringscope {
namespace {

constexpr auto npos = std::string_view::npos;

TEST(Characters, well_formed_utf8_of_all_lengths_is_taken) {
  EXPECT_EQ(first_not_utf8("a\xc2\xb5\xe2\x82\xac\xf0\x9f\x99\x82\xed\x9f\xbf\xf4\x8f\xbf\xbf"),
            npos);
  EXPECT_EQ(first_not_utf8(""), npos);
}

// The classes of RFC 3629: a lone continuation, an end in the middle, overlong, a surrogate, too
// large.
TEST(Characters, invalid_utf8_is_located) {
  for (const char* bad :
       {"\x80", "\xc3", "\xc3(", "\xe2\x82", "\xc0\xaf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
        "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(first_not_utf8(std::string("ab") + bad), 2u);
  }
}

TEST(Characters, a_file_that_is_not_utf8_is_refused_with_line_and_column) {
  EXPECT_EQ(complaint_of([] { Value::from_text("x.yaml", "a: b\nname: x\xff\n"); }),
            "x.yaml:2:8: expected text in UTF-8, got the byte 0xff\n"
            "  name: x\\xff\n"
            "         ^");
}

TEST(Characters, a_name_that_would_drive_a_terminal_is_refused) {
  EXPECT_EQ(complaint_of([] { Value::from_text("x.yaml", "a: \"b\\e[31m\"\n"); }),
            "x.yaml:1:4: a text may not hold the control character 0x1b\n"
            "  a: \"b\\e[31m\"\n"
            "     ^");
  EXPECT_EQ(complaint_of([] { Value::from_text("x.yaml", "a: \"b\\tc\\n\"\n"); }), "");
}

TEST(Characters, host_name_that_a_shell_would_act_on_is_rejected) {
  for (const char* bad : {"n1;reboot", "$(reboot)", "`reboot`", "n 1", "it's", "n\"1", "n\n1", "",
                          "n1)", "a/b", "\xc2\xb5"})
    EXPECT_THROW(require_host_name({}, bad), InputError) << bad;
  for (const char* good : {"n1", "rack-2.node_07", "10.0.0.1", "_n", "7"})
    EXPECT_NO_THROW(require_host_name({}, good)) << good;
}

TEST(Characters, host_name_has_parts_as_rfc_1123_asks_for) {
  const std::string longest(63, 'n');
  for (const std::string& bad :
       {std::string("-rf"), std::string("n-"), std::string("n.-x"), std::string("."),
        std::string("n1."), std::string(".n1"), std::string("n..1"), longest + "n",
        longest + "." + longest + "." + longest + "." + longest})
    EXPECT_NE(complaint_of([&] { require_host_name({}, bad); }).find("neither begin nor end with"),
              std::string::npos)
        << bad;
  EXPECT_NO_THROW(require_host_name({}, longest + "." + longest + "." + longest));
}

TEST(Characters, words_of_a_shell_are_quoted_where_they_need_to_be) {
  EXPECT_EQ(shell_word("out/p-1.csv"), "out/p-1.csv");
  EXPECT_EQ(in_shell_quotes("out/p-1.csv"), "'out/p-1.csv'");
  EXPECT_EQ(shell_word("my file"), "'my file'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Characters, control_characters_and_broken_bytes_are_escaped_for_a_terminal) {
  EXPECT_EQ(for_terminal("a\x1b[31m\tb\n\x7f\r"), "a\\x1b[31m\tb\n\\x7f\\x0d");
  EXPECT_EQ(for_terminal("\xc2\x9b"
                         "2J \xff \xc2\xb5s"),
            "\\xc2\\x9b2J \\xff \xc2\xb5s");
}

}  // namespace
}  // namespace ringscope
