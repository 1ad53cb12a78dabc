// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/progress_bar.hpp"

#include <gmock/gmock.h>

#include <string>

namespace ringscope {
namespace {

const std::string table =
    "case       time    ratio  spent on\n"
    "4-2-2  241.9 ms  1.000 x  copying on host2/numa0/core0\n"
    "4-3-1  471.5 ms  1.949 x  the wire\n";

TEST(Looks, a_text_that_fits_stays_as_it_is) {
  EXPECT_EQ(fitted(table, 60), table);
  EXPECT_EQ(fitted("\n\na  b\n\n", 60), "\n\na  b\n\n");
}

TEST(Looks, tables_are_narrowed_by_their_words_and_never_by_their_numbers) {
  EXPECT_EQ(fitted(table, 40),
            "case       time    ratio  spent on\n"
            "4-2-2  241.9 ms  1.000 x  copying on ho~\n"
            "4-3-1  471.5 ms  1.949 x  the wire\n");
}

TEST(Looks, columns_of_numbers_that_find_no_room_stand_below_beside_the_first_one) {
  EXPECT_EQ(fitted("rank    finish      idle\n"
                   "   0  241.9 ms  111.5 ms\n",
                   20),
            "rank    finish\n"
            "   0  241.9 ms\n"
            "rank      idle\n"
            "   0  111.5 ms\n");
}

TEST(Looks, a_sentence_above_a_table_and_a_long_head_of_numbers_do_not_spoil_it) {
  EXPECT_EQ(fitted("What takes how long, and where it does\n"
                   "reduction  where it is spent\n"
                   "   1.4 ms  host0/numa0/core0\n",
                   24),
            "What takes how long, and\n"
            "where it does\n"
            "reduction  where it is ~\n"
            "   1.4 ms  host0/numa0/~\n");
}

TEST(Looks, a_number_that_is_too_long_goes_on_in_the_next_line) {
  EXPECT_EQ(fitted("a b  11 ms\nc d  22222222222222 ms\n", 20),
            "a b  11 ms\nc d  22222222222222\nms\n");
}

TEST(Looks, sentences_go_on_in_the_next_line_as_far_in_as_they_began) {
  EXPECT_EQ(fitted("  one two three four five\n", 20), "  one two three four\n  five\n");
  EXPECT_EQ(fitted("averyverylongwordwithoutspaces\n", 20), "averyverylongwordwithoutspaces\n");
}

TEST(Looks, columns_count_characters_and_not_bytes) {
  const std::string umlauts =
      "\u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc "
      "\u00e4\u00f6\u00fc\n";
  EXPECT_EQ(fitted(umlauts, 20), umlauts);
}

TEST(Looks, heads_of_tables_are_bold_and_warnings_yellow) {
  EXPECT_THAT(coloured(table),
              testing::StartsWith("\033[1mcase       time    ratio  spent on\033[0m\n4-2-2"));
  EXPECT_EQ(coloured("warning: x\n"), "\033[33mwarning: x\033[0m\n");
  EXPECT_EQ(coloured("a sentence\nand another\n"), "a sentence\nand another\n");
}

TEST(Looks, colours_add_nothing_else) {
  std::string bare = coloured(table + "\nwarning: x\n\n" + table);
  for (const std::string look : {"\033[1m", "\033[33m", "\033[0m"})
    for (std::size_t at = 0; (at = bare.find(look)) != std::string::npos;)
      bare.erase(at, look.size());
  EXPECT_EQ(bare, table + "\nwarning: x\n\n" + table);
}

}  // namespace
}  // namespace ringscope
